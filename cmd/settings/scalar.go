package settings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"fairbridge/policy/paper"
)

func (d *decoder) decodeDuration(n ast.Node, v reflect.Value, path string) {
	s, ok := n.(*ast.StringNode)
	if !ok {
		d.reportProblem(n, "%s: want a duration such as 30s, 10m or 12h, got %s", path, describeNode(n))
		return
	}
	length, err := time.ParseDuration(s.Value)
	if err != nil {
		d.reportProblem(n, "%s: %q is not a duration such as 30s, 10m or 12h", path, s.Value)
		return
	}
	v.SetInt(int64(length))
}

func (d *decoder) decodeScalar(n ast.Node, v reflect.Value, path string) {
	s, ok := n.(ast.ScalarNode)
	if !ok {
		d.reportProblem(n, "%s: want %s, got %s", path, describeKind(v.Kind()), describeNode(n))
		return
	}
	if err := setScalar(v, s.GetValue()); err != nil {
		d.reportProblem(n, "%s: %v, got %s", path, err, describeNode(n))
	}
}

// setScalar stores a YAML scalar in v if it is of v's kind.
func setScalar(v reflect.Value, x any) error {
	if n, ok := x.(uint64); ok {
		if n > math.MaxInt64 {
			return errors.New("want a smaller number")
		}
		x = int64(n)
	}
	in := reflect.ValueOf(x)
	if !in.IsValid() || in.Kind() != v.Kind() && !(in.CanInt() && (v.CanInt() || v.CanFloat())) {
		return fmt.Errorf("want %s", describeKind(v.Kind()))
	}
	v.Set(in.Convert(v.Type()))
	return nil
}

// decodeParams takes a policy's parameters as they are: the policy checks them.
func (d *decoder) decodeParams(n ast.Node, v reflect.Value, path string) {
	pairs, ok := mappingPairs(n)
	if !ok {
		d.reportProblem(n, "%s: want keys and values, got %s", path, describeNode(n))
		return
	}
	out := map[string]any{}
	for _, p := range pairs {
		key := p.Key.GetToken().Value
		d.positionByPath[joinKeyPath(path, key)] = p.Key.GetToken().Position
		var x any
		if err := yaml.NodeToValue(p.Value, &x); err != nil {
			d.reportProblem(p.Value, "%s: %v", joinKeyPath(path, key), err)
			continue
		}
		out[key] = x
	}
	v.Set(reflect.ValueOf(out))
}

// decodeNumbersByName takes positive numbers by name.
func (d *decoder) decodeNumbersByName(n ast.Node, v reflect.Value, path string) {
	pairs, ok := mappingPairs(n)
	if !ok {
		d.reportProblem(n, "%s: want name: number, got %s", path, describeNode(n))
		return
	}
	out := map[string]float64{}
	for _, p := range pairs {
		name := p.Key.GetToken().Value
		var x float64
		d.decodeValue(p.Value, reflect.ValueOf(&x).Elem(), joinKeyPath(path, name))
		if !(x >= 0 && x <= 1e9) { // so NaN is refused too
			d.reportProblem(p.Value, "%s: %v is not between 0 and 1e9", joinKeyPath(path, name), x)
		}
		out[name] = x
	}
	v.Set(reflect.ValueOf(out))
}

// fieldsByKey returns the settable fields of a struct by their key.
func fieldsByKey(v reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for i := range v.NumField() {
		if key := v.Type().Field(i).Tag.Get("yaml"); key != "" {
			fields[key] = v.Field(i)
		}
	}
	return fields
}

// suggestKey names the known key that looks most like the wrong one, or all of them.
func suggestKey(key string, fields map[string]reflect.Value) string {
	known := make([]string, 0, len(fields))
	for k := range fields {
		known = append(known, k)
	}
	slices.SortFunc(known, func(a, b string) int {
		return cmp.Or(paper.EditDistance(a, key)-paper.EditDistance(b, key), strings.Compare(a, b))
	})
	for _, k := range known {
		if areAlike(k, key) {
			return fmt.Sprintf("did you mean %q?", k)
		}
	}
	slices.Sort(known)
	return "known are " + strings.Join(known, ", ")
}

// areAlike reports whether the words differ by at most two letters, or one
// begins with the other.
func areAlike(a, b string) bool {
	if len(b) > 2 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)) {
		return true
	}
	return paper.EditDistance(a, b) <= min(2, len(b)/2)
}

func describeNode(n ast.Node) string {
	switch n.Type() {
	case ast.MappingType, ast.MappingValueType:
		return "keys and values"
	case ast.SequenceType:
		return "a list"
	case ast.NullType:
		return "nothing"
	}
	return fmt.Sprintf("%q", n.GetToken().Value)
}

func describeKind(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a text"
}
