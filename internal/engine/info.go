package engine

import (
	"context"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// Info is what an engine says about itself.
type Info struct {
	ClusterUUID  string
	Version      string
	Distribution string // Elasticsearch or OpenSearch
}

// Info asks GET /. It needs the right cluster:monitor/main, which the evaluator's
// role lacks on purpose.
//
// Errors: IsNotAnEngine when the answer is not that of an engine; IsUnavailable
// when the cluster has not formed yet.
func (c *Client) Info(ctx context.Context) (Info, error) {
	const op = "asking the engine for its version"
	var answer struct {
		ClusterUUID string `json:"cluster_uuid"`
		Tagline     string `json:"tagline"`
		Version     struct {
			Number       string `json:"number"`
			Distribution string `json:"distribution"`
		} `json:"version"`
	}
	status, err := c.callStatus(ctx, op, esapi.InfoRequest{}, &answer)
	if err != nil {
		return Info{}, err
	}
	if answer.ClusterUUID == "" || answer.Tagline == "" || answer.Version.Number == "" {
		return Info{}, &Error{Op: op, Status: status, err: ErrNotAnEngine}
	}
	if answer.ClusterUUID == "_na_" { // no master has been elected since the node started
		return Info{}, &Error{Op: op, Status: 503, Reason: "the cluster has not formed yet"}
	}
	info := Info{ClusterUUID: answer.ClusterUUID, Version: answer.Version.Number, Distribution: Elasticsearch}
	if answer.Version.Distribution == "opensearch" {
		info.Distribution = OpenSearch
	}
	// OpenSearch can be told to pass itself off as Elasticsearch 7.10, so what
	// the user declared counts.
	if c.distribution != "" {
		info.Distribution = c.distribution
	}
	return info, nil
}
