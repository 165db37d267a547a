package paper

import (
	"slices"
	"strings"

	"fairbridge/policy"
)

// Entry is one system of the catalogue.
type Entry struct {
	Name       string   `json:"name"` // as written in the configuration
	Title      string   `json:"title"`
	Venue      string   `json:"venue,omitempty"`
	Year       int      `json:"year,omitempty"`
	Cite       string   `json:"cite"`
	Idea       string   `json:"idea"`       // in a line
	Stages     []string `json:"stages"`     // the stages it answers itself
	Needs      []string `json:"needs"`      // what it wants to know of a job
	Fallback   string   `json:"fallback"`   // what it does when it does not know
	Reproduced string   `json:"reproduced"` // what of the paper our tests show
	Params     []Param  `json:"params"`
	// Exact are the parameters with which the system's own simulator ran: the
	// defaults where plans are carried out at once and exactly.
	Exact Params `json:"exact,omitempty"`
	// WorkConserving says that with every parameter at its default no GPU is
	// left idle that a startable job could use.
	WorkConserving bool `json:"work_conserving"`
	// MayStarve says that a job may wait for as long as max_wait, or for ever
	// without it, while others that came later pass it: by design nothing is
	// reserved for it. Jobs that may be stopped can make room for it all the same.
	MayStarve bool `json:"may_starve,omitempty"`
	// New makes the policy; the error names every parameter that is unknown or
	// impossible, and what is allowed.
	New func(Params) (policy.Policy, error) `json:"-"`
}

// All returns the catalogue, sorted by name.
func All() []Entry {
	all := slices.Concat(own(), baselines(), sharing(), markets(), slicing())
	slices.SortFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Lookup returns the system with the name, or an error that says which there
// are and which may be meant.
func Lookup(name string) (Entry, error) {
	all := All()
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Name
	}
	if i := slices.Index(names, name); i >= 0 {
		return all[i], nil
	}
	return Entry{}, unknown("policy", name, names)
}

// construct makes an Entry.New from the descriptions of the parameters and a
// function that puts their values in place.
func construct(params []Param, build func(values) policy.Policy) func(Params) (policy.Policy, error) {
	return func(given Params) (policy.Policy, error) {
		v, err := decode(params, given)
		if err != nil {
			return nil, err
		}
		return build(v), nil
	}
}
