package paper

import (
	"reflect"
	"strconv"
	"strings"
	"time"

	"fairbridge/policy"
)

// Params are a policy's parameters as they stand in the configuration:
// strings, numbers, booleans, durations as strings ("15m"), lists of numbers.
type Params map[string]any

// ParamKind is the type of a parameter.
type ParamKind string

// The kinds of parameters, and the types of their fields.
const (
	KindChoice   ParamKind = "choice"      // string: one of Param.Choices
	KindNumber   ParamKind = "number"      // float64, from Min to Max
	KindInteger  ParamKind = "integer"     // int, from Min to Max
	KindBool     ParamKind = "bool"        // true or false
	KindDuration ParamKind = "duration"    // time.Duration: like "90s", "15m", "6h"; Min and Max in seconds
	KindService  ParamKind = "gpu_seconds" // policy.GPUSeconds: from Min to Max
	KindNumbers  ParamKind = "numbers"     // []float64: ascending positive numbers
	KindTable    ParamKind = "table"       // map[string]float64: positive numbers by name; also as text: "a100:3.2;v100:1"
	KindNames    ParamKind = "names"       // []string: each name once
)

// Param describes one parameter of a policy. It is declared as a field of the
// policy with a tag for each property:
//
//	Quantile float64 `param:"quantile" default:"0.7" max:"1" help:"which quantile bounds the first queue"`
//
// The kind follows from the type of the field. Without a default it is zero or
// empty, without min at least 0, without max there is no upper bound. The choices
// of a string are separated by commas.
type Param struct {
	Name    string    `json:"name"`
	Kind    ParamKind `json:"kind"`
	Default any       `json:"default"` // as it would be written in the configuration
	Choices []string  `json:"choices,omitempty"`
	Min     float64   `json:"min"`
	Max     float64   `json:"max,omitempty"` // 0: none
	Help    string    `json:"help"`
}

// parameterField is a parameter and where its value belongs.
type parameterField struct {
	Param
	index []int // for reflect.Value.FieldByIndex
}

// findParameters finds the parameters of a struct, and of those within it.
func findParameters(t reflect.Type, above []int) []parameterField {
	var all []parameterField
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(above[:len(above):len(above)], i)
		if _, ok := f.Tag.Lookup("param"); ok {
			all = append(all, parameterField{paramFromTag(f.Type, f.Tag), index})
		} else if f.Type.Kind() == reflect.Struct {
			all = append(all, findParameters(f.Type, index)...)
		}
	}
	return all
}

func paramFromTag(t reflect.Type, tag reflect.StructTag) Param {
	p := Param{Name: tag.Get("param"), Default: tag.Get("default"), Help: tag.Get("help")}
	p.Min, _ = strconv.ParseFloat(tag.Get("min"), 64)
	p.Max, _ = strconv.ParseFloat(tag.Get("max"), 64)
	switch {
	case t == reflect.TypeFor[time.Duration]():
		p.Kind = KindDuration
	case t == reflect.TypeFor[policy.GPUSeconds]():
		p.Kind = KindService
		p.Default, _ = strconv.ParseFloat(tag.Get("default"), 64)
	case t.Kind() == reflect.String:
		p.Kind, p.Choices = KindChoice, strings.Split(tag.Get("choices"), ",")
	case t.Kind() == reflect.Bool:
		p.Kind, p.Default = KindBool, p.Default == "true"
	case t.Kind() == reflect.Map:
		p.Kind = KindTable
	case t == reflect.TypeFor[[]string]():
		p.Kind, p.Default = KindNames, []string{}
	case t == reflect.TypeFor[[]float64]():
		p.Kind, p.Default = KindNumbers, []float64{}
	default:
		p.Kind = KindNumber
		if t.Kind() == reflect.Int {
			p.Kind = KindInteger
		}
		if x, err := strconv.ParseFloat(tag.Get("default"), 64); err == nil {
			p.Default = x
		}
	}
	return p
}
