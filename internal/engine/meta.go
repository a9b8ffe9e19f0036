package engine

import (
	"context"
	"encoding/json"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// Meta reads the _meta of an index's mapping: what those who build indices
// write there about them. Values are JSON texts; an index without _meta has
// none.
//
// Errors: IsNotFound when the index does not exist.
func (c *Client) Meta(ctx context.Context, index string) (map[string]json.RawMessage, error) {
	if err := checkName("index", index); err != nil {
		return nil, err
	}
	var answer map[string]struct {
		Mappings struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"mappings"`
	}
	request := esapi.IndicesGetMappingRequest{Index: []string{index}}
	if err := c.call(ctx, "reading the mapping of "+index, request, &answer); err != nil {
		return nil, err
	}
	return answer[index].Mappings.Meta, nil
}
