package paper

import (
	"fairbridge/policy"
)

// System is one system of the catalogue.
type System struct {
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

// Construct makes a System.New from the descriptions of the parameters and a
// function that puts their values in place.
func Construct(params []Param, build func(Values) policy.Policy) func(Params) (policy.Policy, error) {
	return func(given Params) (policy.Policy, error) {
		v, err := decode(params, given)
		if err != nil {
			return nil, err
		}
		return build(v), nil
	}
}
