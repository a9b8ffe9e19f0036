package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/relevance-gate/relevance-gate/internal/engine"
	"github.com/relevance-gate/relevance-gate/internal/evaluate"
)

func newKeyCommand() *cobra.Command {
	var o evaluateOptions
	command := &cobra.Command{
		Use:   "key -f GATE.yaml --golden-set FILE",
		Short: "Compute the evaluation key of a gate as the operator does",
		Long: `Computes the evaluation key from the gate, the golden set and what the engine says of the
candidate and the live index, as the operator does. The key in a gate's
status.evaluation.key, in an approval or in the history can so be checked by hand.

The key is of what the indices hold now: a candidate that was written since it was
measured has another one. For the key of an evaluation before a promotion, name the index
that was live then by --live. Once the alias points at the candidate, and without --live,
it is the key of measuring the live index alone.

With -o json every part that goes into the key is printed. The key is the SHA-256 of
"parts" as JSON with sorted keys and without spaces.

Nothing is measured, locked or moved. The candidate is refreshed if no alias points at it,
as the operator does, for documents count once they can be found.

Exit code: 0 done, 2 engine unavailable or index missing, 3 wrong usage, gate or golden
set, or an engine that refuses the credentials, is not trusted or is none.

Environment: as for the command evaluate.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runKey(cmd.Context(), o, os.Getenv, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	o.addInputFlags(command)
	command.Flags().StringVarP(&o.output, "output", "o", "text", "text (the key alone) or json")
	return command
}

// keyDocument is the key with all that went into it.
type keyDocument struct {
	Schema       string              `json:"schema"`
	Key          string              `json:"key"`
	InputsDigest string              `json:"inputsDigest"`
	SearchDigest string              `json:"searchDigest"`
	Candidate    string              `json:"candidate,omitempty"`
	Live         string              `json:"live,omitempty"`
	Parts        map[string]any      `json:"parts"`
	Fingerprint  *engine.Fingerprint `json:"fingerprint,omitempty"` // what parts.candidate is the digest of
}

const keySchema = "relevancegate.dev/key/v1"

func runKey(ctx context.Context, o evaluateOptions, getenv func(string) string, in io.Reader, out io.Writer) error {
	if o.output != "text" && o.output != "json" {
		return usageError(fmt.Errorf("--output is %q; it must be text or json", o.output))
	}
	file, err := readGateFile(o.gate, in)
	if err != nil {
		return gateError(err)
	}
	gate, err := file.readSpec()
	if err != nil {
		return gateError(err)
	}
	if _, err := readGoldenFiles(o.goldenSet, in, gate.plan); err != nil {
		return failureError(err)
	}
	client, err := newClient(o, getenv, gate.plan)
	if err != nil {
		return usageError(err)
	}
	defer client.Close()
	if err := chooseIndices(ctx, client, o, gate); err != nil {
		return err
	}
	document, err := computeKey(ctx, client, gate.plan)
	if err != nil {
		return failureError(err)
	}
	if o.output == "text" {
		fmt.Fprintln(out, document.Key)
		return nil
	}
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

// computeKey asks the engine for what the plan does not say.
func computeKey(ctx context.Context, client *engine.Client, plan *evaluate.Plan) (*keyDocument, error) {
	info, err := client.Info(ctx)
	if err != nil {
		return nil, err
	}
	input := evaluate.KeyInput{
		ClusterUUID:  info.ClusterUUID,
		GoldenDigest: plan.GoldenDigest,
		MaxGrade:     plan.MaxGrade,
		Search:       plan.Search,
		Metrics:      plan.Metrics,
		Confidence:   plan.Confidence,
		Segments:     plan.Segments,
		JudgedAt:     plan.JudgedAt,
		Regressions:  plan.Regressions,
		Repeats:      plan.Repeats,
	}
	document := &keyDocument{Schema: keySchema}
	if plan.Live != nil {
		document.Live = plan.Live.Name
		settings, err := client.Settings(ctx, plan.Live.Name)
		if err != nil {
			return nil, err
		}
		input.LiveUUID = settings[plan.Live.Name].UUID
	}
	if plan.Candidate != nil {
		document.Candidate = plan.Candidate.Name
		fingerprint, err := fingerprintOf(ctx, client, plan.Candidate.Name)
		if err != nil {
			return nil, err
		}
		document.Fingerprint, input.CandidateFingerprint = &fingerprint, fingerprint.Digest()
	}
	document.Key, document.InputsDigest = evaluate.Key(input), evaluate.InputsDigest(input)
	document.SearchDigest, document.Parts = evaluate.SearchDigest(input.Search), evaluate.KeyParts(input)
	return document, nil
}

// fingerprintOf refreshes an index that nobody searches yet: a live one is not
// touched.
func fingerprintOf(ctx context.Context, client *engine.Client, index string) (engine.Fingerprint, error) {
	aliases, err := client.IndexAliases(ctx, index)
	if err == nil && len(aliases) == 0 {
		err = client.Refresh(ctx, index)
	}
	if err != nil {
		return engine.Fingerprint{}, err
	}
	return client.FullFingerprint(ctx, index)
}
