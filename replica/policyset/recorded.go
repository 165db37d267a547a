package policyset

import (
	"fmt"
	"strings"

	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
)

// ChoiceFromRecord reads a policy as it stands in a stored cycle: its name, and its
// parameters as "round=360s queues=[3600 36000]".
func ChoiceFromRecord(name, text string) (PolicyChoice, error) {
	e, err := catalogue.FindSystem(name)
	if err != nil {
		return PolicyChoice{}, err
	}
	p := PolicyChoice{Label: strings.TrimSpace(name + " " + text), System: e, Params: paper.Params{}}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		var key, v string
		var ok bool
		if key, text, ok = strings.Cut(text, "="); !ok {
			return PolicyChoice{}, fmt.Errorf("policy %s: parameter %q has no value", name, key)
		}
		v, text = cutFirstValue(text)
		p.Params[key] = parseRecordedValue(e, key, v)
	}
	_, err = p.NewPolicy()
	return p, err
}

// cutFirstValue cuts off the first value: up to a space, but those in brackets.
func cutFirstValue(text string) (v, rest string) {
	depth := 0
	for i, c := range text {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ' ' && depth == 0:
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// parseRecordedValue turns a printed value into what a configuration would hold.
func parseRecordedValue(e paper.System, name, v string) any {
	if inner, ok := strings.CutPrefix(v, "map["); ok {
		inner = strings.TrimSuffix(inner, "]")
		return strings.ReplaceAll(inner, " ", ";") // a table, as text
	}
	inner, ok := strings.CutPrefix(v, "[")
	if !ok {
		return parseValue(e, name, v)
	}
	inner = strings.TrimSuffix(inner, "]")
	if list, ok := parseNumbers(strings.ReplaceAll(inner, " ", ";")).([]any); ok {
		return list
	}
	var names []any
	for _, s := range strings.Fields(inner) {
		names = append(names, s)
	}
	return names
}
