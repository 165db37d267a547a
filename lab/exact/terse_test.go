package exact_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/lab/exact"
	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// TestTerseChangesNothingButReasons runs the same workload with and without
// reasons, and the same one twice.
func TestTerseChangesNothingButReasons(t *testing.T) {
	for name, c := range map[string]exact.Config{
		"proportional": {Jobs: generate.ShockwaveDrawer{JobCount: 40, ClusterGPUs: 8}.DrawJobs(3), SpeedTables: generate.NewSpeedTables(), Nodes: nodes(8, 1, "v100"), Clock: exact.ShockwaveClock()},
		"tiresias":     {Jobs: generate.PhillyDrawer{JobCount: 200, ClusterGPUs: 16}.DrawJobs(3), Nodes: nodes(2, 8, "v100"), Clock: exact.NewEventClock(time.Minute, 0, time.Minute)},
	} {
		t.Run(name, func(t *testing.T) {
			c.Policy = fromCatalogue(t, name)
			told := outcomes(t, c, false)
			if d := cmp.Diff(told, outcomes(t, c, true)); d != "" {
				t.Errorf("without reasons the jobs fare differently:\n%s", d)
			}
		})
	}
}

func outcomes(t *testing.T, c exact.Config, terse bool) []measure.JobOutcome {
	t.Helper()
	c.OmitsReasons = terse
	c.WatchDecision = func(_ *policy.Snapshot, p *policy.Plan) {
		for _, d := range p.Decisions {
			if terse && d.Why != "" {
				t.Errorf("job %d: %s although nobody asked why: %s", d.Job, d.Verb, d.Why)
			}
		}
	}
	return play(t, c).JobOutcomes
}

func TestNeighboursGoAsMeasured(t *testing.T) {
	tables := workload.NewSpeedTables([]workload.SpeedRow{
		{GPUType: "v100", Class: "A", GPUCount: 1, StepsPerSecond: 10}, {GPUType: "v100", Class: "B", GPUCount: 1, StepsPerSecond: 10},
		{GPUType: "v100", Class: "A", GPUCount: 1, StepsPerSecond: 5, NeighbourClass: "B", NeighbourStepsPerSecond: 8},
	})
	kind := func(id int64, class string, steps int64) workload.Job {
		return workload.Job{ID: id, GPUs: 1, Class: class, IsShareable: true, Training: &workload.Training{Model: class, Steps: steps}}
	}
	run := play(t, exact.Config{Policy: crammed{}, Nodes: one, SpeedTables: tables, Clock: exact.NewEventClock(0, 0, 0), Jobs: []workload.Job{kind(1, "A", 1000), kind(2, "B", 800)}})
	// B ends at 100 s; A has done 500 steps and goes on at 10 a second.
	same(t, "finish of B", run.JobOutcomes[1].Finish, 100)
	same(t, "finish of A", run.JobOutcomes[0].Finish, 150)
}
