// Package policyset reads the policies a command line asks for:
//
//	fifo,gavel:objective=makespan,round=360s,themis
//
// are three. Parameters follow a colon and, like the policies, are separated by
// commas; what has no equals sign is the next policy. Lists and tables of
// numbers are written with semicolons: tiresias:queues=3600;36000,
// gavel:objective=cost,costs=v100:2.48;k80:0.45. The word all stands for every policy of the
// catalogue, with its defaults.
package policyset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
)

// PolicyChoice is one policy that was asked for.
type PolicyChoice struct {
	Label  string // as it was written
	System paper.System
	Params paper.Params // what was said, over the defaults of the fidelity
}

// NewPolicy makes the policy, afresh each time.
func (p PolicyChoice) NewPolicy() (policy.Policy, error) {
	made, err := p.System.New(p.Params)
	if err != nil {
		return nil, fmt.Errorf("policy %s: %w", p.System.Name, err)
	}
	return made, nil
}

// ParsePolicies reads a list of policies. With exact, the parameters with which each
// system's own simulator ran stand in for its defaults. All problems are
// reported together; unknown names come with the nearest known one.
func ParsePolicies(list string, exact bool) ([]PolicyChoice, error) {
	var picks []PolicyChoice
	var errs []error
	for _, text := range splitPolicies(list) {
		p, err := parseChoice(text, exact)
		if slices.ContainsFunc(picks, func(q PolicyChoice) bool { return q.Label == text }) {
			err = fmt.Errorf("policy %q is named twice", text)
		}
		picks, errs = append(picks, p), append(errs, err)
	}
	if len(picks) == 0 {
		errs = append(errs, errors.New("no policy is named; fairbridge policies lists them"))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return picks, nil
}

// allPolicies stands for the whole catalogue in a list.
const allPolicies = "all"

// splitPolicies cuts the list into policies with their parameters.
func splitPolicies(list string) []string {
	if strings.TrimSpace(list) == "" {
		return nil
	}
	var all []string
	for _, token := range strings.Split(list, ",") {
		token = strings.TrimSpace(token)
		name, _, _ := strings.Cut(token, ":")
		if n := len(all); n > 0 && strings.Contains(name, "=") {
			all[n-1] += "," + token
			continue
		}
		if token == allPolicies {
			for _, e := range catalogue.Systems() {
				all = append(all, e.Name)
			}
			continue
		}
		all = append(all, token)
	}
	return all
}

func parseChoice(text string, exact bool) (PolicyChoice, error) {
	name, rest, colon := strings.Cut(text, ":")
	if i := strings.Index(name, ","); i >= 0 {
		return PolicyChoice{}, fmt.Errorf("policy %q: parameters follow a colon, like %s:%s", text, name[:i], name[i+1:])
	}
	if colon && rest == "" {
		return PolicyChoice{}, fmt.Errorf("policy %q: no parameters follow the colon, like %s:name=value", text, name)
	}
	if name == SlurmName {
		return parseSlurm(text, exact)
	}
	e, err := catalogue.FindSystem(name)
	if err != nil {
		return PolicyChoice{}, err
	}
	p := PolicyChoice{Label: text, System: e, Params: paper.Params{}}
	if exact {
		maps.Copy(p.Params, e.SimulatorParams)
	}
	said, err := parseParams(e, rest)
	if err != nil {
		return PolicyChoice{}, fmt.Errorf("policy %s: %w", name, err)
	}
	maps.Copy(p.Params, said)
	_, err = p.NewPolicy()
	return p, err
}

// UseEstimates lets policies that take jobs to run as long as their limits allow take
// them to run as long as is predicted, unless it was said otherwise.
func UseEstimates(all []PolicyChoice) {
	for i := range all {
		p := &all[i]
		if slices.ContainsFunc(p.System.Params, func(x paper.Param) bool { return x.Name == "lengths" }) && !strings.Contains(p.Label, "lengths=") {
			p.Params["lengths"] = "estimate"
		}
	}
}

// parseParams reads "name=value,name=value".
func parseParams(e paper.System, text string) (paper.Params, error) {
	said := paper.Params{}
	if text == "" {
		return said, nil
	}
	for _, token := range strings.Split(text, ",") {
		name, v, ok := strings.Cut(token, "=")
		if _, twice := said[name]; !ok || name == "" || twice {
			return nil, fmt.Errorf("parameter %q: want each once, as name=value", token)
		}
		said[name] = parseValue(e, name, v)
	}
	return said, nil
}

// parseValue turns a text into what a configuration file would hold. What cannot be
// read so is left for the policy to refuse, who knows what is possible.
func parseValue(e paper.System, name, text string) any {
	i := slices.IndexFunc(e.Params, func(p paper.Param) bool { return p.Name == name })
	if i < 0 {
		return text
	}
	switch e.Params[i].Kind {
	case paper.KindBool:
		if b, err := strconv.ParseBool(text); err == nil {
			return b
		}
	case paper.KindNumber, paper.KindInteger, paper.KindService:
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			return x
		}
	case paper.KindNumbers:
		return parseNumbers(text)
	}
	return text
}

func parseNumbers(text string) any {
	var xs []any
	for _, s := range strings.Split(text, ";") {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return text
		}
		xs = append(xs, x)
	}
	return xs
}

// SlurmName is the name of Slurm by itself, without any policy of ours.
const SlurmName = "slurm"

// SlurmAlone is Slurm by itself. Its New returns no policy.
func SlurmAlone() PolicyChoice {
	return PolicyChoice{Label: SlurmName, Params: paper.Params{}, System: paper.System{
		Name: SlurmName, Title: "Slurm by itself: multifactor priorities and backfill",
		New: func(paper.Params) (policy.Policy, error) { return nil, nil },
	}}
}

func parseSlurm(text string, exact bool) (PolicyChoice, error) {
	switch {
	case exact:
		return PolicyChoice{}, errors.New("policy slurm: Slurm by itself is simulated with --fidelity slurm only; multifactor is the same order, carried out exactly")
	case text != SlurmName:
		return PolicyChoice{}, errors.New("policy slurm: it has no parameters")
	}
	return SlurmAlone(), nil
}

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
