package exact_test

import (
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

func TestRoundsEndEarlyAndArrivalsWait(t *testing.T) {
	// Rounds begin at 0, 120 and 240; the last ends with its only runner. Job 2
	// arrives within the first and is seen at its end; job 3 when nobody is there.
	run := play(t, exact.Config{Policy: script{{1, 2, 3}}, Nodes: nodes(2, 1, "v100"), Clock: exact.ShockwaveClock(),
		Jobs: []workload.Job{job(1, 0, 300), job(2, 10, 50), job(3, 1000, 30)}})
	for i, want := range []float64{300, 170, 1030} {
		same(t, "finish", run.JobOutcomes[i].Finish, want)
	}
	same(t, "makespan", run.MakespanSeconds, 1030)
	if len(run.DecideSeconds) != 4 {
		t.Errorf("%d decisions, want 4: at 0, 120, 240 and 1000", len(run.DecideSeconds))
	}
	same(t, "busy time", run.BusyGPUSeconds, 300+50+30)
	// Job 1 shared three rounds with 0, 1 and 0 others.
	same(t, "jobs present", run.JobOutcomes[0].MeanJobsPresent, 4.0/3)
}

func TestStartsCostTheNearlyFullRound(t *testing.T) {
	// One GPU, in turns. Job 1 starts free in the first round and does 120 s;
	// job 2 then loses 20 of 120; job 1 likewise, and has 30 s left: too short a
	// round to cost anything, as is job 2's last with 115 s.
	run := play(t, exact.Config{Policy: script{{1}, {2}, {1}, {2}, {1}}, Nodes: one, Clock: exact.ShockwaveClock(),
		Jobs: []workload.Job{job(1, 0, 250), job(2, 0, 215)}})
	same(t, "finish of job 2", run.JobOutcomes[1].Finish, 475)
	same(t, "finish of job 1", run.JobOutcomes[0].Finish, 505)
	same(t, "lost by job 1", run.JobOutcomes[0].LostService, 20)
	same(t, "lost by job 2", run.JobOutcomes[1].LostService, 20)
	same(t, "service of job 1", run.JobOutcomes[0].Service, 270)
	same(t, "busy time", run.BusyGPUSeconds, 250+215)
	if run.JobOutcomes[0].StopCount != 2 || run.JobOutcomes[1].StopCount != 1 {
		t.Errorf("stops %d and %d, want 2 and 1", run.JobOutcomes[0].StopCount, run.JobOutcomes[1].StopCount)
	}
}

func TestKeptJobsPayNothing(t *testing.T) {
	run := play(t, exact.Config{Policy: script{{1}}, Nodes: one, Clock: exact.ShockwaveClock(), Jobs: []workload.Job{job(1, 0, 1000)}})
	same(t, "finish", run.JobOutcomes[0].Finish, 1000)
}

// lm is an LM job; at batch 10 an epoch has 5,968 steps.
func lm(mode workload.BatchMode, steps int64) workload.Job {
	return workload.Job{ID: 1, GPUs: 1, Class: "LM (batch size 10)", Training: &workload.Training{Model: "LM", BatchSize: 10, Mode: mode, Steps: steps}}
}

var lmTables = workload.NewSpeedTables([]workload.SpeedRow{
	{GPUType: "v100", Class: "LM (batch size 10)", GPUCount: 1, StepsPerSecond: 100.005},
	{GPUType: "v100", Class: "LM (batch size 20)", GPUCount: 1, StepsPerSecond: 50},
	{GPUType: "v100", Class: "LM (batch size 40)", GPUCount: 1, StepsPerSecond: 30},
	{GPUType: "v100", Class: "LM (batch size 80)", GPUCount: 1, StepsPerSecond: 20},
})

func TestTrainingRunsWholeSteps(t *testing.T) {
	// int(100.005 × 120) = 12,000 steps a round, which take a little less.
	run := play(t, exact.Config{Policy: script{{1}}, Nodes: one, Clock: exact.ShockwaveClock(), SpeedTables: lmTables, Jobs: []workload.Job{lm(workload.StaticMode, 30_000)}})
	same(t, "finish", run.JobOutcomes[0].Finish, 30_000/100.005)
	same(t, "alone", run.JobOutcomes[0].ExclusiveRunSeconds, 6*59_675/10.0/100.005)
	// A start after a pause loses 20 s in whole steps: 12,000 × (t−20)/t, cut.
	late := exact.Config{Policy: script{{1}, {2}, {1}}, Nodes: one, Clock: exact.ShockwaveClock(), SpeedTables: lmTables,
		Jobs: []workload.Job{lm(workload.StaticMode, 30_000), job(2, 0, 60)}}
	var done []float64
	late.WatchDecision = func(s *policy.Snapshot, _ *policy.Plan) { done = append(done, s.Jobs[0].Training.StepsDone) }
	play(t, late)
	if len(done) < 4 || done[3] != 12_000+9_999 {
		t.Errorf("steps done at the decisions: %v, want the fourth to be 21,999", done)
	}
}

func TestBatchSizesLagARound(t *testing.T) {
	// The noise scale doubles LM's batch of 10 from epoch 11, asked for when epoch
	// 10 has begun (5 rounds, 60,000 steps) and done at the end of the next round:
	// 72,000 steps, 12.06 epochs, count as 13 of 2,984 steps.
	c := exact.Config{Policy: script{{1}}, Nodes: one, Clock: exact.ShockwaveClock(), SpeedTables: lmTables, Jobs: []workload.Job{lm(workload.GNSMode, 23*5_968)}}
	var seen []policy.Training
	c.WatchDecision = func(s *policy.Snapshot, _ *policy.Plan) { seen = append(seen, *s.Jobs[0].Training) }
	c.Clock.MaxOverrunFactor = 0
	play(t, c)
	if seen[5].BatchSize != 10 || seen[5].StepsDone != 60_000 || seen[6].BatchSize != 20 || seen[6].StepsDone != 13*2_984 || seen[6].Steps != 23*2_984 {
		t.Errorf("after 5 rounds %+v, after 6 %+v", seen[5], seen[6])
	}
	if e := seen[6]; e.Epochs != 23 || e.EpochsDone != 13 || len(e.SeenRegimes) != 2 || e.SeenRegimes[0].Epochs != 13 {
		t.Errorf("epochs after the change: %+v", e)
	}
}

func TestOverrunEndsAJob(t *testing.T) {
	c := exact.Config{Policy: script{{1}}, Nodes: one, Clock: exact.ShockwaveClock(), SpeedTables: lmTables, Jobs: []workload.Job{lm(workload.StaticMode, 10*5_968)}}
	c.Clock.MaxOverrunFactor = 0.5 // ended once it has run more than 298 s: after the third round
	run := play(t, c)
	same(t, "finish", run.JobOutcomes[0].Finish, 36_000/100.005)
}

func TestProfiledJobsTellTheirPlan(t *testing.T) {
	c := exact.Config{Policy: script{{1}}, Nodes: one, Clock: exact.ShockwaveClock(), SpeedTables: lmTables, ReportsPlannedRegimes: true, Jobs: []workload.Job{lm(workload.AccordionMode, 40*5_968)}}
	var last []policy.Regime
	c.WatchDecision = func(s *policy.Snapshot, _ *policy.Plan) { last = append(last[:0], s.Jobs[0].Training.SeenRegimes...) }
	play(t, c)
	// It plans with its own batch up to and with epoch 12, 30 % of 40.
	if len(last) != 2 || last[0].Epochs != 13 || last[1].BatchSize != 80 {
		t.Errorf("told %+v", last)
	}
}

func TestGavelStartsAreFree(t *testing.T) {
	run := play(t, exact.Config{Policy: script{{1}, {2}, {1}}, Nodes: one, Clock: exact.GavelClock(), Jobs: []workload.Job{job(1, 0, 700), job(2, 0, 360)}})
	same(t, "finish", run.JobOutcomes[0].Finish, 360+360+340)
	if exact.GavelClock().RoundLength != 6*time.Minute {
		t.Error("Gavel's rounds last 6 minutes")
	}
}
