package idle

import (
	"time"

	"fairbridge/policy"
)

// BusyShare is the share of the time from which on a GPU counts as busy.
const BusyShare = 0.01

// MaxGap is the longest time between two readings of which nothing is missed.
const MaxGap = 5 * time.Minute

// GPU is a GPU that a run of a job holds.
type GPU struct {
	Job      int64
	Restarts int
	Node     string
	Device   string // the driver's UUID
}

// Reading is what one look at a GPU showed.
type Reading struct {
	GPU
	At time.Time // when it was measured, by the node's clock
	// Busy and MemBusy are the shares of the time in which it computed and its memory was used.
	Busy, MemBusy policy.OptionalValue
	IsShared      bool // with another job
}

// isIdle reports whether the GPU did no work. What is not known may be work.
func (r *Reading) isIdle() bool {
	return !r.IsShared && r.Busy.Known && r.Busy.Value < BusyShare && (!r.MemBusy.Known || r.MemBusy.Value < BusyShare)
}

// span is the time from one reading to another in which each reading was idle.
type span struct{ since, until time.Time }

// Watch remembers since when GPUs are idle. The zero value knows of none.
type Watch map[GPU]span

// Read returns what is known after one reading of each GPU at most. A GPU that is not read is remembered for as long as
// its next reading may come without a gap. A reading that was taken before the last one begins anew.
func (w Watch) Read(readings []Reading, now time.Time) Watch {
	out := make(Watch, len(w))
	for g, s := range w {
		if now.Sub(s.until) <= MaxGap {
			out[g] = s
		}
	}
	for i := range readings {
		r := &readings[i]
		s, known := out[r.GPU]
		gap := r.At.Sub(s.until)
		switch {
		case !r.isIdle():
			delete(out, r.GPU)
		case known && gap >= 0 && gap <= MaxGap:
			out[r.GPU] = span{s.since, r.At}
		default:
			out[r.GPU] = span{r.At, r.At}
		}
	}
	return out
}

// Without returns what is known without the GPUs of runs that are over, or that did something else since they are idle.
func (w Watch) Without(isOver func(g GPU, since time.Time) bool) Watch {
	out := make(Watch, len(w))
	for g, s := range w {
		if !isOver(g, s.since) {
			out[g] = s
		}
	}
	return out
}

// IdleFor returns for how long all of a job's GPUs are idle, of which these are the readings of now; 0: one of them is not,
// or there are not so many as it holds.
func (w Watch) IdleFor(readings []Reading, held int) time.Duration {
	if held < 1 || len(readings) != held {
		return 0
	}
	var least time.Duration
	for i := range readings {
		s, known := w[readings[i].GPU]
		if d := s.until.Sub(s.since); !known {
			return 0
		} else if i == 0 || d < least {
			least = d
		}
	}
	return least
}
