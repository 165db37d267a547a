package sim

import (
	"fmt"
	"time"

	"fairbridge/bridge/sim/event"
)

// daemon is what all parts of the simulated slurmctld share: its configuration,
// its time and its log, and the notes of what changed.
type daemon struct {
	*event.Queue
	cfg     Config
	changed time.Time // last change of any job
	wake    func()    // asks for a main scheduling pass soon; see scheduler.wake
}

// nowSeconds is the current time as Slurm records it, in whole seconds.
func (d *daemon) nowSeconds() time.Time { return d.Now().Truncate(time.Second) }

// noteChange notes that a job changed.
func (d *daemon) noteChange() { d.changed = d.Now() }

// logf writes one line to the event log.
func (d *daemon) logf(format string, args ...any) {
	if d.cfg.Log != nil {
		fmt.Fprintf(d.cfg.Log, "%s %s\n", d.Now().Format("2006-01-02T15:04:05.000Z"), fmt.Sprintf(format, args...))
	}
}

// Version returns the Slurm release it plays.
func (d *daemon) Version() string { return d.cfg.Release }

// Cluster returns the cluster's name.
func (d *daemon) Cluster() string { return d.cfg.Cluster }

// Started returns when slurmctld started.
func (d *daemon) Started() time.Time { return d.cfg.Start }

// Changed returns when a job last changed.
func (d *daemon) Changed() time.Time { return d.changed }

func formatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.RFC3339)
}
