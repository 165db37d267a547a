package paper

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Values are a policy's parameters once read: every parameter of the policy,
// given or by default, in the type of its kind.
type Values map[string]any

// Text is the value of a parameter that is a choice.
func (v Values) Text(name string) string { return v[name].(string) }

// Number is the value of a parameter that is a number.
func (v Values) Number(name string) float64 { return v[name].(float64) }

// Integer is the value of a parameter that is a whole number.
func (v Values) Integer(name string) int { return v[name].(int) }

// Flag is the value of a parameter that is true or false.
func (v Values) Flag(name string) bool { return v[name].(bool) }

// Duration is the value of a parameter that is a duration.
func (v Values) Duration(name string) time.Duration { return v[name].(time.Duration) }

// Numbers is the value of a parameter that is a list of numbers.
func (v Values) Numbers(name string) []float64 { return v[name].([]float64) }

// Table is the value of a parameter that is a table.
func (v Values) Table(name string) map[string]float64 { return v[name].(map[string]float64) }

// Names is the value of a parameter that is a list of names.
func (v Values) Names(name string) []string { return v[name].([]string) }

// decode reads the given parameters against their descriptions. All problems
// are reported together, in order of name.
func decode(known []Param, given Params) (Values, error) {
	v := make(Values, len(known))
	names := make([]string, len(known))
	var errs []error
	for i, p := range known {
		names[i] = p.Name
		value, ok := given[p.Name]
		if !ok {
			value = p.Default
		}
		read, err := p.read(value)
		v[p.Name], errs = read, append(errs, err)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			errs = append(errs, Unknown("parameter", name, names))
		}
	}
	return v, errors.Join(errs...)
}

// Unknown says that there is no such thing, which one may be meant, and which
// there are.
func Unknown(what, name string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("%s %q is unknown, there are none", what, name)
	}
	all := strings.Join(slices.Sorted(slices.Values(names)), ", ")
	if like := nearest(name, names); like != "" {
		return fmt.Errorf("%s %q is unknown, did you mean %s? There are %s", what, name, like, all)
	}
	return fmt.Errorf("%s %q is unknown, there are %s", what, name, all)
}

// nearest returns the name that differs least, or "" when none is close.
func nearest(name string, names []string) string {
	best, at := 1+max(1, len(name)/3), ""
	for _, n := range slices.Sorted(slices.Values(names)) {
		if d := distance(strings.ToLower(name), n); d < best {
			best, at = d, n
		}
	}
	return at
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
