package canary

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/replica/replay"
)

// Day is a whole day of a partition, from midnight to midnight.
type Day struct {
	Date        time.Time `json:"date"`      // its midnight
	IsCandidate bool      `json:"candidate"` // the candidate was to decide
	// LeftOut says why the day does not count; "": it does.
	LeftOut  string `json:"left_out,omitempty"`
	JobCount int    `json:"jobs"` // that were submitted on it and count
	// LostJobCount is how many jobs submitted on it wait still, more than a week after it: they are
	// in no figure.
	LostJobCount int `json:"waiting_still,omitempty"`
	// Ratios are what was over what Slurm alone would have made of the same jobs, by the key of the
	// figure, and OwnErrors the simulation of what was done over what was. A figure that the day
	// does not have is not there.
	Ratios    map[string]float64 `json:"over_slurm_alone,omitempty"`
	OwnErrors map[string]float64 `json:"simulated_over_real,omitempty"`
	Remarks   []string           `json:"not_simulated,omitempty"`

	groups map[groupKey]groupOfDay
	policy string // that decided, with its parameters, and in which mode
	params string
	mode   bridge.Mode
	// isNotAsDrawn: the other of the two decided.
	isNotAsDrawn bool
}

// counts reports whether the day counts.
func (d *Day) counts() bool { return d.LeftOut == "" }

// What makes a day a whole one: most of its cycles are stored, and almost all were decided by who
// was to decide, live.
const (
	leastCycleShare = 0.8
	mostOtherShare  = 0.1
)

// readDays classifies the days from the first of the canary to the last that is over long enough.
func (t *Trial) readDays(ctx context.Context, from replay.CyclesRecord) error {
	c := t.partition.Canary
	for date := c.Since; !date.After(c.Until) && !date.AddDate(0, 0, 1+bridge.CanarySettleDays).After(t.now); date = date.AddDate(0, 0, 1) {
		next := date.AddDate(0, 0, 1)
		counts, err := from.ListSteering(ctx, t.cluster, t.partition.Name, date, next)
		if err != nil {
			return err
		}
		t.days = append(t.days, t.newDay(date, next, counts))
	}
	t.leaveOutWeeksNotAsDrawn()
	return nil
}

// newDay says whether the day counts.
func (t *Trial) newDay(date, next time.Time, counts []bridge.PolicyCycleCounts) Day {
	due := t.partition.DecidedAt(date)
	d := Day{Date: date, IsCandidate: t.partition.Canary.DecidesAt(t.partition.Name, date), policy: due.Policy, params: due.Params}
	var all, idle, other, most int64
	otherName := ""
	for _, c := range counts {
		all += c.CycleCount
		switch {
		case !c.Mode.Allows(bridge.ModeRank):
			idle += c.CycleCount
		case c.Policy != due.Policy || c.Params != due.Params:
			if other += c.CycleCount; otherName == "" {
				otherName = bridge.FormatDecider(c.Policy, c.Params)
			}
		case c.CycleCount > most:
			most, d.mode = c.CycleCount, c.Mode
		}
	}
	share := func(n int64) float64 { return float64(n) / float64(max(all, 1)) }
	stored := float64(all) / (next.Sub(date).Seconds() / t.config.Interval.Seconds())
	switch {
	case t.wasDemoted(date, next): // else the week would count as not drawn so
		d.LeftOut = "the candidate was demoted"
	case stored < leastCycleShare:
		d.LeftOut = fmt.Sprintf("the daemon ran for %.0f %% of it", 100*stored)
	case share(idle) > mostOtherShare:
		d.LeftOut = fmt.Sprintf("in mode observe, or demoted, for %.0f %% of it", 100*share(idle))
	case share(other) > mostOtherShare:
		d.LeftOut = fmt.Sprintf("%s decided for %.0f %% of it", otherName, 100*share(other))
		d.isNotAsDrawn = slices.Contains(t.names(), otherName)
	}
	return d
}

// wasDemoted reports whether the candidate was demoted on the day for some time.
func (t *Trial) wasDemoted(date, next time.Time) bool {
	return slices.ContainsFunc(t.demotions, func(d bridge.Demotion) bool {
		return d.Since.Before(next) && (d.Until.IsZero() || d.Until.After(date))
	})
}

// names are the candidate and the incumbent.
func (t *Trial) names() []string { return []string{t.candidateName(), t.incumbentName()} }

// leaveOutWeeksNotAsDrawn leaves out weeks in which, on some day, the other of the two decided than
// was drawn: the canary stood otherwise in the configuration then, or was not in it yet, and what
// was not drawn is no chance.
func (t *Trial) leaveOutWeeksNotAsDrawn() {
	bad := map[time.Time]string{}
	for i := range t.days {
		if d := &t.days[i]; d.isNotAsDrawn {
			bad[t.partition.Canary.Week(d.Date)] = d.Date.Format(time.DateOnly)
		}
	}
	for i := range t.days {
		d := &t.days[i]
		if day := bad[t.partition.Canary.Week(d.Date)]; day != "" && d.counts() {
			d.LeftOut = "on " + day + " of its week the other decided than this canary says"
		}
	}
}

// geometricMean of logarithms, as a ratio; NaN of none.
func geometricMean(logs []float64) float64 {
	sum := 0.0
	for _, v := range logs {
		sum += v
	}
	return math.Exp(sum / float64(len(logs)))
}
