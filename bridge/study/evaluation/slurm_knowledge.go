package evaluation

import (
	"fmt"

	"fairbridge/bridge/study"
)

// knowledge is what policies are told of how long jobs run. The zero knowledge is what they learn from
// the jobs that ended before, as live.
type knowledge struct {
	isTrue      bool
	noiseFactor float64 // with isTrue: by which it is off, drawn for each job; 0: not at all
	isNone      bool    // only time limits
}

// tell sets the options of a run.
func (k knowledge) tell(o *study.RunOptions) {
	o.KnowsTruth, o.NoiseFactor, o.PredictsNothing = k.isTrue, k.noiseFactor, k.isNone
}

// String says it in a table.
func (k knowledge) String() string {
	switch {
	case k.noiseFactor > 0:
		return fmt.Sprintf("the truth × %g", k.noiseFactor)
	case k.isTrue:
		return "the truth"
	case k.isNone:
		return "nothing"
	}
	return "learnt"
}
