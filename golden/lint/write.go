package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/relevance-gate/relevance-gate/golden"
)

// Schema names the form of the JSON document.
const Schema = "relevancegate.dev/lint/v1"

// Text writes a finding a line, and last how many there are.
func Text(out io.Writer, set *golden.Set, findings []Finding) error {
	var text strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&text, "%s:%d: %s: %s (%s; silence it by %s)\n", f.Place.File, f.Place.Line, f.Level, f.Message, f.Rule, f.Silence())
	}
	count := fmt.Sprintf("%d findings", len(findings))
	switch len(findings) {
	case 0:
		count = "no findings"
	case 1:
		count = "1 finding"
	}
	fmt.Fprintf(&text, "%s in %d queries with %d judgments\n", count, len(set.Queries), set.JudgmentCount())
	_, err := io.WriteString(out, text.String())
	return err
}

// JSON writes one document with everything.
func JSON(out io.Writer, set *golden.Set, findings []Finding) error {
	type finding struct {
		Finding
		File    string `json:"file"`
		Line    int    `json:"line"`
		Silence string `json:"silence"`
	}
	document := struct {
		Schema    string    `json:"schema"`
		Content   string    `json:"content"` // the set's content digest
		Queries   int       `json:"queries"`
		Judgments int       `json:"judgments"`
		Notes     []string  `json:"notes"`
		Findings  []finding `json:"findings"`
	}{Schema: Schema, Content: set.Digest(), Queries: len(set.Queries), Judgments: set.JudgmentCount(), Notes: []string{}, Findings: []finding{}}
	document.Notes = append(document.Notes, set.Notes...)
	for _, f := range findings {
		document.Findings = append(document.Findings, finding{f, f.Place.File, f.Place.Line, f.Silence()})
	}
	return encode(out, document)
}

func encode(out io.Writer, document any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(document)
}

// GitHub writes workflow commands, which GitHub shows beside the lines of a pull request.
func GitHub(out io.Writer, findings []Finding) error {
	commands := map[Level]string{LevelError: "error", LevelWarning: "warning", LevelNote: "notice"}
	value := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var text strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&text, "::%s file=%s,line=%d,title=%s::%s\n", commands[f.Level], property.Replace(f.Place.File), f.Place.Line,
			property.Replace(f.Rule), value.Replace(f.Message+" (silence it by "+f.Silence()+")"))
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// The parts of SARIF 2.1.0 (OASIS standard of 2020-03-27) that findings need.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string        `json:"id"`
		ShortDescription sarifText     `json:"shortDescription"`
		Help             sarifText     `json:"help"`
		Default          sarifSettings `json:"defaultConfiguration"`
	}
	sarifSettings struct {
		Level Level `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     Level           `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
)

// SARIF writes a log of SARIF 2.1.0.
func SARIF(out io.Writer, findings []Finding) error {
	driver := sarifDriver{Name: "relevance-gate lint"}
	index := map[string]int{}
	for i, rule := range Rules {
		index[rule.Name] = i
		driver.Rules = append(driver.Rules, sarifRule{
			ID: rule.Name, ShortDescription: sarifText{rule.What}, Help: sarifText{"Silence it by --ignore " + rule.Name + "."}, Default: sarifSettings{rule.Level},
		})
	}
	results := []sarifResult{}
	for _, f := range findings {
		file := url.URL{Path: filepath.ToSlash(f.Place.File)}
		results = append(results, sarifResult{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: f.Level, Message: sarifText{f.Message + " (silence it by " + f.Silence() + ")"},
			Locations: []sarifLocation{{sarifPhysical{sarifArtifact{file.String()}, sarifRegion{max(1, f.Place.Line)}}}},
		})
	}
	return encode(out, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{Tool: sarifTool{driver}, Results: results}},
	})
}
