package paper

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/policy"
)

// readValue converts a configured value, or says what would have been allowed.
func (p Param) readValue(v any) (any, error) {
	switch p.Kind {
	case KindChoice:
		if s, ok := v.(string); ok && slices.Contains(p.Choices, s) {
			return s, nil
		}
		return nil, p.impossibleError(v, "want one of "+strings.Join(p.Choices, ", "))
	case KindBool:
		if b, ok := v.(bool); ok {
			return b, nil
		}
		return nil, p.impossibleError(v, "want true or false")
	case KindDuration:
		return p.readDuration(v)
	case KindNumbers:
		return p.readNumbers(v)
	case KindTable:
		return p.readTable(v)
	case KindNames:
		return p.readNames(v)
	}
	return p.readNumber(v)
}

func (p Param) readNumber(v any) (any, error) {
	x, ok := toFloat(v)
	switch {
	case !ok || !p.isInBounds(x):
		return nil, p.impossibleError(v, "want "+p.describeBounds("a number", "%g"))
	case p.Kind == KindService:
		return policy.GPUSeconds(x), nil
	case p.Kind == KindNumber:
		return x, nil
	case x != math.Trunc(x) || math.Abs(x) > 1<<53:
		return nil, p.impossibleError(v, "want "+p.describeBounds("a whole number", "%g"))
	}
	return int(x), nil
}

func (p Param) readDuration(v any) (any, error) {
	if d, ok := v.(time.Duration); ok {
		v = d.String()
	}
	s, ok := v.(string)
	d, err := time.ParseDuration(s)
	if !ok || err != nil || !p.isInBounds(d.Seconds()) {
		return nil, p.impossibleError(v, "want "+p.describeBounds(`a duration like "15m"`, "%g s"))
	}
	return d, nil
}

func (p Param) isInBounds(x float64) bool {
	return x >= p.Min && (p.Max == 0 || x <= p.Max) && !math.IsInf(x, 0)
}

func (p Param) describeBounds(what, unit string) string {
	if p.Max == 0 {
		return fmt.Sprintf("%s of at least "+unit, what, p.Min)
	}
	return fmt.Sprintf("%s from "+unit+" to "+unit, what, p.Min, p.Max)
}

func (p Param) impossibleError(v any, want string) error {
	if s, ok := v.(string); ok {
		return fmt.Errorf("parameter %s: %q is not possible, %s", p.Name, s, want)
	}
	return fmt.Errorf("parameter %s: %v is not possible, %s", p.Name, v, want)
}

// toFloat converts any number a YAML or JSON reader produces.
func toFloat(v any) (float64, bool) {
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

// readNumbers reads ascending positive numbers.
func (p Param) readNumbers(v any) (any, error) {
	list, ok := listItems[float64](v)
	xs := make([]float64, 0, len(list))
	for _, e := range list {
		x, isNumber := toFloat(e)
		ok = ok && isNumber && x > 0 && !math.IsInf(x, 0) && (len(xs) == 0 || x > xs[len(xs)-1])
		xs = append(xs, x)
	}
	if !ok {
		return nil, p.impossibleError(v, "want a list of ascending positive numbers, like [3600, 36000]")
	}
	return xs, nil
}

// readNames reads names, each once.
func (p Param) readNames(v any) (any, error) {
	list, ok := listItems[string](v)
	names := make([]string, 0, len(list))
	for _, e := range list {
		name, isText := e.(string)
		ok = ok && isText && name != "" && !slices.Contains(names, name)
		names = append(names, name)
	}
	if !ok {
		return nil, p.impossibleError(v, "want a list of names, like [high, normal]")
	}
	return names, nil
}

// listItems returns the elements of a list, whether or not it is typed.
func listItems[T any](v any) (list []any, ok bool) {
	typed, ok := v.([]T)
	if !ok {
		list, ok = v.([]any)
		return list, ok
	}
	for _, e := range typed {
		list = append(list, e)
	}
	return list, true
}

// readTable reads positive numbers by name.
func (p Param) readTable(v any) (any, error) {
	given, ok := v.(map[string]any)
	switch t := v.(type) {
	case map[string]float64:
		given, ok = map[string]any{}, true
		for name, x := range t {
			given[name] = x
		}
	case string:
		given, ok = parseTable(t)
	}
	read := make(map[string]float64, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		x, isNumber := toFloat(given[name])
		ok = ok && name != "" && isNumber && x > 0 && !math.IsInf(x, 0)
		read[name] = x
	}
	if !ok {
		return nil, p.impossibleError(v, `want positive numbers by name, like {a100: 3.2, v100: 1} or "a100:3.2;v100:1"`)
	}
	return read, nil
}

// parseTable reads "a100:3.2;v100:1".
func parseTable(text string) (map[string]any, bool) {
	t := map[string]any{}
	if text == "" {
		return t, true
	}
	for _, token := range strings.Split(text, ";") {
		name, value, found := strings.Cut(token, ":")
		x, err := strconv.ParseFloat(value, 64)
		if _, twice := t[name]; !found || err != nil || twice {
			return nil, false
		}
		t[name] = x
	}
	return t, true
}
