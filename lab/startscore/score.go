// Package startscore scores estimates of starts in simulated workloads, as a site would see them:
// those of package estimate, calibrated by what was known at the time, and those of the simulated
// Slurm's own backfill, for the same jobs at the same moments.
package startscore

import (
	"maps"
	"slices"
	"time"

	"fairbridge/bridge/cycle"
	"fairbridge/bridge/estimate"
	"fairbridge/policy"
	"fairbridge/replica/forecast"
	"fairbridge/replica/sim"
	"fairbridge/replica/slurmrun"
	"fairbridge/replica/study"
)

// Tolerance is by how much a start may miss a band and still count as held: Slurm plans in minutes.
const Tolerance = time.Minute

// Score is how good estimates were.
type Score struct {
	LookCount   int
	HeldShare   float64       // of real starts, or ends, within the band
	EarlyShare  float64       // before it
	LateShare   float64       // after it
	MedianError time.Duration // absolute, of the middle
	MedianWait  time.Duration // that was to be estimated
	SharedCount int           // looks at which Slurm had an estimate too
	SharedError time.Duration // MedianError of those
	SlurmError  time.Duration // Slurm's for the same
}

// ErrorRatio is our median error over Slurm's at the same looks; 0 where there is none of Slurm.
func (s *Score) ErrorRatio() float64 {
	if s.SlurmError <= 0 {
		return 0
	}
	return s.SharedError.Seconds() / s.SlurmError.Seconds()
}

// Calibrate replaces all bands by those calibrated by the looks that could be judged when it was
// made; the looks are those of one site, by time.
func Calibrate(looks []Look) {
	outcomes := make([]estimate.Outcome, len(looks))
	for i := range looks {
		outcomes[i] = looks[i].Outcome
	}
	c := &estimate.Calibration{}
	for i := range looks {
		l := &looks[i]
		if i == 0 || !l.MadeAt.Equal(looks[i-1].MadeAt) {
			c = estimate.NewCalibration(outcomes[:i], l.MadeAt)
		}
		e := c.Calibrate(l.MadeAt, estimate.Estimate{Start: l.Start, End: l.End})
		l.Start, l.End = e.Start, e.End
	}
}

// ScoreLooks scores the starts of the looks that a filter lets through; looks at jobs that never started
// are left out. nil: all.
func ScoreLooks(looks []Look, filter func(*Look) bool) Score {
	return scoreBands(looks, filter, func(l *Look) (estimate.Band, time.Time, time.Time) { return l.Start, l.Started, l.SlurmStart })
}

// ScoreEnds scores their ends, of which Slurm has no estimate.
func ScoreEnds(looks []Look, filter func(*Look) bool) Score {
	return scoreBands(looks, filter, func(l *Look) (estimate.Band, time.Time, time.Time) { return l.End, l.Ended, time.Time{} })
}

// scoreBands scores what of says of a look: the band, when it happened, and Slurm's estimate.
func scoreBands(looks []Look, filter func(*Look) bool, of func(*Look) (b estimate.Band, happened, bySlurm time.Time)) Score {
	var s Score
	var errors, waits, shared, slurm []time.Duration
	held, early, late := 0, 0, 0
	for i := range looks {
		l := &looks[i]
		b, happened, bySlurm := of(l)
		if happened.IsZero() || filter != nil && !filter(l) {
			continue
		}
		off := happened.Sub(b.Middle).Abs()
		errors, waits = append(errors, off), append(waits, happened.Sub(l.MadeAt))
		switch {
		case happened.Add(Tolerance).Before(b.Early):
			early++
		case !happened.Add(-Tolerance).After(b.Late):
			held++
		default:
			late++
		}
		if !bySlurm.IsZero() {
			shared, slurm = append(shared, off), append(slurm, happened.Sub(bySlurm).Abs())
		}
	}
	s.LookCount, s.SharedCount = len(errors), len(shared)
	if n := float64(len(errors)); n > 0 {
		s.HeldShare, s.EarlyShare, s.LateShare = float64(held)/n, float64(early)/n, float64(late)/n
	}
	s.MedianError, s.MedianWait, s.SharedError, s.SlurmError = median(errors), median(waits), median(shared), median(slurm)
	return s
}

func median(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// Look is one estimate of a waiting job's start and end, and what came of it.
type Look struct {
	estimate.Outcome
	Job        policy.JobID
	RunTime    estimate.RunTime
	IsFirst    bool      // the job was just submitted
	SlurmStart time.Time // Slurm's own estimate at the time; zero: it had none
}

// CollectLooks simulates the scenario under a policy, through Slurm, with run times learnt on the
// way, and returns looks at its waiting jobs, by time.
func CollectLooks(s *study.Scenario, p policy.Policy, policyName string, seed int64) ([]Look, error) {
	k := collector{}
	_, err := slurmrun.Run(slurmrun.Config{
		Policy: p, PolicyName: policyName, Nodes: s.Nodes, Jobs: s.Jobs, SpeedTables: s.SpeedTables, Accounts: s.Accounts, Seed: seed,
		RunTimes: forecast.NewLearner(), WatchCycle: k.lookAtCycle, AfterCycle: func(w *sim.World) { k.world = w },
	})
	if err != nil {
		return nil, err
	}
	return k.withStarts(), nil
}

// collector makes the looks of a run.
type collector struct {
	looks []Look
	times estimate.LookTimes
	world *sim.World
}

func (k *collector) lookAtCycle(r *cycle.Report) {
	for i := range r.PartitionResults {
		if p := &r.PartitionResults[i]; p.Plan != nil {
			k.lookAt(p.Snapshot, p.Plan)
		}
	}
}

// lookAt makes the looks that are due. Renewed ones are not scored: what came of them is that of the array's last task.
func (k *collector) lookAt(s *policy.Snapshot, plan *policy.Plan) {
	due := k.times.TakeDue(s)
	maps.DeleteFunc(due, func(_ policy.JobID, kind estimate.DueLook) bool { return kind == estimate.RenewedLook })
	if len(due) == 0 {
		return
	}
	runTimes := estimate.NewRunTimes(s)
	for _, e := range estimate.EstimateJobs(estimate.Input{Snapshot: s, Line: estimate.LineOfPlan(plan), Sizes: estimate.SizesOfPlan(s, plan)}) {
		if kind, isDue := due[e.Job]; isDue {
			k.looks = append(k.looks, Look{Outcome: estimate.Outcome{MadeAt: s.Now, Start: e.Start, End: e.End}, Job: e.Job, RunTime: runTimes(s.Job(e.Job)), IsFirst: kind == estimate.FirstLook, SlurmStart: s.Job(e.Job).SlurmStartEstimate})
		}
	}
}

// withStarts returns the looks with when their jobs started next, and when that run ended.
func (k *collector) withStarts() []Look {
	runsByJob := map[policy.JobID][]sim.EndedRun{}
	for _, r := range k.world.EndedRuns() {
		runsByJob[policy.JobID(r.JobID)] = append(runsByJob[policy.JobID(r.JobID)], r)
	}
	for i := range k.looks {
		l := &k.looks[i]
		for _, r := range runsByJob[l.Job] {
			if !r.Start.Before(l.MadeAt) && (l.Started.IsZero() || r.Start.Before(l.Started)) {
				l.Started, l.Ended = r.Start, r.End
			}
		}
	}
	return k.looks
}
