// Package canary judges the days on which a candidate decided about a partition against those on
// which its own policy did. Each day is first set against what the simulation says Slurm alone would
// have made of the same jobs, so that a busy day is no fault of who decided on it; then the days of
// the candidate are compared with the others of their week, and the difference with those that all
// other ways of drawing the days would have shown. What the simulation gets wrong on both kinds of
// days alike falls out.
package canary

import (
	"context"
	"errors"
	"time"

	"fairbridge/bridge"
	"fairbridge/replica/replay"
	"fairbridge/replica/shadow"
)

// ErrNoCanary is returned for a partition without one.
var ErrNoCanary = errors.New("no canary is configured")

// Trial is a canary and what the record has of its days.
type Trial struct {
	cluster   string
	partition *bridge.Partition
	config    bridge.Config
	record    replay.SiteRecord
	now       time.Time // of the last cycle: what came after is not recorded
	days      []Day     // that are over, the oldest first
	demotions []bridge.Demotion
}

// ReadTrial reads which days of a partition's canary count. config is the site's; demotions are those
// of the candidate, each with its end, zero where it stands.
func ReadTrial(ctx context.Context, from replay.SiteRecord, config bridge.Config, p *bridge.Partition, demotions []bridge.Demotion) (*Trial, error) {
	if p.Canary == nil {
		return nil, ErrNoCanary
	}
	last, err := from.LastSnapshot(ctx, config.ClusterName, p.Name)
	if err != nil {
		return nil, err
	}
	t := &Trial{cluster: config.ClusterName, partition: p, config: config, record: from, now: last.Now, demotions: demotions}
	return t, t.readDays(ctx, from)
}

// isEnough reports whether there are days enough to say anything.
func (t *Trial) isEnough() bool { return t.tally().IsEnough() }

// tally counts the days that count.
func (t *Trial) tally() bridge.CanaryTally {
	seen := bridge.CanaryTally{}
	for i := range t.days {
		if d := &t.days[i]; d.counts() {
			seen.Add(t.partition.Canary.Week(d.Date), d.IsCandidate)
		}
	}
	return seen
}

// CountRuns is how many simulations Judge takes.
func (t *Trial) CountRuns(seeds int) (n int) {
	if !t.isEnough() {
		return 0
	}
	for i := range t.days {
		if t.days[i].counts() {
			n += shadow.CountPairedRuns(seeds)
		}
	}
	return n
}

// Judge simulates the days, if there are enough, and compares them.
func (t *Trial) Judge(ctx context.Context, o shadow.Options) (*Report, error) {
	if t.isEnough() {
		if err := t.measureDays(ctx, o); err != nil {
			return nil, err
		}
	}
	return t.newReport(o.SeedCount), nil
}

func (t *Trial) measureDays(ctx context.Context, o shadow.Options) error {
	first, shown := 0, o.Progress
	for i := range t.days {
		d := &t.days[i]
		if !d.counts() {
			continue
		}
		if shown != nil {
			o.Progress = func(run int, label string, done, of int) {
				shown(first+run, d.Date.Format(time.DateOnly)+" "+label, done, of)
			}
		}
		if err := t.measureDay(ctx, d, o); err != nil {
			return err
		}
		first += shadow.CountPairedRuns(o.SeedCount)
	}
	return nil
}

// longestTail is how long after a day its jobs are followed: those that have not started by then are
// in no figure, and are named.
const longestTail = 7 * 24 * time.Hour

// measureDay simulates a day from its midnight until its jobs had ended.
func (t *Trial) measureDay(ctx context.Context, d *Day, o shadow.Options) error {
	next := d.Date.AddDate(0, 0, 1)
	until, isNow, err := t.endOf(ctx, d, next)
	if err != nil {
		return err
	}
	if until.IsZero() {
		d.LeftOut = "no GPU job was submitted on it and ran"
		return nil
	}
	site, err := (replay.Period{Cluster: t.cluster, Partition: t.partition.Name, Since: d.Date, Until: until, LoopConfig: t.config, IsNow: isNow}).ReadScenario(ctx, t.record)
	if err != nil {
		return err
	}
	if err := d.setDecider(site); err != nil {
		return err
	}
	onlySubmittedBefore(site, next)
	runs, err := shadow.SimulateLive(ctx, site, isNow, o)
	if err != nil {
		return err
	}
	d.setFigures(runs, site)
	return nil
}

// endOf is when the last job that was submitted on a day had ended; or now, where some have not. It
// is zero where none ran.
func (t *Trial) endOf(ctx context.Context, d *Day, next time.Time) (until time.Time, isNow bool, err error) {
	latest := next.Add(longestTail)
	if t.now.Before(latest) {
		latest = t.now
	}
	runs, err := t.record.PastRuns(ctx, t.cluster, t.partition.Name, d.Date, latest)
	if err != nil {
		return until, false, err
	}
	waiting, _, err := t.record.CountUnstartedJobs(ctx, t.cluster, t.partition.Name, d.Date, next)
	isOpen := waiting > 0
	if !latest.Equal(t.now) {
		d.LostJobCount = waiting
	}
	for i := range runs {
		if r := &runs[i]; !r.Arrive.Before(d.Date) && r.Arrive.Before(next) {
			isOpen = isOpen || !r.HasEnded || r.End.After(latest)
			until = later(until, r.End)
		}
	}
	switch {
	case until.IsZero():
		return until, false, err
	case isOpen:
		return latest, latest.Equal(t.now), err
	}
	return later(until, next), false, err
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// onlySubmittedBefore lets only jobs count that came before a moment.
func onlySubmittedBefore(site *replay.PastScenario, end time.Time) {
	within := map[int64]bool{}
	for i := range site.RealRun.JobOutcomes {
		o := &site.RealRun.JobOutcomes[i]
		within[o.ID] = site.ArrivedWithinPeriod[o.ID] && o.Arrive < end.Sub(site.Since).Seconds()
	}
	site.ArrivedWithinPeriod = within
}

// earliestVerdict is when the canary can first be judged, if no day to come has to be left out; zero: never.
func (t *Trial) earliestVerdict() time.Time {
	from := t.partition.Canary.Since
	if n := len(t.days); n > 0 {
		from = t.days[n-1].Date.AddDate(0, 0, 1)
	}
	return t.partition.EarliestVerdict(t.tally(), from)
}
