package paper

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Params are a policy's parameters as they stand in the configuration:
// strings, numbers, booleans, durations as strings ("15m"), lists of numbers.
type Params map[string]any

// Kind is the type of a parameter.
type Kind string

// The kinds of parameters.
const (
	Choice   Kind = "choice"   // one of Param.Choices
	Number   Kind = "number"   // from Min to Max
	Integer  Kind = "integer"  // from Min to Max
	Bool     Kind = "bool"     // true or false
	Duration Kind = "duration" // like "90s", "15m", "6h"; Min and Max in seconds
	Numbers  Kind = "numbers"  // an ascending list of positive numbers
	Table    Kind = "table"    // positive numbers by name; also as text: "a100:3.2;v100:1"
	Names    Kind = "names"    // a list of names, each once
)

// Param describes one parameter of a policy.
type Param struct {
	Name    string   `json:"name"`
	Kind    Kind     `json:"kind"`
	Default any      `json:"default"` // as it would be written in the configuration
	Choices []string `json:"choices,omitempty"`
	Min     float64  `json:"min"`
	Max     float64  `json:"max,omitempty"` // 0: none
	Help    string   `json:"help"`
}

// read converts a configured value, or says what would have been allowed.
func (p Param) read(v any) (any, error) {
	switch p.Kind {
	case Choice:
		if s, ok := v.(string); ok && slices.Contains(p.Choices, s) {
			return s, nil
		}
		return nil, p.refuse(v, "want one of "+strings.Join(p.Choices, ", "))
	case Bool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, p.refuse(v, "want true or false")
	case Duration:
		return p.duration(v)
	case Numbers:
		return p.numbers(v)
	case Table:
		return p.table(v)
	case Names:
		return p.names(v)
	}
	return p.number(v)
}

func (p Param) number(v any) (any, error) {
	x, ok := float(v)
	switch {
	case !ok || !p.within(x):
		return nil, p.refuse(v, "want "+p.span("a number", "%g"))
	case p.Kind == Number:
		return x, nil
	case x != math.Trunc(x) || math.Abs(x) > 1<<53:
		return nil, p.refuse(v, "want "+p.span("a whole number", "%g"))
	}
	return int(x), nil
}

func (p Param) duration(v any) (any, error) {
	if d, ok := v.(time.Duration); ok {
		v = d.String()
	}
	s, ok := v.(string)
	d, err := time.ParseDuration(s)
	if !ok || err != nil || !p.within(d.Seconds()) {
		return nil, p.refuse(v, "want "+p.span(`a duration like "15m"`, "%g s"))
	}
	return d, nil
}

func (p Param) numbers(v any) (any, error) {
	list, ok := v.([]any)
	if l, typed := v.([]float64); typed {
		for _, x := range l {
			list = append(list, x)
		}
		ok = true
	}
	xs := make([]float64, 0, len(list))
	for _, e := range list {
		x, isNumber := float(e)
		ok = ok && isNumber && x > 0 && !math.IsInf(x, 0) && (len(xs) == 0 || x > xs[len(xs)-1])
		xs = append(xs, x)
	}
	if !ok {
		return nil, p.refuse(v, "want a list of ascending positive numbers, like [3600, 36000]")
	}
	return xs, nil
}

func (p Param) names(v any) (any, error) {
	list, ok := v.([]any)
	if l, typed := v.([]string); typed {
		for _, x := range l {
			list = append(list, x)
		}
		ok = true
	}
	names := make([]string, 0, len(list))
	for _, e := range list {
		name, isText := e.(string)
		ok = ok && isText && name != "" && !slices.Contains(names, name)
		names = append(names, name)
	}
	if !ok {
		return nil, p.refuse(v, "want a list of names, like [high, normal]")
	}
	return names, nil
}

func (p Param) within(x float64) bool {
	return x >= p.Min && (p.Max == 0 || x <= p.Max) && !math.IsInf(x, 0)
}

func (p Param) span(what, unit string) string {
	if p.Max == 0 {
		return fmt.Sprintf("%s of at least "+unit, what, p.Min)
	}
	return fmt.Sprintf("%s from "+unit+" to "+unit, what, p.Min, p.Max)
}

func (p Param) refuse(v any, want string) error {
	if s, ok := v.(string); ok {
		return fmt.Errorf("parameter %s: %q is not possible, %s", p.Name, s, want)
	}
	return fmt.Errorf("parameter %s: %v is not possible, %s", p.Name, v, want)
}

// float converts any number a YAML or JSON reader produces.
func float(v any) (float64, bool) {
	switch x := v.(type) {
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	case uint64:
		return float64(x), true
	case float64:
		return x, !math.IsNaN(x)
	}
	return 0, false
}
