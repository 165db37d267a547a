package exact_test

import (
	"strings"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// giver starts every job on the first node with what is named for it, and restarts it there with what is
// named for the second decision.
type giver [][]policy.Amounts

func (g giver) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	plan := &policy.Plan{SnapshotSeq: s.Seq, Policy: "giver"}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		given := g[min(int(s.Seq), len(g))-1][j.ID-1]
		d := policy.Decision{Job: j.ID, Rank: i + 1, GPUs: 1, Why: "the test says so", Verb: policy.Keep, On: policy.Alloc{{Node: "n0000", Type: "v100", Count: 1}}}
		switch {
		case !j.HoldsGPUs():
			d.Verb, d.Given = policy.Start, given
		case j.Given != given:
			d.Verb, d.Given = policy.Move, given
		}
		plan.Decisions = append(plan.Decisions, d)
	}
	return plan, nil
}

// reader is a job that is twice as fast with 6 cores as with the 3 it asks.
func reader(id int64, duration float64) workload.Job {
	j := job(id, 0, duration)
	j.CPUs, j.MemMB = 3, 1000
	j.CPUScaling = &policy.CPUScaling{Points: []policy.CPUPoint{{CPUs: 3, MemMB: 500, Speed: 10}, {CPUs: 6, MemMB: 500, Speed: 20}}}
	return j
}

// TestSpeedByAmounts: a job is as fast as its cores let it, until it is restarted with others; one of which
// nothing is known is as fast as ever.
func TestSpeedByAmounts(t *testing.T) {
	plain := job(3, 0, 60)
	plain.CPUs, plain.MemMB = 3, 1000
	jobs := []workload.Job{reader(1, 60), reader(2, 60), plain}
	given := giver{{{CPUs: 6}, {}, {}}, {{CPUs: 6}, {CPUs: 6}, {}}}
	clock := exact.Clock{MinInterval: 1e9, MaxInterval: 20e9, FreeMoves: true}
	run := play(t, exact.Config{Policy: given, Nodes: nodes(1, 4, "v100"), Clock: clock, Jobs: jobs})
	for i, want := range []float64{30, 40, 60} { // job 2: 20 s as asked, then 40 s of work in 20
		same(t, "finish of job "+string(rune('1'+i)), run.JobOutcomes[i].Finish, want)
	}
	if n := run.JobOutcomes[1].StopCount; n != 0 {
		t.Errorf("a restart where it is was no free move: %d stops", n)
	}
	clock.FreeMoves, clock.RestartCost = false, 10e9
	run = play(t, exact.Config{Policy: given, Nodes: nodes(1, 4, "v100"), Clock: clock, Jobs: jobs})
	same(t, "finish of job 2 with a restart", run.JobOutcomes[1].Finish, 50)
}

// TestAsksTooLittle: a job that asks less memory than its own figures know of is refused by name.
func TestAsksTooLittle(t *testing.T) {
	j := reader(1, 60)
	j.MemMB = 400
	_, err := exact.Run(exact.Config{Policy: giver{{{}}}, Nodes: nodes(1, 4, "v100"), Clock: exact.NewEventClock(0, 0, 0), Jobs: []workload.Job{j}})
	if err == nil || !strings.Contains(err.Error(), "job 1: with what it asks, 3 cores and 400 MB, it has no speed") {
		t.Error(err)
	}
}
