package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

// maxWorst is how many queries are shown; a gate's status names up to ten.
const maxWorst = 5

// gate is what the demo reads of a gate.
type gate struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Status struct {
		Verdict string `json:"verdict"`
		Message string `json:"message"`
		Scores  []struct {
			Metric    string `json:"metric"`
			Candidate string `json:"candidate"`
			Live      string `json:"live"`
			Delta     string `json:"delta"`
			Min       string `json:"min"`
			MaxDrop   string `json:"maxDrop"`
			Verdict   string `json:"verdict"`
		} `json:"scores"`
		Regressions struct {
			Count int `json:"count"`
			Worst []struct {
				Query     string `json:"query"`
				Live      string `json:"live"`
				Candidate string `json:"candidate"`
				Weight    string `json:"weight"`
			} `json:"worst"`
		} `json:"regressions"`
	} `json:"status"`
}

// explain prints the verdict of the gate that is read from in, its scores, and
// the queries that got worst.
func explain(in io.Reader, out io.Writer, goldenFile string) error {
	var g gate
	if err := json.NewDecoder(in).Decode(&g); err != nil {
		return fmt.Errorf("reading the gate: %w", err)
	}
	texts, err := queryTexts(goldenFile)
	if err != nil {
		return err
	}

	fmt.Fprintf(out, "%s: %s. %s\n\n", g.Metadata.Name, g.Status.Verdict, g.Status.Message)
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "METRIC\tLIVE\tCANDIDATE\tMIN\tMAX DROP\tVERDICT")
	for _, s := range g.Status.Scores {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", s.Metric, s.Live, s.Candidate, limit(s.Min), limit(s.MaxDrop), s.Verdict)
	}
	if err := table.Flush(); err != nil {
		return err
	}

	worst := g.Status.Regressions.Worst
	if len(worst) == 0 {
		return nil
	}
	shown := worst[:min(len(worst), maxWorst)]
	fmt.Fprintf(out, "\n%d queries got worse; the worst are\n\n", g.Status.Regressions.Count)
	fmt.Fprintln(table, "QUERY\tWEIGHT\tLIVE\tCANDIDATE\tID")
	for _, q := range shown {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", texts[q.Query], limit(q.Weight), q.Live, q.Candidate, q.Query)
	}
	return table.Flush()
}

// limit writes a number that a person chose as the person wrote it.
func limit(decimal string) string {
	if decimal == "" {
		return "-"
	}
	return strings.TrimRight(strings.TrimRight(decimal, "0"), ".")
}

// queryTexts are the texts of the golden set's queries by id.
func queryTexts(file string) (map[string]string, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var set struct {
		Queries []struct {
			ID    string `json:"id"`
			Query string `json:"query"`
		} `json:"queries"`
	}
	if err := json.Unmarshal(raw, &set); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	texts := map[string]string{}
	for _, q := range set.Queries {
		texts[q.ID] = q.Query
	}
	return texts, nil
}
