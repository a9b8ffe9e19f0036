package engine

import (
	"context"
	"net/http"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// Refresh makes everything written to the index searchable. A shard that fails
// is an error.
func (c *Client) Refresh(ctx context.Context, index string) error {
	if err := checkName("index", index); err != nil {
		return err
	}
	op := "refreshing the index " + index
	var answer struct {
		Shards *shards `json:"_shards"`
	}
	if err := c.call(ctx, op, esapi.IndicesRefreshRequest{Index: []string{index}}, &answer); err != nil {
		return err
	}
	return answer.Shards.err(op)
}

// Count counts the root documents that a search can see; nested documents are not
// counted apart. A shard that fails is an error.
func (c *Client) Count(ctx context.Context, index string) (int64, error) {
	if err := checkName("index", index); err != nil {
		return 0, err
	}
	op := "counting the documents of " + index
	var answer struct {
		Count  *int64  `json:"count"`
		Shards *shards `json:"_shards"`
	}
	if err := c.call(ctx, op, esapi.CountRequest{Index: []string{index}}, &answer); err != nil {
		return 0, err
	}
	if err := answer.Shards.err(op); err != nil {
		return 0, err
	}
	if answer.Count == nil {
		return 0, &Error{Op: op, Status: http.StatusOK, err: ErrNotAnEngine}
	}
	return *answer.Count, nil
}

// Health is the index's health: green, yellow or red.
func (c *Client) Health(ctx context.Context, index string) (string, error) {
	if err := checkName("index", index); err != nil {
		return "", err
	}
	op := "asking for the health of " + index
	var answer struct {
		Status string `json:"status"`
	}
	// The engine waits for an index that does not exist, and then answers 408 with
	// the health red. One second spares us its 30.
	request := esapi.ClusterHealthRequest{Index: []string{index}, Timeout: time.Second}
	if _, err := c.callStatus(ctx, op, request, &answer, http.StatusRequestTimeout); err != nil {
		return "", err
	}
	switch answer.Status {
	case "green", "yellow", "red":
		return answer.Status, nil
	}
	return "", &Error{Op: op, Status: http.StatusOK, err: ErrNotAnEngine}
}
