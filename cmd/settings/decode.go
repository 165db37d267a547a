package settings

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"fairbridge/policy/paper"
)

// Problem is one thing wrong with a configuration file.
type Problem struct {
	File   string
	Line   int // 0: not at any place in the file
	Column int
	Text   string
}

// Error prints "file:line:col: text", as editors understand it.
func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Text)
}

// positionsByPath maps "gate.quantum" and "partitions[0].mode" to their place.
type positionsByPath map[string]*token.Position

// decoder fills a value from a YAML tree and notes every problem on the way.
type decoder struct {
	filePath       string
	problems       []error
	positionByPath positionsByPath
}

func (d *decoder) reportProblem(n ast.Node, format string, a ...any) {
	p := Problem{File: d.filePath, Text: strings.TrimPrefix(fmt.Sprintf(format, a...), ": ")} // the file itself has no path
	if t := n.GetToken(); t != nil && t.Position != nil {
		p.Line, p.Column = t.Position.Line, t.Position.Column
	}
	d.problems = append(d.problems, p)
}

// decodeValue fills v from n. path names v in messages.
func (d *decoder) decodeValue(n ast.Node, v reflect.Value, path string) {
	if t := n.GetToken(); t != nil {
		d.positionByPath[path] = t.Position
	}
	switch n.(type) {
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MergeKeyNode:
		d.reportProblem(n, "%s: anchors, aliases and tags are not understood here: write the value out", path)
		return
	case *ast.NullNode:
		return // an empty section leaves the defaults
	}
	switch v.Kind() {
	case reflect.Struct, reflect.Map:
		d.decodeMapping(n, v, path)
	case reflect.Slice:
		d.decodeList(n, v, path)
	default:
		d.decodeScalar(n, v, path)
	}
}

// decodeMapping fills a section, or values by name; numbers by name must not be negative.
func (d *decoder) decodeMapping(n ast.Node, v reflect.Value, path string) {
	pairs, ok := mappingPairs(n)
	if !ok {
		d.reportProblem(n, "%s: want keys and values, got %s", path, describeNode(n))
		return
	}
	if v.Kind() == reflect.Map {
		v.Set(reflect.MakeMap(v.Type()))
	}
	fields := fieldsByKey(v)
	for _, p := range pairs {
		key := p.Key.GetToken().Value
		at := joinKeyPath(path, key)
		if v.Kind() == reflect.Map {
			x := reflect.New(v.Type().Elem()).Elem()
			d.decodeValue(p.Value, x, at)
			if x.CanFloat() && !(x.Float() >= 0 && x.Float() <= 1e9) { // so NaN is refused too
				d.reportProblem(p.Value, "%s: %v is not between 0 and 1e9", at, x)
			}
			v.SetMapIndex(reflect.ValueOf(key), x)
		} else if field, known := fields[key]; known {
			d.decodeValue(p.Value, field, at)
		} else {
			err := paper.UnknownNameError("key", key, slices.Collect(maps.Keys(fields)))
			d.reportProblem(p.Key, "%s: %v", path, err)
		}
	}
}

// mappingPairs returns the pairs of a mapping; ok is false when n is none.
func mappingPairs(n ast.Node) (pairs []*ast.MappingValueNode, ok bool) {
	switch m := n.(type) {
	case *ast.MappingNode:
		return m.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{m}, true
	}
	return nil, false
}

// fieldsByKey returns the fields of a struct by their key.
func fieldsByKey(v reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for i := 0; v.Kind() == reflect.Struct && i < v.NumField(); i++ {
		if key := v.Type().Field(i).Tag.Get("yaml"); key != "" {
			fields[key] = v.Field(i)
		}
	}
	return fields
}

func (d *decoder) decodeList(n ast.Node, v reflect.Value, path string) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.reportProblem(n, "%s: want a list, got %s", path, describeNode(n))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values)))
	for i, item := range seq.Values {
		d.decodeValue(item, v.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
}

// scalar says what is wanted of the values of a kind, and as what YAML has them.
type scalar struct {
	want  string
	types []ast.NodeType // nil: any
}

var (
	wholeNumber = scalar{"a whole number", []ast.NodeType{ast.IntegerType}}
	duration    = scalar{"a duration such as 30s, 10m or 12h", []ast.NodeType{ast.StringType}}
	scalars     = map[reflect.Kind]scalar{
		reflect.String: {"a text", []ast.NodeType{ast.StringType, ast.LiteralType}},
		reflect.Bool:   {"true or false", []ast.NodeType{ast.BoolType}},
		reflect.Int:    wholeNumber, reflect.Int64: wholeNumber,
		reflect.Float64: {
			"a number", []ast.NodeType{ast.IntegerType, ast.FloatType, ast.InfinityType, ast.NanType},
		},
		reflect.Interface: {"a value", nil}, // of a policy, which checks it
	}
)

// decodeScalar fills a single value. The types are compared first, since the library takes 1.5 for the whole number 1,
// and 0123 for the text 83.
func (d *decoder) decodeScalar(n ast.Node, v reflect.Value, path string) {
	s := scalars[v.Kind()]
	if v.Type() == reflect.TypeFor[time.Duration]() {
		s = duration
	}
	isType := s.types == nil || slices.Contains(s.types, n.Type())
	if !isType || yaml.NodeToValue(n, v.Addr().Interface()) != nil {
		d.reportProblem(n, "%s: want %s, got %s", path, s.want, describeNode(n))
	}
}

func describeNode(n ast.Node) string {
	switch n.Type() {
	case ast.MappingType, ast.MappingValueType:
		return "keys and values"
	case ast.SequenceType:
		return "a list"
	}
	return fmt.Sprintf("%q", n.GetToken().Value)
}

func joinKeyPath(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }
