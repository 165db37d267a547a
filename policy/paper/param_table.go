package paper

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// table reads positive numbers by name.
func (p Param) table(v any) (any, error) {
	given, ok := v.(map[string]any)
	switch t := v.(type) {
	case map[string]float64:
		given, ok = map[string]any{}, true
		for name, x := range t {
			given[name] = x
		}
	case string:
		given, ok = tableOf(t)
	}
	read := make(map[string]float64, len(given))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		x, isNumber := float(given[name])
		ok = ok && name != "" && isNumber && x > 0 && !math.IsInf(x, 0)
		read[name] = x
	}
	if !ok {
		return nil, p.refuse(v, `want positive numbers by name, like {a100: 3.2, v100: 1} or "a100:3.2;v100:1"`)
	}
	return read, nil
}

// tableOf reads "a100:3.2;v100:1".
func tableOf(text string) (map[string]any, bool) {
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
