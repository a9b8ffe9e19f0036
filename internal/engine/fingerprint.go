package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// Fingerprint says what "the same content" means: two equal fingerprints were
// read from the same index with the same documents, mapping and settings. Blocks,
// replicas, merges, refreshes and restarts do not change it.
type Fingerprint struct {
	UUID     string       `json:"uuid"`
	Shards   []ShardState `json:"shards"`
	Docs     int64        `json:"docs"`     // root documents that a search can see
	Mapping  string       `json:"mapping"`  // SHA-256 of the canonical mapping
	Settings string       `json:"settings"` // SHA-256 of the settings that matter

	// Only in a full fingerprint.
	ClusterUUID string            `json:"clusterUUID,omitempty"`
	SynonymSets map[string]string `json:"synonymSets,omitempty"` // SHA-256 by name, or "unreadable"
}

// ShardState is the history of one primary shard. Each write raises MaxSeqNo by
// one; a restore or a forced allocation begins a new history.
type ShardState struct {
	Shard       int    `json:"shard"`
	HistoryUUID string `json:"historyUUID"`
	MaxSeqNo    int64  `json:"maxSeqNo"` // -1: nothing was ever written
}

// Digest is the SHA-256 of everything in the fingerprint.
func (f Fingerprint) Digest() string {
	raw, err := json.Marshal(f) // maps are written in the order of their keys
	if err != nil {
		panic(fmt.Sprintf("encoding a fingerprint: %v", err))
	}
	return "sha256:" + sum(raw)
}

// Content is the fingerprint without what only the controller may read: the
// cluster's UUID and the synonym sets.
func (f Fingerprint) Content() Fingerprint {
	f.ClusterUUID, f.SynonymSets = "", nil
	return f
}

// Equal tells whether both say the same.
func (f Fingerprint) Equal(other Fingerprint) bool { return f.Digest() == other.Digest() }

// Fingerprint reads the content's fingerprint of one concrete index. Documents
// count once they are refreshed, so refresh the index first if its own refresh is
// slow or off.
//
// Errors: ErrNotSettled while writes are being processed or when the index was
// replaced during the reading; IsUnavailable when a primary shard is not
// assigned; IsNotFound.
func (c *Client) Fingerprint(ctx context.Context, index string) (Fingerprint, error) {
	f, _, err := c.fingerprint(ctx, index)
	return f, err
}

// FullFingerprint is Fingerprint plus the cluster's UUID and the synonym sets
// that the settings name, as far as they can be read. It needs the right to ask
// GET /.
func (c *Client) FullFingerprint(ctx context.Context, index string) (Fingerprint, error) {
	info, err := c.Info(ctx)
	if err != nil {
		return Fingerprint{}, err
	}
	f, settings, err := c.fingerprint(ctx, index)
	if err != nil {
		return Fingerprint{}, err
	}
	f.ClusterUUID = info.ClusterUUID
	for key, name := range settings.Flat {
		if !strings.HasPrefix(key, "index.analysis.filter.") || !strings.HasSuffix(key, ".synonyms_set") {
			continue
		}
		digest, err := c.synonymSet(ctx, name)
		if err != nil {
			return Fingerprint{}, err
		}
		if f.SynonymSets == nil {
			f.SynonymSets = map[string]string{}
		}
		f.SynonymSets[name] = digest
	}
	return f, nil
}

func (c *Client) fingerprint(ctx context.Context, index string) (Fingerprint, IndexSettings, error) {
	if err := checkName("index", index); err != nil {
		return Fingerprint{}, IndexSettings{}, err
	}
	op := "reading the fingerprint of " + index
	fail := func(err error) (Fingerprint, IndexSettings, error) {
		return Fingerprint{}, IndexSettings{}, err
	}
	all, err := c.Settings(ctx, index)
	if err != nil {
		return fail(err)
	}
	settings, ok := all[index]
	if !ok {
		return fail(fmt.Errorf("%s: the name is an alias or a data stream, not a concrete index", op))
	}
	f := Fingerprint{UUID: settings.UUID, Settings: settingsDigest(settings.Flat)}

	primaries, err := strconv.Atoi(settings.Flat["index.number_of_shards"])
	if err != nil {
		return fail(&Error{Op: op, Status: http.StatusOK, err: ErrNotAnEngine})
	}
	statsUUID, states, err := c.shardStates(ctx, op, index)
	if err != nil {
		return fail(err)
	}
	if statsUUID != f.UUID { // deleted and made anew between the two calls
		return fail(&Error{Op: op, err: ErrNotSettled})
	}
	if len(states) != primaries {
		return fail(&Error{Op: op, Status: http.StatusServiceUnavailable,
			Reason: fmt.Sprintf("%d of %d primary shards answered", len(states), primaries)})
	}
	f.Shards = states

	if f.Docs, err = c.Count(ctx, index); err != nil {
		return fail(err)
	}
	if f.Mapping, err = c.mappingDigest(ctx, op, index); err != nil {
		return fail(err)
	}
	return f, settings, nil
}

// shardStates reads the primary shards' histories, in order, and the UUID of the
// index that they belong to.
func (c *Client) shardStates(ctx context.Context, op, index string) (string, []ShardState, error) {
	var answer struct {
		Shards  *shards `json:"_shards"`
		Indices map[string]struct {
			UUID   string `json:"uuid"`
			Shards map[string][]struct {
				Routing struct {
					Primary bool `json:"primary"`
				} `json:"routing"`
				Commit struct {
					UserData struct {
						HistoryUUID string `json:"history_uuid"`
					} `json:"user_data"`
				} `json:"commit"`
				SeqNo *struct {
					Max    int64 `json:"max_seq_no"`
					Local  int64 `json:"local_checkpoint"`
					Global int64 `json:"global_checkpoint"`
				} `json:"seq_no"`
			} `json:"shards"`
		} `json:"indices"`
	}
	request := esapi.IndicesStatsRequest{Index: []string{index}, Metric: []string{"docs"}, Level: "shards"}
	if err := c.call(ctx, op, request, &answer); err != nil {
		return "", nil, err
	}
	if err := answer.Shards.err(op); err != nil {
		return "", nil, err
	}
	var states []ShardState
	for number, copies := range answer.Indices[index].Shards {
		shard, err := strconv.Atoi(number)
		if err != nil {
			return "", nil, &Error{Op: op, Status: http.StatusOK, err: ErrNotAnEngine}
		}
		for _, each := range copies {
			if !each.Routing.Primary {
				continue
			}
			history, seqNo := each.Commit.UserData.HistoryUUID, each.SeqNo
			if history == "" || seqNo == nil { // a shard that is just starting or closing
				return "", nil, &Error{Op: op, err: ErrNotSettled}
			}
			if seqNo.Local != seqNo.Max || seqNo.Global != seqNo.Max {
				return "", nil, &Error{Op: op, err: ErrNotSettled}
			}
			states = append(states, ShardState{Shard: shard, HistoryUUID: history, MaxSeqNo: seqNo.Max})
		}
	}
	slices.SortFunc(states, func(a, b ShardState) int { return a.Shard - b.Shard })
	return answer.Indices[index].UUID, states, nil
}

func (c *Client) mappingDigest(ctx context.Context, op, index string) (string, error) {
	var answer map[string]struct {
		Mappings json.RawMessage `json:"mappings"`
	}
	if err := c.call(ctx, op, esapi.IndicesGetMappingRequest{Index: []string{index}}, &answer); err != nil {
		return "", err
	}
	canonical, err := canonicalJSON(answer[index].Mappings)
	if err != nil {
		return "", &Error{Op: op, Status: http.StatusOK, err: ErrNotAnEngine}
	}
	return sum(canonical), nil
}

// canonicalJSON rewrites JSON with sorted keys and no spaces, numbers untouched.
func canonicalJSON(raw json.RawMessage) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// settingsDigest hashes the settings that can change what a search returns.
func settingsDigest(flat map[string]string) string {
	kept := make(map[string]string, len(flat))
	for key, value := range flat {
		if !setByOperation(key) {
			kept[key] = value
		}
	}
	raw, err := json.Marshal(kept)
	if err != nil {
		panic(fmt.Sprintf("encoding settings: %v", err))
	}
	return sum(raw)
}

// setByOperation: settings that run the index, and do not change what it holds.
// Our own lock is among them.
func setByOperation(key string) bool {
	switch key {
	case "index.hidden",
		// Written by Elasticsearch 9 beside a write block, and by a close.
		"index.verified_read_only", "index.verified_before_close",
		"index.number_of_replicas", "index.auto_expand_replicas", "index.refresh_interval":
		return true
	}
	return strings.HasPrefix(key, "index.blocks.") || strings.HasPrefix(key, "index.routing.")
}

// unreadable stands for the digest of a synonym set that may not be read.
const unreadable = "unreadable"

// synonymSet hashes all rules of a synonym set (Elasticsearch 8.10 and later).
func (c *Client) synonymSet(ctx context.Context, name string) (string, error) {
	if checkName("synonym set", name) != nil {
		return unreadable, nil
	}
	const page = 10000 // the most that one call returns, and the default limit of a set
	hash := sha256.New()
	for from := 0; ; {
		var answer struct {
			Count *int              `json:"count"`
			Rules []json.RawMessage `json:"synonyms_set"`
		}
		size := page
		request := esapi.SynonymsGetSynonymRequest{DocumentID: name, From: &from, Size: &size}
		err := c.call(ctx, "reading the synonym set "+name, request, &answer)
		if IsUnavailable(err) || IsNotAnEngine(err) {
			return "", err
		}
		if err != nil || answer.Count == nil { // no right, no such set, no such API
			return unreadable, nil
		}
		for _, rule := range answer.Rules {
			canonical, err := canonicalJSON(rule)
			if err != nil {
				return unreadable, nil
			}
			hash.Write(append(canonical, '\n'))
		}
		from += len(answer.Rules)
		if from >= *answer.Count || len(answer.Rules) == 0 {
			return hex.EncodeToString(hash.Sum(nil)), nil
		}
	}
}

func sum(raw []byte) string {
	digest := sha256.Sum256(raw)
	return hex.EncodeToString(digest[:])
}
