package paper

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"fairbridge/policy"
)

// System is one system of the catalogue.
type System struct {
	Name         string   `json:"name"` // as written in the configuration
	Title        string   `json:"title"`
	Venue        string   `json:"venue,omitempty"`
	Year         int      `json:"year,omitempty"`
	Cite         string   `json:"cite"`
	Idea         string   `json:"idea"`       // in a line
	OwnStages    []string `json:"stages"`     // the stages it answers itself
	NeededInputs []string `json:"needs"`      // what it wants to know of a job
	Fallback     string   `json:"fallback"`   // what it does when it does not know
	Reproduced   string   `json:"reproduced"` // what of the paper our tests show
	Deviations   []string `json:"deviations"` // sentences: where it does otherwise than its source, by choice or because Slurm cannot
	Params       []Param  `json:"params"`     // those of the policy, in the order of its fields
	// SimulatorParams are the parameters with which the system's own simulator ran: the
	// defaults where plans are carried out at once and exactly.
	SimulatorParams Params `json:"exact,omitempty"`
	// WorkConserving says that with every parameter at its default no GPU is
	// left idle that a startable job could use.
	WorkConserving bool `json:"work_conserving"`
	// MayStarve says that a job may wait for as long as max_wait, or for ever
	// without it, while others that came later pass it: by design nothing is
	// reserved for it. Jobs that may be stopped can make room for it all the same.
	MayStarve bool `json:"may_starve,omitempty"`
	// AdaptsBatches says that its jobs choose their batch sizes by what they measured. In
	// simulations by profiles they then tell no more than that.
	AdaptsBatches bool `json:"-"`
	// ObserveOnly says why the policy may not act on a live partition, only observe; "": it may.
	ObserveOnly string `json:"observe_only,omitempty"`
	// Teacher are the parameters by which a policy that learnt decides as its teacher does; nil: it
	// learnt from none. The guard falls back to them where it does worse than that.
	Teacher Params `json:"teacher,omitempty"`
	// New makes the policy; the error names every parameter that is unknown or
	// impossible, and what is allowed.
	New func(Params) (policy.Policy, error) `json:"-"`
}

// DescribeSystem completes the description of a system whose policy p is: the tagged
// fields of the struct it points to, and of structs within, are the parameters
// (see Param).
func DescribeSystem(p policy.Policy, s System) System {
	t := reflect.TypeOf(p).Elem()
	fields := findParameters(t, nil)
	for _, f := range fields {
		s.Params = append(s.Params, f.Param)
	}
	s.New = func(given Params) (policy.Policy, error) {
		made := reflect.New(t)
		if err := setParameters(made.Elem(), fields, given); err != nil {
			return nil, err
		}
		return made.Interface().(policy.Policy), nil
	}
	return s
}

// setParameters sets the fields of a policy to what is given or to their defaults. All
// problems are reported together, in the order of the fields.
func setParameters(policy reflect.Value, fields []parameterField, given Params) error {
	names := make([]string, len(fields))
	var errs []error
	for i, f := range fields {
		names[i] = f.Name
		value, ok := given[f.Name]
		if !ok {
			value = f.Default
		}
		read, err := f.readValue(value)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		policy.FieldByIndex(f.index).Set(reflect.ValueOf(read))
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			errs = append(errs, UnknownNameError("parameter", name, names))
		}
	}
	return errors.Join(errs...)
}
