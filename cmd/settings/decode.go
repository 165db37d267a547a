package settings

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
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
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		d.decodeDuration(n, v, path)
	case v.Kind() == reflect.Struct:
		d.decodeObject(n, v, path)
	case v.Kind() == reflect.Slice:
		d.decodeList(n, v, path)
	case v.Type() == reflect.TypeFor[map[string]float64]():
		d.decodeNumbersByName(n, v, path)
	case v.Kind() == reflect.Map:
		d.decodeParams(n, v, path)
	default:
		d.decodeScalar(n, v, path)
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

func (d *decoder) decodeObject(n ast.Node, v reflect.Value, path string) {
	pairs, ok := mappingPairs(n)
	if !ok {
		d.reportProblem(n, "%s: want keys and values, got %s", path, describeNode(n))
		return
	}
	fields := fieldsByKey(v)
	seen := map[string]bool{}
	for _, p := range pairs {
		key := p.Key.GetToken().Value
		field, known := fields[key]
		switch {
		case !known:
			d.reportProblem(p.Key, "unknown key %q; %s", joinKeyPath(path, key), suggestKey(key, fields))
		case seen[key]:
			d.reportProblem(p.Key, "%s is given twice", joinKeyPath(path, key))
		default:
			d.decodeValue(p.Value, field, joinKeyPath(path, key))
		}
		seen[key] = true
	}
}

func (d *decoder) decodeList(n ast.Node, v reflect.Value, path string) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		d.reportProblem(n, "%s: want a list, got %s", path, describeNode(n))
		return
	}
	before := len(d.problems)
	out := reflect.MakeSlice(v.Type(), len(seq.Values), len(seq.Values))
	for i, item := range seq.Values {
		d.decodeValue(item, out.Index(i), fmt.Sprintf("%s[%d]", path, i))
	}
	if len(d.problems) == before || v.Type().Elem().Kind() == reflect.Struct {
		v.Set(out) // a list of values with a bad one among them would only lead to more words about it
	}
}

func joinKeyPath(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }
