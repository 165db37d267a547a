package gate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// SentWarning is a warning in the ledger. Its Stop is what the requeue would cost:
// whether the job is stopped or not, the budgets of stops are counted on it.
type SentWarning struct {
	Run      slurm.Run
	GraceEnd time.Time // our clock: when the grace is over; zero: Slurm has not said yes to it
	bridge.Stop
}

// warningLifetime is how long after its grace a warning still serves: some cycles, so that
// a plan that holds on to the stop gets there.
func (f *facts) warningLifetime() time.Duration { return max(10*time.Minute, 3*f.CycleInterval) }

// isWarningValid reports whether the warning still serves for a stop.
func (f *facts) isWarningValid(w *SentWarning) bool {
	return !w.GraceEnd.IsZero() && !f.Now.After(w.GraceEnd.Add(f.warningLifetime()))
}

// lastWarning returns the run's last warning, or nil.
func (f *facts) lastWarning(run slurm.Run) *SentWarning {
	var last *SentWarning
	for i := range f.RecentWarnings {
		if w := &f.RecentWarnings[i]; w.Run.IsSameRun(run) && (last == nil || w.DecidedAt.After(last.DecidedAt)) {
			last = w
		}
	}
	return last
}

// warnState is where a job stands between a stop that is planned and its requeue.
type warnState int

const (
	warnStateReady    warnState = iota // it may be requeued: it was warned in time, or need not be
	warnStateUnwarned                  // a warning has to be sent first
	warnStateInGrace                   // its grace runs
)

// warnStateOf tells where the job stands; a denial says that it can be neither warned
// nor requeued (I6).
func (f *facts) warnStateOf(j *slurm.Job) (warnState, *denial) {
	notice, w := f.NoticeByJob[j.ID], f.lastWarning(j.CurrentRun())
	switch {
	case notice.Grace <= 0:
		return warnStateReady, nil
	case w == nil:
		return warnStateUnwarned, nil
	case f.isWarningValid(w) && f.Now.Before(w.GraceEnd):
		return warnStateInGrace, nil
	case f.isWarningValid(w):
		return warnStateReady, nil
	case f.clusterTime.Sub(w.DecidedAt) >= f.Budgets.Cooldown:
		return warnStateUnwarned, nil
	case w.GraceEnd.IsZero():
		return warnStateReady, deny(invariant.MinimumRun, "its script was to be warned %v ago, and nothing shows that it was", f.clusterTime.Sub(w.DecidedAt).Round(time.Second))
	}
	return warnStateReady, deny(invariant.MinimumRun, "its script was warned %v ago and it was not stopped then; the least between two warnings is %v",
		f.clusterTime.Sub(w.DecidedAt).Round(time.Second), f.Budgets.Cooldown)
}

// checkWarnable says why a planned stop can lead to neither a warning nor a requeue.
func (f *facts) checkWarnable(p *policy.Job) *denial {
	_, n := f.warnStateOf(f.View.Job(int64(p.ID)))
	return n
}

// warnBeforeStops turns the stops of a stop group whose grace is not over into warnings: its
// jobs run on, and the one they make room for waits. It reports whether it did.
func (g *stopGate) warnBeforeStops(x stopGroup, stops []bridge.Stop) bool {
	late := false
	for _, s := range stops {
		at, _ := g.warnStateOf(g.View.Job(s.Job))
		late = late || at != warnStateReady
	}
	if !late {
		return false
	}
	g.hasPostponedStops = true
	var last time.Time
	for _, s := range stops {
		last = policy.Later(last, g.keepUntilGraceEnd(x, s))
	}
	if d := g.decisionForJob(x.beneficiary); d != nil && d.Verb == policy.Start {
		d.Verb, d.On = policy.Wait, nil
		d.Why = fmt.Sprintf("waits until %s at least: the scripts of %s, which give way to it, were warned", formatTime(last), formatJobLabels(g.Snapshot, x.victims))
	}
	return true
}

// keepUntilGraceEnd lets a job of a postponed stop group run on, and warns it if it was not. It
// returns when its grace is over.
func (g *stopGate) keepUntilGraceEnd(x stopGroup, s bridge.Stop) time.Time {
	p, d, j := g.snapshotJob(s.Job), g.decisionForJob(policy.JobID(s.Job)), g.View.Job(s.Job)
	notice := g.NoticeByJob[s.Job]
	due := g.Now
	switch at, _ := g.warnStateOf(j); {
	case at == warnStateUnwarned:
		due = g.Now.Add(notice.Grace)
		g.output.Warnings = append(g.output.Warnings, bridge.PlannedWarning{Stop: s, Notice: notice, Why: fmt.Sprintf(
			"its script is warned by %s, %v before it is requeued: %s", notice.Signal, notice.Grace, d.Why)})
	case notice.Grace > 0:
		due = g.lastWarning(j.CurrentRun()).GraceEnd
	}
	d.Verb, d.On, d.GPUs, d.StoppedFor = policy.Keep, p.On, p.On.Count(), 0
	d.Why = fmt.Sprintf("runs on until %s at least, then makes room for job %s if that is still wanted", formatTime(due), g.Snapshot.JobLabel(x.beneficiary))
	return due
}

// formatJobLabels names jobs: "job 4711", "jobs 4711, 47_3".
func formatJobLabels(s *policy.Snapshot, ids []policy.JobID) string {
	labels := make([]string, len(ids))
	for i, id := range ids {
		labels[i] = s.JobLabel(id)
	}
	if len(ids) == 1 {
		return "job " + labels[0]
	}
	return "jobs " + strings.Join(labels, ", ")
}

// checkNoOthersWarned says why the stop group may not be warned: others already were, to make
// room for the same job, and the plan must not wander from one to the next (I8).
func (g *stopGate) checkNoOthersWarned(x stopGroup) *denial {
	ask := slices.ContainsFunc(x.victims, func(id policy.JobID) bool {
		j := g.View.Job(int64(id))
		if j == nil {
			return false
		}
		at, _ := g.warnStateOf(j)
		return at == warnStateUnwarned
	})
	for i := range g.RecentWarnings {
		w := &g.RecentWarnings[i]
		j := g.View.Job(w.Run.Job)
		if ask && w.Beneficiary == int64(x.beneficiary) && g.isWarningValid(w) && j != nil && w.Run.IsSameRun(j.CurrentRun()) && !slices.Contains(x.victims, policy.JobID(w.Run.Job)) {
			return deny(invariant.StopPurpose, "job %s was warned to make room for job %s already", g.Snapshot.JobLabel(policy.JobID(w.Run.Job)), g.Snapshot.JobLabel(x.beneficiary))
		}
	}
	return nil
}
