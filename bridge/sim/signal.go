package sim

import (
	"time"

	"fairbridge/bridge/slurm"
)

// Delivered is a signal that reached the batch script of a job.
type Delivered struct {
	Job    int64
	SLUID  string // of the run
	Signal slurm.Signal
	At     time.Time
}

// Signal sends a signal to the batch scripts at an address (see Requeue). A job
// that does not run gets none, and nothing is said about it, as in Slurm. What a
// script does about it is not simulated.
func (w *World) Signal(by, address string, s slurm.Signal) error {
	list, err := w.find(address)
	if err != nil {
		return err
	}
	for _, j := range list {
		switch {
		case !w.may(by, j):
			return problem(AccessDenied, "Access/permission denied")
		case j.state == running && !j.completing:
			w.signals = append(w.signals, Delivered{Job: j.id, SLUID: j.sluid, Signal: s, At: w.Now()})
			w.logf("signal %d %s", j.id, s)
		}
	}
	return nil
}

// Signals are all that were delivered, in order.
func (w *World) Signals() []Delivered { return w.signals }
