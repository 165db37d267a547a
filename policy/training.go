package policy

import (
	"time"
)

// Training is what a training job reports of itself, or what a profile of its
// kind says: its work in steps, how fast it goes where, and the batch sizes it
// went through. Jobs that report nothing have none.
type Training struct {
	Steps     float64 `json:"steps"` // in all, at the present batch size
	StepsDone float64 `json:"done"`  // completed, at the present batch size
	BatchSize int     `json:"batch,omitempty"`
	// Rates are its speeds on what it asks, by GPU type, sorted; one of type ""
	// holds for all types that are not named.
	Rates []Rate `json:"rates,omitempty"`
	// SharedRates are its rates while it shares its GPUs with a job of another class.
	SharedRates []SharedRate `json:"beside,omitempty"`

	Epochs          int      `json:"epochs,omitempty"` // in all; 0: it counts none
	EpochsDone      int      `json:"epoch,omitempty"`  // completed
	SeenRegimes     []Regime `json:"seen,omitempty"`   // the epochs so far, the present one included, in their order
	PossibleRegimes []Regime `json:"modes,omitempty"`  // the batch sizes it may use, ascending; Epochs is unused

	// Losses are what the job reported of its training loss, by step, ascending; nil: nothing.
	Losses []LossPoint `json:"losses,omitempty"`
}

// EarlyEnd is what the owner of a training job declared as enough: that reached, the job may end
// while the cluster is overloaded, although it has steps left.
type EarlyEnd struct {
	AtPlateau  bool    `json:"plateau,omitempty"` // a loss that hardly falls any more
	EnoughLoss float64 `json:"loss,omitempty"`    // a loss of so much or less; 0: none is
}

// LossPoint is the training loss after so many steps.
type LossPoint struct {
	Step float64 `json:"step"`
	Loss float64 `json:"loss"`
}

// Rate is a speed on GPUs of one type.
type Rate struct {
	Type           string  `json:"type"`
	StepsPerSecond float64 `json:"steps"` // per second, of the whole job
}

// SharedRate is a speed beside a neighbour on the same GPUs.
type SharedRate struct {
	Type           string  `json:"type"`
	NeighbourClass string  `json:"class"` // of the neighbour
	StepsPerSecond float64 `json:"steps"` // per second, of the whole job
}

// Regime is a stretch of epochs of one batch size.
type Regime struct {
	BatchSize int     `json:"batch"`
	Epochs    float64 `json:"epochs,omitempty"`
	// SecondsPerEpoch is what an epoch takes on what the job asks.
	SecondsPerEpoch float64 `json:"seconds"`
}

// TellsWork reports whether it says how much work there is in all: what tells losses alone does not.
func (t *Training) TellsWork() bool { return t != nil && (t.Steps > 0 || t.Epochs > 0) }

// Rate returns the steps per second on GPUs of the type; ok is false when that
// is not known.
func (t *Training) Rate(typ string) (steps float64, ok bool) {
	for _, r := range t.Rates {
		if r.Type == typ {
			return r.StepsPerSecond, true
		}
		if r.Type == "" {
			steps, ok = r.StepsPerSecond, true
		}
	}
	return steps, ok
}

// TimeLeft returns how long the rest of the steps takes at the rate on GPUs of the
// type; ok is false when the rate is not known or zero.
func (t *Training) TimeLeft(typ string) (left time.Duration, ok bool) {
	rate, ok := t.Rate(typ)
	if !ok || rate <= 0 {
		return 0, false
	}
	return DurationFromSeconds(max(t.Steps-t.StepsDone, 0) / rate), true
}
