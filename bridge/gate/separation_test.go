package gate_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/neighbours"
	"fairbridge/policy"
)

// TestSeparation: a job is stopped for one that runs on only where they share a GPU and that was measured to be hurt, and
// within all other sentences.
func TestSeparation(t *testing.T) {
	for name, c := range map[string]struct {
		change func(in *gate.PlanInput)
		want   string // the sentence that refuses it; "": none
	}{
		"measured":        {nil, ""},
		"not measured":    {func(in *gate.PlanInput) { in.Separations = nil }, "I8"},
		"of another job":  {func(in *gate.PlanInput) { in.Separations[0].Leaves = 13 }, "I8"},
		"for another job": {func(in *gate.PlanInput) { decision(in.Plan, 12).StoppedFor = 13 }, "I8"},
		"on another node": {func(in *gate.PlanInput) { planJob(&in.CommonInput, 12).On = on("n2") }, "I8"},
		"who is hurt leaves, too": {func(in *gate.PlanInput) {
			decision(in.Plan, 11).Verb, decision(in.Plan, 11).On = policy.Move, on("n9")
		}, "I8"},
		"has just begun": {func(in *gate.PlanInput) { viewJob(&in.CommonInput, 12).Start = noon.Add(-time.Minute) }, "I6"},
		"did not opt in": {func(in *gate.PlanInput) { planJob(&in.CommonInput, 12).UnstoppableReason = "no" }, "I5"},
		"mode steer":     {func(in *gate.PlanInput) { in.ModeByPartition["gpu"] = bridge.ModeSteer }, "I20"},
		"budget of its user": {func(in *gate.PlanInput) {
			for range in.Budgets.UserStops1h {
				in.RecentStops = append(in.RecentStops, bridge.Stop{Job: 99, StopCost: bridge.StopCost{User: "u12"}, DecidedAt: noon.Add(-time.Minute)})
			}
		}, "I7"},
		"stopped not long ago": {func(in *gate.PlanInput) {
			in.RequeueTimesByJob[12] = []time.Time{noon.Add(-time.Hour)}
		}, "I6"},
	} {
		t.Run(name, func(t *testing.T) {
			in := planInput()
			planJob(&in.CommonInput, 12).On = on("n1")
			in.Separations = []bridge.Separation{{Jobs: []int64{11, 12}, Leaves: 12, For: 11, Why: "it is slowed"}}
			in.Plan = neighbours.Apply(quiet(&in.CommonInput), in.Separations)
			if c.change != nil {
				c.change(&in)
			}
			out := gate.FilterPlan(in)
			if got := refusals(out.Refusals, 12); got != c.want || (c.want == "") != (len(out.Stops) == 1) {
				t.Fatalf("refused by %q, want %q; stops %+v, %+v", got, c.want, out.Stops, out.Refusals)
			}
			if c.want != "" {
				return
			}
			if s := out.Stops[0]; s.Job != 12 || s.Beneficiary != 11 || !s.Apart {
				t.Errorf("%+v", s)
			}
		})
	}
}
