package paper

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

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

// UnknownNameError says that there is no such thing, which one may be meant, and which
// there are.
func UnknownNameError(what, name string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("%s %q is unknown, there are none", what, name)
	}
	all := strings.Join(slices.Sorted(slices.Values(names)), ", ")
	if like := closestName(name, names); like != "" {
		return fmt.Errorf("%s %q is unknown, did you mean %s? There are %s", what, name, like, all)
	}
	return fmt.Errorf("%s %q is unknown, there are %s", what, name, all)
}

// closestName returns the name that differs least, or "" when none is close.
func closestName(name string, names []string) string {
	best, at := 1+max(1, len(name)/3), ""
	for _, n := range slices.Sorted(slices.Values(names)) {
		if d := editDistance(strings.ToLower(name), n); d < best {
			best, at = d, n
		}
	}
	return at
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
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
