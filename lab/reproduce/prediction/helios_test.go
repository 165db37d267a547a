package prediction

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/policy/paper"
	"fairbridge/replica/forecast"
	"fairbridge/replica/measure"
	"fairbridge/replica/sim"
	"fairbridge/replica/slurmrun"
	"fairbridge/replica/workload"
)

// helios is days of a cluster of Helios' kind (Hu et al., SC 2021) with 64 GPUs, asked for .8 of them, whose
// jobs report nothing, and what ended in the two weeks before. Jobs of the first half are there to fill the cluster.
type helios struct {
	known []learn.Run
	jobs  []workload.Job
	from  float64 // seconds; jobs that arrive later count
	seed  int64
}

const secondsPerDay, knownDays = 24 * 3600., 14

func newHelios(profile string, days float64, seed int64) helios {
	h := helios{from: days / 2 * secondsPerDay, seed: seed}
	for _, j := range (generate.DayDrawer{ProfileName: profile, DayCount: knownDays + days, ClusterGPUs: 64, OfferedLoad: .8}.DrawJobs(seed)) {
		j.Arrive, j.IsSilent = j.Arrive-knownDays*secondsPerDay, true
		if j.Arrive >= 0 {
			h.jobs = append(h.jobs, j)
		} else if j.Arrive+j.Duration < 0 {
			h.known = append(h.known, runOf(&j))
		}
	}
	return h
}

// runOf is a run that began as the job arrived.
func runOf(j *workload.Job) learn.Run {
	return learn.Run{Job: learn.Job{User: j.User, Account: j.Account, Name: j.Name, GPUType: j.GPUType, GPUs: j.GPUs, Limit: j.TimeLimit},
		Start: workload.CalendarTimeAt(j.Arrive), End: workload.CalendarTimeAt(j.Arrive + j.Duration), Ran: policy.DurationFromSeconds(j.Duration)}
}

// heliosNodes are n nodes with cores and memory for whatever eight GPUs are asked for with.
func heliosNodes(n int) []policy.Node {
	nodes := cluster(n, 8, "v100")
	for i := range nodes {
		nodes[i].CPUs, nodes[i].MemMB = 256, 4<<20
	}
	return nodes
}

// learner knows what ended before a time of the calendar of the simulation.
func (h *helios) learner(begin time.Time) *forecast.Learner {
	l, shift := forecast.NewLearner(), begin.Sub(workload.CalendarTimeAt(0))
	for _, r := range h.known {
		r.Start, r.End = r.Start.Add(shift), r.End.Add(shift)
		l.AddEndedRun(r)
	}
	return l
}

// figures are mean completion and wait, in seconds, of the jobs that count.
type figures struct{ completion, wait float64 }

func (h *helios) sum(run *measure.Run) (f figures) {
	n := 0.
	for i := range run.JobOutcomes {
		if o := &run.JobOutcomes[i]; o.Arrive >= h.from {
			n, f.completion, f.wait = n+1, f.completion+o.Finish-o.Arrive, f.wait+o.Start-o.Arrive
		}
	}
	return figures{f.completion / n, f.wait / n}
}

// run carries a policy's plans out at once. It knows what a learner learnt by then, or the truth.
func (h *helios) run(t *testing.T, name string, params paper.Params, knowsTruth bool) figures {
	t.Helper()
	return h.sum(simulate(t, exact.Config{Policy: system(t, name, params), Nodes: heliosNodes(8), Jobs: h.jobs, RunTimes: h.learner(workload.CalendarTimeAt(0)), PredictsTruth: knowsTruth,
		Clock: exact.NewEventClock(time.Minute, 10*time.Minute, 30*time.Second)}))
}

// runThroughSlurm takes the policy through the loop, the gate and a simulated Slurm; nil: Slurm alone.
func (h *helios) runThroughSlurm(t *testing.T, name string, p policy.Policy) figures {
	t.Helper()
	run, err := slurmrun.Run(slurmrun.Config{Policy: p, PolicyName: name, Nodes: heliosNodes(8), Jobs: h.jobs, Seed: h.seed, RunTimes: h.learner(slurmrun.WorkloadStart(&sim.Config{}))})
	if err != nil {
		t.Fatal(err)
	}
	return h.sum(run)
}

// spread is the median of values, the least and the greatest.
func spread(v []float64) string {
	return fmt.Sprintf("%.2f (%.2f-%.2f)", median(v), slices.Min(v), slices.Max(v))
}
