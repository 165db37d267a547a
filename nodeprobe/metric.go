package nodeprobe

import (
	"reflect"
	"strings"
)

// Metric is a number of a GPU, as the tags of its field declare it. What
// serves, prints or keeps numbers walks Metrics; a number without the tag
// "metric" is in the JSON only.
type Metric struct {
	Name         string      // tag metric, in base units, a promise; what ends in _total only grows
	Labels       [][2]string // tag metric after the comma: a label that tells fields of one name apart
	Help         string      // tag help
	Scale        float64     // tag unit: from the field's to the base unit
	TableHeading string      // tag once: heading in the table of --once; fields of one heading stand side by side
	StoredColumn string      // tag store: column of the readings that fairbridge keeps; "": it keeps none
	fieldIndex   []int
}

// Metrics are the numbers of a GPU in the order of their fields.
var Metrics = findMetrics(reflect.TypeFor[GPU](), nil)

// factorByUnit are the field units that are no base units.
var factorByUnit = map[string]float64{"": 1, "MiB": 1 << 20, "MHz": 1e6}

func findMetrics(t reflect.Type, path []int) []Metric {
	var out []Metric
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(path[:len(path):len(path)], i)
		if tag := f.Tag.Get("metric"); tag != "" {
			name, label, _ := strings.Cut(tag, ",")
			m := Metric{Name: name, Help: f.Tag.Get("help"), Scale: factorByUnit[f.Tag.Get("unit")], TableHeading: f.Tag.Get("once"), StoredColumn: f.Tag.Get("store"), fieldIndex: at}
			if key, value, ok := strings.Cut(label, "="); ok {
				m.Labels = [][2]string{{key, value}}
			}
			out = append(out, m)
		} else if f.Type.Kind() == reflect.Struct {
			out = append(out, findMetrics(f.Type, at)...)
		}
	}
	return out
}

// ValueOf returns the GPU's reading, in the field's unit.
func (m *Metric) ValueOf(g *GPU) OptionalValue {
	return reflect.ValueOf(g).Elem().FieldByIndex(m.fieldIndex).Interface().(OptionalValue)
}

// IsCounter reports whether the number only grows.
func (m *Metric) IsCounter() bool { return strings.HasSuffix(m.Name, "_total") }

// IsRatio reports whether the number is a share, 0..1.
func (m *Metric) IsRatio() bool { return strings.HasSuffix(m.Name, "_ratio") }
