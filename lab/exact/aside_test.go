package exact_test

import (
	"testing"
	"time"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/backfill"
	policyengine "fairbridge/policy/engine"
	"fairbridge/replica/workload"
)

// A node is set aside from 100 to 1,000 s: what reaches into that waits for its
// end, what does not runs before, by either clock.
func TestNodesSetAside(t *testing.T) {
	node := nodes(1, 2, "v100")
	node[0].Windows = []policy.Window{{From: workload.CalendarTimeAt(100), To: workload.CalendarTimeAt(1000), Name: "m1", IsMaintenance: true}}
	jobs := []workload.Job{job(1, 0, 30), job(2, 0, 30), job(3, 500, 20)}
	jobs[0].TimeLimit, jobs[1].TimeLimit, jobs[2].TimeLimit = 200*time.Second, 50*time.Second, 30*time.Second
	for name, clock := range map[string]exact.Clock{"intervals": exact.NewEventClock(0, 0, 0), "rounds": exact.GavelClock()} {
		run := play(t, exact.Config{Policy: policyengine.Pipeline{Backfill: backfill.EASY{}}, Nodes: node, Clock: clock, Jobs: jobs})
		for i, want := range []float64{1030, 30, 1020} {
			same(t, name+": finish", run.JobOutcomes[i].Finish, want)
		}
	}
	if node[0].DownReason != "" || node[0].Windows[0].IsUnderWay {
		t.Error("the simulation changed the nodes it was given")
	}
	_, err := exact.Run(exact.Config{Policy: script{{1}}, Nodes: node, Clock: exact.NewEventClock(0, 0, 0), Jobs: jobs[:1]})
	if err == nil {
		t.Error("a plan that reaches into the time was carried out")
	}
}
