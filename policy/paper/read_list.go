package paper

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

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
