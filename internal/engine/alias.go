package engine

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"
)

// AliasMember is one index that an alias points at, with the properties that
// belong to this pair.
type AliasMember struct {
	Index         string          // for an alias on a data stream: the stream
	Filter        json.RawMessage // nil: none
	IndexRouting  string
	SearchRouting string
	IsWriteIndex  *bool
	IsHidden      *bool
}

// Alias reads the indices that an alias points at, sorted by name. An alias that
// does not exist has none.
//
// It asks GET /{alias}/_alias, which a role with rights on the alias and its
// indices may do; GET /_alias/{alias} wants rights on everything.
//
// Errors: ErrAliasIsIndex, ErrAliasIsDataStream; IsUnauthorized also when the
// alias points at an index outside the role's patterns.
func (c *Client) Alias(ctx context.Context, alias string) ([]AliasMember, error) {
	op := "reading the alias " + alias
	found, err := c.aliases(ctx, op, "alias", alias)
	if IsNotFound(err) {
		// OpenSearch says the same of a data stream.
		if c.isDataStream(ctx, alias) {
			return nil, &Error{Op: op, err: ErrAliasIsDataStream}
		}
		return []AliasMember{}, nil
	}
	if err != nil {
		return nil, err
	}
	members := []AliasMember{}
	for index, aliases := range found {
		member, ok := aliases[alias]
		switch {
		case ok:
			member.Index = index
			members = append(members, member)
		case index != alias || c.isDataStream(ctx, alias): // a stream, or its backing indices
			return nil, &Error{Op: op, err: ErrAliasIsDataStream}
		default:
			return nil, &Error{Op: op, err: ErrAliasIsIndex}
		}
	}
	slices.SortFunc(members, func(a, b AliasMember) int { return strings.Compare(a.Index, b.Index) })
	return members, nil
}

// IndexAliases reads the names of all aliases that point at one concrete index,
// sorted.
//
// Errors: IsNotFound when the index does not exist.
func (c *Client) IndexAliases(ctx context.Context, index string) ([]string, error) {
	found, err := c.aliases(ctx, "reading the aliases of "+index, "index", index)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for name := range found[index] {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// aliases reads, by index, the aliases of everything that name stands for.
func (c *Client) aliases(ctx context.Context, op, kind, name string) (map[string]map[string]AliasMember, error) {
	if err := checkName(kind, name); err != nil {
		return nil, err
	}
	var answer map[string]struct {
		Aliases map[string]struct {
			Filter        json.RawMessage `json:"filter"`
			IndexRouting  string          `json:"index_routing"`
			SearchRouting string          `json:"search_routing"`
			IsWriteIndex  *bool           `json:"is_write_index"`
			IsHidden      *bool           `json:"is_hidden"`
		} `json:"aliases"`
	}
	if err := c.call(ctx, op, esapi.IndicesGetAliasRequest{Index: []string{name}}, &answer); err != nil {
		return nil, err
	}
	result := map[string]map[string]AliasMember{}
	for index, entry := range answer {
		if entry.Aliases == nil {
			return nil, &Error{Op: op, Status: http.StatusOK, err: ErrNotAnEngine}
		}
		result[index] = map[string]AliasMember{}
		for alias, a := range entry.Aliases {
			result[index][alias] = AliasMember{
				Index: index, Filter: a.Filter, IndexRouting: a.IndexRouting, SearchRouting: a.SearchRouting,
				IsWriteIndex: a.IsWriteIndex, IsHidden: a.IsHidden,
			}
		}
	}
	return result, nil
}

// isDataStream tells whether name is a data stream: its settings are those of its
// backing indices, whose names begin with .ds- and the stream's. Not knowing
// counts as no.
func (c *Client) isDataStream(ctx context.Context, name string) bool {
	settings, err := c.Settings(ctx, name)
	if err != nil {
		return false
	}
	for index := range settings {
		if strings.HasPrefix(index, ".ds-"+name+"-") {
			return true
		}
	}
	return false
}

// aliasTimeout bounds how long the engine tries to change an alias.
const aliasTimeout = 10 * time.Second

// AliasAction is one step of UpdateAliases. Make it with AddAlias or RemoveAlias.
type AliasAction struct {
	add    *addAction
	remove *removeAction
}

type addAction struct {
	Index         string          `json:"index"`
	Alias         string          `json:"alias"`
	Filter        json.RawMessage `json:"filter,omitempty"`
	IndexRouting  string          `json:"index_routing,omitempty"`
	SearchRouting string          `json:"search_routing,omitempty"`
	IsWriteIndex  *bool           `json:"is_write_index,omitempty"`
	IsHidden      *bool           `json:"is_hidden,omitempty"`
}

type removeAction struct {
	Index string `json:"index"`
	Alias string `json:"alias"`
	// Without it a remove that matches nothing is silently acknowledged while the
	// other actions are carried out (elastic/elasticsearch#106514).
	MustExist bool `json:"must_exist"`
}

// AddAlias points alias at member.Index with member's properties.
func AddAlias(alias string, member AliasMember) AliasAction {
	return AliasAction{add: &addAction{
		Index: member.Index, Alias: alias, Filter: member.Filter,
		IndexRouting: member.IndexRouting, SearchRouting: member.SearchRouting,
		IsWriteIndex: member.IsWriteIndex, IsHidden: member.IsHidden,
	}}
}

// RemoveAlias takes alias from index. The whole call is refused when the alias is
// not there.
func RemoveAlias(alias, index string) AliasAction {
	return AliasAction{remove: &removeAction{Index: index, Alias: alias, MustExist: true}}
}

// UpdateAliases carries out the actions at once, or none of them. Neither its
// success nor its error proves where the alias points: read it back.
//
// Errors: IsNotFound when a removed alias was not there, which a repeated call
// also meets; IsBlocked when an index is read_only; a partial success that
// Elasticsearch 8.14 and later admit by `errors: true`.
func (c *Client) UpdateAliases(ctx context.Context, actions []AliasAction) error {
	const op = "changing the alias"
	var list []any
	for _, action := range actions {
		index, alias := "", ""
		if action.add != nil {
			index, alias = action.add.Index, action.add.Alias
			list = append(list, map[string]any{"add": action.add})
		} else if action.remove != nil {
			index, alias = action.remove.Index, action.remove.Alias
			list = append(list, map[string]any{"remove": action.remove})
		}
		// A wildcard would slip past the lock, and date math would change the name.
		if err := checkName("index", index); err != nil {
			return err
		}
		if err := checkName("alias", alias); err != nil {
			return err
		}
	}
	var answer struct {
		acknowledged
		Errors  bool `json:"errors"`
		Results []struct {
			Status int        `json:"status"`
			Error  *errorBody `json:"error"`
		} `json:"action_results"`
	}
	request := esapi.IndicesUpdateAliasesRequest{
		Body: body(map[string]any{"actions": list}),
		// A change that still waits in the master's queue after this is dropped, and
		// does not surprise anyone later.
		MasterTimeout: aliasTimeout,
		Timeout:       aliasTimeout,
	}
	if err := c.call(ctx, op, request, &answer); err != nil {
		return err
	}
	if answer.Errors {
		e := &Error{Op: op, Status: http.StatusOK, Type: "partial_alias_change", Reason: "some of the actions were not carried out"}
		for _, result := range answer.Results {
			if result.Error != nil {
				e.Status = result.Status
				result.Error.fill(e)
				break
			}
		}
		return e
	}
	return answer.err(op)
}
