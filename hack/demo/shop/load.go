package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// product is one product as the file holds it, with a text for each language.
type product struct {
	ExternalID string          `json:"externalId"`
	Brand      string          `json:"brand"`
	Category   string          `json:"category"`
	Price      json.RawMessage `json:"price"`
	ES         text            `json:"es"`
	EN         text            `json:"en"`
}

type text struct {
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Attributes  [][2]string `json:"attributes"`
}

// document is one product as an index of one language holds it.
type document struct {
	ExternalID     string          `json:"externalId"`
	Brand          string          `json:"brand"`
	Category       string          `json:"category"`
	Price          json.RawMessage `json:"price"`
	Name           string          `json:"name"`
	Description    string          `json:"description"`
	AttributesText string          `json:"attributesText"`
}

func (p product) in(language string) document {
	t := p.ES
	if language == "en" {
		t = p.EN
	}
	attributes := make([]string, 0, len(t.Attributes))
	for _, pair := range t.Attributes {
		attributes = append(attributes, pair[0]+" "+pair[1])
	}
	return document{
		ExternalID: p.ExternalID, Brand: p.Brand, Category: p.Category, Price: p.Price,
		Name: t.Name, Description: t.Description, AttributesText: strings.Join(attributes, " "),
	}
}

// load makes the index anew, with the products in the file's order in one
// request: so every load gives the same rankings.
func (e engine) load(ctx context.Context, o options) error {
	if o.language != "es" && o.language != "en" {
		return fmt.Errorf("--language is %q; it must be es or en", o.language)
	}
	mapping, err := markedMapping(o.mapping)
	if err != nil {
		return err
	}
	bulk, products, err := bulkOf(o.products, o.language)
	if err != nil {
		return err
	}

	if err := e.mustBeOurs(ctx, o.index); err != nil {
		return err
	}
	if err := e.call(ctx, http.MethodDelete, "/"+o.index+"?ignore_unavailable=true", nil, nil); err != nil {
		return err
	}
	if err := e.call(ctx, http.MethodPut, "/"+o.index, mapping, nil); err != nil {
		return err
	}
	var answer struct {
		Errors bool `json:"errors"`
	}
	if err := e.call(ctx, http.MethodPost, "/"+o.index+"/_bulk?refresh=true", bulk, &answer); err != nil {
		return err
	}
	if answer.Errors {
		return fmt.Errorf("the engine refused some of the products for %s", o.index)
	}
	var count struct {
		Count int `json:"count"`
	}
	if err := e.call(ctx, http.MethodGet, "/"+o.index+"/_count", nil, &count); err != nil {
		return err
	}
	if count.Count != products {
		return fmt.Errorf("%s holds %d documents; it should hold %d", o.index, count.Count, products)
	}
	return nil
}

// markedMapping is the body that makes the index, with our mark in it.
func markedMapping(file string) ([]byte, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var body struct {
		Settings map[string]any `json:"settings"`
		Mappings map[string]any `json:"mappings"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	body.Mappings["_meta"] = map[string]string{markKey: mark}
	return json.Marshal(body)
}

// bulkOf is the request that indexes all products, and their number.
func bulkOf(file, language string) ([]byte, int, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, 0, err
	}
	var products []product
	if err := json.Unmarshal(raw, &products); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", file, err)
	}
	var body bytes.Buffer
	lines := json.NewEncoder(&body)
	for _, p := range products {
		action := map[string]any{"index": map[string]string{"_id": p.ExternalID}}
		for _, line := range []any{action, p.in(language)} {
			if err := lines.Encode(line); err != nil {
				return nil, 0, err
			}
		}
	}
	return body.Bytes(), len(products), nil
}
