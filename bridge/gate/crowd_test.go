package gate_test

import (
	"testing"
	"time"

	"fairbridge/bridge/gate"
	"fairbridge/policy"
)

// The room of one stop is for two jobs; only one of them is named by it.
func TestARefusedStopMakesRoomForNobody(t *testing.T) {
	in := planInput()
	for _, id := range []int64{1, 2} {
		planJob(&in.CommonInput, id).Ask.GPUs.Count = 4
		d := decision(in.Plan, id)
		d.Verb, d.GPUs = policy.Start, 4
		d.On = policy.Alloc{{Node: "n1", Type: on("n1")[0].Type, Count: 4}}
	}
	d := decision(in.Plan, 11)
	d.Verb, d.StoppedFor, d.On, d.GPUs = policy.Stop, 1, nil, 0
	if out := gate.FilterPlan(in); len(out.Stops) != 1 || decision(out.Plan, 2).Verb != policy.Start {
		t.Fatalf("stops %v, refused %v; want both jobs to start in the room of one", out.Stops, out.Refusals)
	}
	viewJob(&in.CommonInput, 11).Start = noon.Add(-time.Minute)
	out := gate.FilterPlan(in)
	for _, id := range []int64{1, 2} {
		if v := decision(out.Plan, id).Verb; v != policy.Wait {
			t.Errorf("job %d is to %s where job 11 runs on, want wait", id, v)
		}
	}
	if refusals(out.Refusals, 2) != "I8" {
		t.Errorf("refused %v, want job 2 by I8", out.Refusals)
	}
}
