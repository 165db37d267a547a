package exact_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/study/exact"
	"fairbridge/bridge/study/generate"
	"fairbridge/bridge/study/measure"
	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// TestTerseChangesNothingButReasons runs the same workload with and without
// reasons, and the same one twice.
func TestTerseChangesNothingButReasons(t *testing.T) {
	for name, c := range map[string]exact.Config{
		"proportional": {Jobs: generate.ShockwaveDrawer{Jobs: 40, GPUs: 8}.Draw(3), Tables: generate.NewTables(), Nodes: nodes(8, 1, "v100"), Clock: exact.ShockwaveClock()},
		"tiresias":     {Jobs: generate.PhillyDrawer{Jobs: 200, GPUs: 16}.Draw(3), Nodes: nodes(2, 8, "v100"), Clock: exact.NewIntervalClock(time.Minute, 0, time.Minute)},
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

func outcomes(t *testing.T, c exact.Config, terse bool) []measure.Outcome {
	t.Helper()
	c.Terse = terse
	c.Watch = func(_ *policy.Snapshot, p *policy.Plan) {
		for _, d := range p.Decisions {
			if terse && d.Why != "" {
				t.Errorf("job %d: %s although nobody asked why: %s", d.Job, d.Verb, d.Why)
			}
		}
	}
	return play(t, c).Jobs
}

func TestNeighboursGoAsMeasured(t *testing.T) {
	tables := workload.NewTables([]workload.SpeedRow{
		{Type: "v100", Class: "A", GPUs: 1, Steps: 10}, {Type: "v100", Class: "B", GPUs: 1, Steps: 10},
		{Type: "v100", Class: "A", GPUs: 1, Steps: 5, Other: "B", OtherSteps: 8},
	})
	kind := func(id int64, class string, steps int64) workload.Job {
		return workload.Job{ID: id, GPUs: 1, Class: class, Shareable: true, Training: &workload.Training{Model: class, Steps: steps}}
	}
	run := play(t, exact.Config{Policy: crammed{}, Nodes: one, Tables: tables, Clock: exact.NewIntervalClock(0, 0, 0), Jobs: []workload.Job{kind(1, "A", 1000), kind(2, "B", 800)}})
	// B ends at 100 s; A has done 500 steps and goes on at 10 a second.
	same(t, "finish of B", run.Jobs[1].Finish, 100)
	same(t, "finish of A", run.Jobs[0].Finish, 150)
}
