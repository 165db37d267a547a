package slurm

import (
	"slices"
	"time"
)

// Reservation is one reservation record of Slurm: nodes, or a part of them, that
// are set aside for some time, for maintenance or for some people.
type Reservation struct {
	Name         string
	Nodes        Hosts     // none where only licences are reserved
	Start        time.Time // zero: it has begun
	End          time.Time // zero: without end
	Flags        []string  // MAINT, IGNORE_JOBS, DAILY, … sorted; an open set
	CoreCount    int       // physical cores; 0: not known
	NodeCount    int
	TRES         TRES // "cpu=64,gres/gpu=8": over all nodes
	Users        []string
	Accounts     []string
	Groups       []string
	Partition    string // whose nodes it has, where it was made so
	Licenses     string
	UnreadReason string // what in the record cannot be read; "": all can
}

// HasFlag reports whether the reservation has the flag.
func (r *Reservation) HasFlag(name string) bool { return slices.Contains(r.Flags, name) }

// IsMaintenance reports whether no job may run there but those of the
// reservation itself.
func (r *Reservation) IsMaintenance() bool { return r.HasFlag("MAINT") }

// NextOccurrence returns the time after the given one at which the reservation recurs; ok
// is false when it does not. Slurm counts days by the calendar of its host: a
// change to summer time is an hour's difference that is not seen here.
func (r *Reservation) NextOccurrence(start, end time.Time) (from, to time.Time, ok bool) {
	by := r.recurrenceInterval(start)
	if by == 0 || end.IsZero() {
		return start, end, false
	}
	return start.Add(by), end.Add(by), true
}

// recurrenceInterval returns how long after start the reservation begins again; 0: never.
func (r *Reservation) recurrenceInterval(start time.Time) time.Duration {
	const day = 24 * time.Hour
	switch weekday := start.Weekday(); {
	case r.HasFlag("HOURLY"):
		return time.Hour
	case r.HasFlag("DAILY"):
		return day
	case r.HasFlag("WEEKLY"):
		return 7 * day
	case r.HasFlag("WEEKDAY") && weekday == time.Friday:
		return 3 * day
	case r.HasFlag("WEEKDAY") && weekday == time.Saturday, r.HasFlag("WEEKEND") && weekday == time.Friday:
		return 2 * day
	case r.HasFlag("WEEKDAY"), r.HasFlag("WEEKEND") && weekday == time.Saturday:
		return day
	case r.HasFlag("WEEKEND"):
		return time.Duration(6-int(weekday)) * day
	}
	return 0
}
