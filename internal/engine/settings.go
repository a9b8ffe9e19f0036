package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// IndexSettings are the settings of one concrete index.
type IndexSettings struct {
	Name   string
	UUID   string
	Blocks Blocks
	Closed bool // it can be neither searched nor written
	// Flat maps full names ("index.number_of_shards") to values; a list is its
	// JSON text.
	Flat map[string]string
}

// Blocks are the settings that keep others from an index.
type Blocks struct {
	Write               bool // index.blocks.write
	ReadOnly            bool // index.blocks.read_only
	ReadOnlyAllowDelete bool // index.blocks.read_only_allow_delete, set by the engine on a full disk
	Read                bool // index.blocks.read
	Metadata            bool // index.blocks.metadata
	Hidden              bool // index.hidden: wildcards do not match the index
}

// Settings reads the settings of an index, of the members of an alias, or of all
// indices that a pattern with * matches, hidden and closed ones included. The
// result is by concrete name.
//
// Errors: IsNotFound when a name without * does not exist.
func (c *Client) Settings(ctx context.Context, index string) (map[string]IndexSettings, error) {
	if err := checkName("index or pattern", strings.ReplaceAll(index, "*", "x")); err != nil {
		return nil, fmt.Errorf("%q is not the name or pattern of an index", index)
	}
	op := "reading the settings of " + index
	var answer map[string]struct {
		Settings map[string]json.RawMessage `json:"settings"`
	}
	request := esapi.IndicesGetSettingsRequest{
		Index:           []string{index},
		FlatSettings:    esapi.BoolPtr(true),
		ExpandWildcards: "all",
	}
	if err := c.call(ctx, op, request, &answer); err != nil {
		return nil, err
	}
	result := make(map[string]IndexSettings, len(answer))
	for name, entry := range answer {
		flat := make(map[string]string, len(entry.Settings))
		for key, raw := range entry.Settings {
			flat[key] = settingText(raw)
		}
		if flat["index.uuid"] == "" {
			return nil, &Error{Op: op, Status: http.StatusOK, err: ErrNotAnEngine}
		}
		isSet := func(key string) bool { return flat[key] == "true" }
		result[name] = IndexSettings{
			Name: name,
			UUID: flat["index.uuid"],
			Blocks: Blocks{
				Write:               isSet("index.blocks.write"),
				ReadOnly:            isSet("index.blocks.read_only"),
				ReadOnlyAllowDelete: isSet("index.blocks.read_only_allow_delete"),
				Read:                isSet("index.blocks.read"),
				Metadata:            isSet("index.blocks.metadata"),
				Hidden:              isSet("index.hidden"),
			},
			// Set by the engine's close, and taken off by its open.
			Closed: isSet("index.verified_before_close"),
			Flat:   flat,
		}
	}
	return result, nil
}

// settingText is a string setting's text, and the JSON text of anything else.
func settingText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// PutSettings changes settings of one index in one call. A nil value gives a
// setting back to its default.
func (c *Client) PutSettings(ctx context.Context, index string, settings map[string]any) error {
	if err := checkName("index", index); err != nil {
		return err
	}
	op := "changing the settings of " + index
	var answer acknowledged
	request := esapi.IndicesPutSettingsRequest{Index: []string{index}, Body: body(settings)}
	if err := c.call(ctx, op, request, &answer); err != nil {
		return err
	}
	return answer.err(op)
}

// BlockWrite stops writes to the index and waits until those in flight are done:
// after it the content stands still. The engine may have set the block even when
// an error is returned (OpenSearch does when a right is missing), so give it back
// in that case too.
func (c *Client) BlockWrite(ctx context.Context, index string) error {
	if err := checkName("index", index); err != nil {
		return err
	}
	done, err := c.blockWrite(ctx, index)
	if err != nil || done {
		return err
	}
	// The block was there before, so the engine has waited for nothing. Setting it
	// anew is the only way to be sure that no write is still in flight.
	if err := c.PutSettings(ctx, index, map[string]any{"index.blocks.write": nil}); err != nil {
		return fmt.Errorf("setting the write block anew: %w", err)
	}
	done, err = c.blockWrite(ctx, index)
	if err == nil && !done {
		return &Error{Op: "blocking writes to " + index, Status: http.StatusOK, err: errNotAcknowledged}
	}
	return err
}

// blockWrite calls the engine once. It returns false without an error when the
// index had the block already.
func (c *Client) blockWrite(ctx context.Context, index string) (bool, error) {
	op := "blocking writes to " + index
	type failures []struct {
		Reason errorBody `json:"reason"`
	}
	var answer struct {
		acknowledged
		ShardsAcknowledged *bool `json:"shards_acknowledged"`
		Indices            []struct {
			Exception *errorBody `json:"exception"`
			Shards    []struct {
				Failures failures `json:"failures"`
			} `json:"shards"`
			FailedShards []struct {
				Failures failures `json:"failures"`
			} `json:"failed_shards"`
		} `json:"indices"`
	}
	request := esapi.IndicesAddBlockRequest{Index: []string{index}, Block: "write"}
	if err := c.call(ctx, op, request, &answer); err != nil {
		return false, err
	}
	if answer.Acknowledged == nil || answer.ShardsAcknowledged == nil {
		return false, &Error{Op: op, Status: http.StatusOK, err: ErrNotAnEngine}
	}
	if *answer.Acknowledged && *answer.ShardsAcknowledged {
		return true, nil
	}
	if *answer.Acknowledged && len(answer.Indices) == 0 {
		return false, nil
	}
	e := &Error{Op: op, Status: http.StatusOK, err: errNotAcknowledged}
	for _, entry := range answer.Indices {
		if entry.Exception != nil {
			entry.Exception.fill(e)
		}
		for _, shard := range append(entry.Shards, entry.FailedShards...) {
			if len(shard.Failures) > 0 {
				shard.Failures[0].Reason.fill(e)
			}
		}
	}
	if e.Type == "security_exception" {
		e.Status, e.err = http.StatusForbidden, nil // so that IsUnauthorized sees it
	}
	return false, e
}
