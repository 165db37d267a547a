package gate

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Warning is a warning in the ledger. Its Stop is what the requeue would cost:
// whether the job is stopped or not, the budgets of stops are counted on it.
type Warning struct {
	Run slurm.Run
	Due time.Time // our clock: when the grace is over; zero: Slurm has not said yes to it
	bridge.Stop
}

// warningServes is how long after its grace a warning still serves: some cycles, so that
// a plan that holds on to the stop gets there.
func (f *facts) warningServes() time.Duration { return max(10*time.Minute, 3*f.Interval) }

// live reports whether the warning still serves for a stop.
func (f *facts) live(w *Warning) bool {
	return !w.Due.IsZero() && !f.Now.After(w.Due.Add(f.warningServes()))
}

// warning returns the run's last warning, or nil.
func (f *facts) warning(run slurm.Run) *Warning {
	var last *Warning
	for i := range f.Warnings {
		if w := &f.Warnings[i]; w.Run.Same(run) && (last == nil || w.At.After(last.At)) {
			last = w
		}
	}
	return last
}

// standing is where a job stands between a stop that is planned and its requeue.
type standing int

const (
	ready   standing = iota // it may be requeued: it was warned in time, or need not be
	unasked                 // a warning has to be sent first
	graced                  // its grace runs
)

// warned tells where the job stands; a denial says that it can be neither warned
// nor requeued (I6).
func (f *facts) warned(p *policy.Job, j *slurm.Job) (standing, *denial) {
	notice, w := f.Notices[j.ID], f.warning(j.Run())
	switch {
	case notice.Grace <= 0:
		return ready, nil
	case w == nil:
		return unasked, nil
	case f.live(w) && f.Now.Before(w.Due):
		return graced, nil
	case f.live(w):
		return ready, nil
	case f.at.Sub(w.At) >= f.Config.Cooldown:
		return unasked, nil
	case w.Due.IsZero():
		return ready, deny(invariant.MinimumRun, "its script was to be warned %v ago, and nothing shows that it was", f.at.Sub(w.At).Round(time.Second))
	}
	return ready, deny(invariant.MinimumRun, "its script was warned %v ago and it was not stopped then; the least between two warnings is %v",
		f.at.Sub(w.At).Round(time.Second), f.Config.Cooldown)
}

// warnable says why a planned stop can lead to neither a warning nor a requeue.
func (f *facts) warnable(p *policy.Job) *denial {
	_, n := f.warned(p, f.View.Job(int64(p.ID)))
	return n
}

// postpone turns the stops of a gang whose grace is not over into warnings: its
// jobs run on, and the one they make room for waits. It reports whether it did.
func (g *stopper) postpone(x gang, stops []bridge.Stop) bool {
	late := false
	for _, s := range stops {
		at, _ := g.warned(g.job(s.Job), g.View.Job(s.Job))
		late = late || at != ready
	}
	if !late {
		return false
	}
	g.postponed = true
	var last time.Time
	for _, s := range stops {
		last = later(last, g.runsOn(x, s))
	}
	if d := g.decision(x.to); d != nil && d.Verb == policy.Start {
		d.Verb, d.On = policy.Wait, nil
		d.Why = fmt.Sprintf("waits until %s at least: the scripts of %s, which give way to it, were warned", stamp(last), naming(x.victims))
	}
	return true
}

// runsOn lets a job of a postponed gang run on, and warns it if it was not. It
// returns when its grace is over.
func (g *stopper) runsOn(x gang, s bridge.Stop) time.Time {
	p, d, j := g.job(s.Job), g.decision(policy.JobID(s.Job)), g.View.Job(s.Job)
	notice := g.Notices[s.Job]
	due := g.Now
	switch at, _ := g.warned(p, j); {
	case at == unasked:
		due = g.Now.Add(notice.Grace)
		g.out.Warns = append(g.out.Warns, bridge.Warn{Stop: s, Notice: notice, Why: fmt.Sprintf(
			"its script is warned by %s, %v before it is requeued: %s", notice.Signal, notice.Grace, d.Why)})
	case notice.Grace > 0:
		due = g.warning(j.Run()).Due
	}
	d.Verb, d.On, d.GPUs, d.For = policy.Keep, p.On, p.On.Count(), 0
	d.Why = fmt.Sprintf("runs on until %s at least, then makes room for job %d if that is still wanted", stamp(due), x.to)
	return due
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func naming(ids []policy.JobID) string {
	if len(ids) == 1 {
		return fmt.Sprintf("job %d", ids[0])
	}
	return fmt.Sprintf("jobs %v", ids)
}

// otherWarned says why the gang may not be warned: others already were, to make
// room for the same job, and the plan must not wander from one to the next (I8).
func (g *stopper) otherWarned(x gang) *denial {
	ask := slices.ContainsFunc(x.victims, func(id policy.JobID) bool {
		j := g.View.Job(int64(id))
		if j == nil {
			return false
		}
		at, _ := g.warned(g.job(int64(id)), j)
		return at == unasked
	})
	for i := range g.Warnings {
		w := &g.Warnings[i]
		j := g.View.Job(w.Run.Job)
		if ask && w.For == int64(x.to) && g.live(w) && j != nil && w.Run.Same(j.Run()) && !slices.Contains(x.victims, policy.JobID(w.Run.Job)) {
			return deny(invariant.StopPurpose, "job %d was warned to make room for job %d already", w.Run.Job, x.to)
		}
	}
	return nil
}
