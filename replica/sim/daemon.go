package sim

import (
	"fmt"
	"time"

	"fairbridge/replica/sim/event"
)

// daemon is what all parts of the simulated slurmctld share: its configuration,
// its time and its log, and the notes of what changed.
type daemon struct {
	*event.Queue
	config                       Config
	lastChange                   time.Time // last change of any job
	lastShownChange              time.Time // last change of a reason, expected start or priority
	queueMainPass, startMainPass func()    // see scheduler
}

// nowTruncated is the current time as Slurm records it, in whole seconds.
func (d *daemon) nowTruncated() time.Time { return d.Now().Truncate(time.Second) }

// noteChange notes that a job changed.
func (d *daemon) noteChange() { d.lastChange = d.Now() }

// logf writes one line to the event log.
func (d *daemon) logf(format string, args ...any) {
	if d.config.Log != nil {
		fmt.Fprintf(d.config.Log, "%s %s\n", d.Now().Format("2006-01-02T15:04:05.000Z"), fmt.Sprintf(format, args...))
	}
}

// Version returns the Slurm release it plays.
func (d *daemon) Version() string { return d.config.Release }

// ClusterName returns the cluster's name.
func (d *daemon) ClusterName() string { return d.config.ClusterName }

// StartTime returns when slurmctld started.
func (d *daemon) StartTime() time.Time { return d.config.Start }

// LastChange returns when a job last changed.
func (d *daemon) LastChange() time.Time { return d.lastChange }

// LastShownChange returns when what Slurm shows may last have changed other than by time: when a job did, or
// the reasons, expected starts and priorities of those that wait.
func (d *daemon) LastShownChange() time.Time { return laterTime(d.lastChange, d.lastShownChange) }

func formatTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.RFC3339)
}
