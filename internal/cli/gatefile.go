package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/relevance-gate/relevance-gate/api/v1alpha1"
	"github.com/relevance-gate/relevance-gate/internal/report"
	"github.com/relevance-gate/relevance-gate/internal/verdict"
)

const gateKind = "RelevanceGate"

// gateFile is a gate that was read from a file, and where in it each field is.
type gateFile struct {
	name  string
	gate  *v1alpha1.RelevanceGate
	lines map[string]int // by path, such as spec.metrics[0].min
}

// errorf is an error about the field at path.
func (f *gateFile) errorf(path, format string, args ...any) error {
	return fmt.Errorf("%s: line %d: %s "+format, append([]any{f.name, f.line(path), path}, args...)...)
}

// line is that of the field, or of the nearest one around it that is there.
func (f *gateFile) line(path string) int {
	for {
		if line, found := f.lines[path]; found {
			return line
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			return f.lines[""]
		}
		path = path[:cut]
	}
}

// has says that the field at path is written in the file.
func (f *gateFile) has(path string) bool {
	_, found := f.lines[path]
	return found
}

// gateName is the gate's name, or else its alias.
func (f *gateFile) gateName() string { return cmp.Or(f.gate.Name, f.gate.Spec.Alias) }

// placeOf tells where in the file of that path a limit is written; nil for the
// standard input.
func (f *gateFile) placeOf(path string) func(verdict.LimitVerdict) report.Place {
	if path == "-" {
		return nil
	}
	return func(limit verdict.LimitVerdict) report.Place {
		field := "spec"
		switch limit.Kind {
		case verdict.Min, verdict.MaxDrop:
			field = fmt.Sprintf("spec.metrics[%d].%s", limit.Position, limit.Kind)
		case verdict.SegmentMin:
			field = fmt.Sprintf("spec.segments.limits[%d]", limit.Position)
		case verdict.MaxQueries, verdict.Protected:
			field = fmt.Sprintf("spec.regressions.%s", limit.Kind)
		}
		return report.Place{File: path, Line: f.line(field)}
	}
}

// readGateFile reads the one gate of a file, which may hold other objects too.
// A name of - is the standard input.
func readGateFile(name string, in io.Reader) (*gateFile, error) {
	var raw []byte
	var err error
	if name == "-" {
		name = stdinSource
		raw, err = io.ReadAll(in)
	} else {
		raw, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, err
	}
	var found *gateFile
	for _, document := range splitDocuments(raw) {
		file, err := readDocument(filepath.Base(name), document)
		if err != nil {
			return nil, err
		}
		if file == nil {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("%s: lines %d and %d each begin a %s; a file must hold exactly one", file.name, found.lines[""], file.lines[""], gateKind)
		}
		found = file
	}
	if found == nil {
		return nil, fmt.Errorf("%s: there is no %s in it", filepath.Base(name), gateKind)
	}
	return found, nil
}

var documentEnd = regexp.MustCompile(`(?m)^---([ \t].*)?\r?$`)

// splitDocuments cuts a file into its YAML documents. Each keeps its place: the
// lines before it are blank.
func splitDocuments(raw []byte) [][]byte {
	var documents [][]byte
	from := 0
	for _, end := range append(documentEnd.FindAllIndex(raw, -1), []int{len(raw), len(raw)}) {
		blank := bytes.Repeat([]byte("\n"), bytes.Count(raw[:from], []byte("\n")))
		documents = append(documents, append(blank, raw[from:end[0]]...))
		from = end[1]
	}
	return documents
}

// readDocument returns nil for a document that is no gate. kubectl's own reader
// says what the document means; the other one knows the lines.
func readDocument(name string, document []byte) (*gateFile, error) {
	var node yaml.Node
	if err := yaml.Unmarshal(document, &node); err != nil {
		return nil, fmt.Errorf("%s: %s", name, yamlProblem(err))
	}
	if node.Kind == 0 {
		return nil, nil
	}
	file := &gateFile{name: name, lines: map[string]int{}}
	if line := file.addLines("", node.Content[0]); line > 0 {
		return nil, fmt.Errorf(`%s: line %d: a placeholder must be in quotes: "{{query}}"`, name, line)
	}
	asJSON, err := sigsyaml.YAMLToJSONStrict(document)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, yamlProblem(err))
	}
	var object map[string]any
	decoder := json.NewDecoder(bytes.NewReader(asJSON))
	decoder.UseNumber()
	if decoder.Decode(&object) != nil || object["kind"] != gateKind {
		return nil, nil
	}
	if version := v1alpha1.GroupVersion.String(); object["apiVersion"] != version {
		return nil, file.errorf("apiVersion", "is %v, want %s", object["apiVersion"], version)
	}
	delete(object, "status") // It says what was, and decides nothing.
	dropNulls(object)
	file.gate = &v1alpha1.RelevanceGate{}
	if err := file.checkTypes("", object, file.gate); err != nil {
		return nil, err
	}
	if asJSON, err = json.Marshal(object); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(asJSON, file.gate); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

// addLines notes the line of every field. It returns the line of a key that is
// no text, which is what {{query}} without quotes looks like, or 0.
func (f *gateFile) addLines(path string, node *yaml.Node) int {
	f.lines[path] = node.Line
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i], node.Content[i+1]
			if key.Kind != yaml.ScalarNode {
				return key.Line
			}
			at := joinPath(path, key.Value)
			if line := f.addLines(at, value); line > 0 {
				return line
			}
			f.lines[at] = key.Line
		}
	case yaml.SequenceNode:
		for i, item := range node.Content {
			if line := f.addLines(fmt.Sprintf("%s[%d]", path, i), item); line > 0 {
				return line
			}
		}
	}
	return 0
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// dropNulls takes away fields without a value, as the API server does.
func dropNulls(object map[string]any) {
	for key, value := range object {
		switch value := value.(type) {
		case nil:
			delete(object, key)
		case map[string]any:
			dropNulls(value)
		case []any:
			for _, item := range value {
				if item, isObject := item.(map[string]any); isObject {
					dropNulls(item)
				}
			}
		}
	}
}

// yamlProblem is what a YAML reader says, in one line.
func yamlProblem(err error) string {
	lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	last = strings.TrimPrefix(last, "error converting YAML to JSON: ")
	return strings.TrimPrefix(last, "yaml: ")
}
