package deadlines

import (
	"strings"
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// leaseJobs are mixed jobs of at least twenty minutes, as those of the Chronus artifact; half of them have a deadline.
func leaseJobs(seed int64) []workload.Job {
	jobs := mixedJobs(seed, 500, 1, 0)
	for i := range jobs {
		jobs[i].Duration = max(jobs[i].Duration, 1200)
	}
	addDeadlines(jobs, .5, seed)
	return jobs
}

// promiseWatch counts jobs that were ever promised their deadlines.
type promiseWatch map[int64]bool

func (w promiseWatch) watch(_ *policy.Snapshot, plan *policy.Plan) {
	for _, d := range plan.Decisions {
		if strings.Contains(d.Why, "promised for its deadline") {
			w[int64(d.Job)] = true
		}
	}
}

// TestReproduceChronus: half of the jobs have a deadline and the cluster is loaded to 1. With run times that are known at most 2 % of the jobs that
// were promised their deadlines miss them; best effort takes at most 1.1 times its mean completion time under the shortest remaining time first
// and half of that under the earliest deadline first.
//
// The paper has up to 14.7 times fewer deadlines missed than other schedulers. Not so beside our earliest deadline first, which stops
// any job for one with a deadline and knows them all: it misses none here, at the cost of the others, and Chronus misses hardly any. Of Slurm
// alone it misses a small part.
func TestReproduceChronus(t *testing.T) {
	seeds := int64(5)
	figures := map[string][]float64{}
	note := func(name string, v float64) { figures[name] = append(figures[name], v) }
	for seed := int64(1); seed <= seeds; seed++ {
		jobs, nodes, promised := leaseJobs(seed), newNodes(8, 8), promiseWatch{}
		run, err := exact.Run(exact.Config{Policy: system(t, "chronus", nil), Nodes: nodes, Jobs: jobs, Clock: exact.NewEventClock(time.Minute, time.Minute, 30*time.Second), PredictsTruth: true, WatchDecision: promised.watch})
		if err != nil {
			t.Fatal(err)
		}
		ours, broken := sumUp(run, jobs), 0.
		for i, o := range run.JobOutcomes {
			if promised[o.ID] && o.Finish > jobs[i].Deadline {
				broken++
			}
		}
		edf, srtf, slurm := simulate(t, system(t, "edf", nil), nodes, jobs, 0), simulate(t, system(t, "srtf", nil), nodes, jobs, 0), simulate(t, system(t, "multifactor", nil), nodes, jobs, 0)
		off := simulate(t, system(t, "chronus", nil), nodes, jobs, .2)
		note("promises broken", broken/float64(max(len(promised), 1)))
		note("missed", ours.missed)
		note("missed, run times off", off.missed)
		note("missed, edf", edf.missed)
		note("missed, srtf", srtf.missed)
		note("missed, multifactor", slurm.missed)
		note("best effort, mean edf", edf.bestMean/ours.bestMean)
		note("best effort, mean srtf", srtf.bestMean/ours.bestMean)
		note("best effort, mean multifactor", slurm.bestMean/ours.bestMean)
		note("best effort, p95 edf", edf.bestP95/ours.bestP95)
		note("best effort, p95 multifactor", slurm.bestP95/ours.bestP95)
	}
	report(t, figures)
	middle := func(name string) float64 { m, _, _ := spread(figures[name]); return m }
	if m := middle("promises broken"); m > .02 {
		t.Errorf("%.3f of the promises are broken, want .02", m)
	}
	if m := middle("best effort, mean srtf"); m < 1/1.1 {
		t.Errorf("best effort takes %.2f times as long as under srtf, want 1.1", 1/m)
	}
	if m := middle("best effort, mean edf"); m < 2 {
		t.Errorf("best effort under edf takes %.2f times as long, want 2", m)
	}
	if m := middle("missed"); m > middle("missed, multifactor")/5 {
		t.Errorf("%.3f of the deadlines are missed, want a fifth of Slurm's", m)
	}
}
