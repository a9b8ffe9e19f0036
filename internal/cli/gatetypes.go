package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/relevance-gate/relevance-gate/internal/nearest"
)

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// checkTypes refuses fields that the Go type does not have, and values of
// another type. It is what the API server does with the CRD's schema, but with
// the line.
func (f *gateFile) checkTypes(path string, value any, like any) error {
	return f.checkType(path, value, reflect.TypeOf(like))
}

func (f *gateFile) checkType(path string, value any, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(unmarshaler) {
		return nil // A type that reads itself, such as a search body.
	}
	switch t.Kind() {
	case reflect.Struct:
		return f.checkStruct(path, value, t)
	case reflect.Map:
		return f.checkMap(path, value, t)
	case reflect.Slice:
		return f.checkList(path, value, t)
	case reflect.String:
		if _, ok := value.(string); !ok {
			return f.wrongText(path, value)
		}
		return nil
	case reflect.Bool:
		if _, ok := value.(bool); !ok {
			return f.wrongType(path, value, "true or false")
		}
		return nil
	}
	return f.checkWholeNumber(path, value, t)
}

func (f *gateFile) checkMap(path string, value any, t reflect.Type) error {
	object, ok := value.(map[string]any)
	if !ok {
		return f.wrongType(path, value, "an object")
	}
	for _, key := range f.inFileOrder(path, object) {
		if err := f.checkType(joinPath(path, key), object[key], t.Elem()); err != nil {
			return err
		}
	}
	return nil
}

func (f *gateFile) checkList(path string, value any, t reflect.Type) error {
	list, ok := value.([]any)
	if !ok {
		return f.wrongType(path, value, "a list")
	}
	for i, item := range list {
		if err := f.checkType(fmt.Sprintf("%s[%d]", path, i), item, t.Elem()); err != nil {
			return err
		}
	}
	return nil
}

// checkWholeNumber is for all numbers that a gate has: none is a fraction.
func (f *gateFile) checkWholeNumber(path string, value any, t reflect.Type) error {
	number, ok := value.(json.Number)
	if !ok {
		return f.wrongType(path, value, "a number")
	}
	if _, err := strconv.ParseInt(number.String(), 10, t.Bits()); err != nil {
		return f.errorf(path, "is %s; it must be a whole number", number)
	}
	return nil
}

func (f *gateFile) checkStruct(path string, value any, t reflect.Type) error {
	object, ok := value.(map[string]any)
	if !ok {
		return f.wrongType(path, value, "an object")
	}
	fields := jsonFields(t)
	for _, key := range f.inFileOrder(path, object) {
		at := joinPath(path, key)
		field, known := fields[key]
		if !known {
			hint := ""
			if word, found := nearest.Word(key, slices.Sorted(maps.Keys(fields))); found {
				hint = "; did you mean " + word + "?"
			}
			return f.errorf(at, "is an unknown field%s", hint)
		}
		if err := f.checkType(at, object[key], field); err != nil {
			return err
		}
	}
	return nil
}

// inFileOrder are the keys, so that of several mistakes the first is reported.
func (f *gateFile) inFileOrder(path string, object map[string]any) []string {
	return slices.SortedFunc(maps.Keys(object), func(a, b string) int {
		return cmp.Or(f.lines[joinPath(path, a)]-f.lines[joinPath(path, b)], strings.Compare(a, b))
	})
}

// jsonFields are the fields of a struct, and of those embedded in it, by their
// JSON names.
func jsonFields(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && name == "":
			maps.Copy(fields, jsonFields(field.Type))
		case name != "" && name != "-":
			fields[name] = field.Type
		}
	}
	return fields
}

func (f *gateFile) wrongType(path string, value any, want string) error {
	return f.errorf(path, "is %s; it must be %s", describe(value), want)
}

// wrongText also says how to write the value, as an unquoted 0.8 is the most
// common mistake of all.
func (f *gateFile) wrongText(path string, value any) error {
	switch value := value.(type) {
	case json.Number:
		return f.errorf(path, "is the number %s; write it in quotes: %q", value, value)
	case bool:
		return f.errorf(path, "is read as %t; write it in quotes", value)
	}
	return f.wrongType(path, value, "a text")
}

func describe(value any) string {
	switch value := value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case json.Number:
		return "the number " + value.String()
	case bool:
		return strconv.FormatBool(value)
	case nil:
		return "empty"
	}
	return fmt.Sprintf("the text %q", value)
}
