// Package startscore scores estimates of starts in simulated workloads, as a site would see them:
// those of package estimate, calibrated by what was known at the time, and those of the simulated
// Slurm's own backfill, for the same jobs at the same moments.
package startscore

import (
	"maps"
	"time"

	"fairbridge/bridge/cycle"
	"fairbridge/bridge/estimate"
	"fairbridge/bridge/sim"
	"fairbridge/bridge/study"
	"fairbridge/bridge/study/forecast"
	"fairbridge/bridge/study/slurmrun"
	"fairbridge/policy"
)

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
