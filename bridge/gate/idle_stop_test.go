package gate_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
)

// TestIdleStop: a stop because GPUs do no work is one only where the partition, the owner and what was measured say so, and
// within all other sentences.
func TestIdleStop(t *testing.T) {
	for name, c := range map[string]struct {
		change func(in *gate.PlanInput)
		want   string // the sentence that refuses it; "": none
	}{
		"measured":                {nil, ""},
		"just long enough":        {func(in *gate.PlanInput) { in.UseByJob[11] = bridge.JobUse{IdleFor: 2 * time.Hour} }, ""},
		"a second too short":      {func(in *gate.PlanInput) { in.UseByJob[11] = bridge.JobUse{IdleFor: 2*time.Hour - time.Second} }, "I26"},
		"not measured":            {func(in *gate.PlanInput) { in.UseByJob = nil }, "I26"},
		"below the gate's least":  {func(in *gate.PlanInput) { in.StopIdleAfter, in.Budgets.IdleMin = time.Second, 4*time.Hour }, "I26"},
		"the partition is silent": {func(in *gate.PlanInput) { in.StopIdleAfter = 0 }, "I26"},
		"its owner is silent":     {func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).Directive.RequeueIdle = false }, "I26"},
		"a replica":               {func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).Directive.Service = "chat" }, "I26"},
		"did not opt in":          {func(in *gate.PlanInput) { planJob(&in.CommonInput, 11).UnstoppableReason = "no" }, "I5"},
		"mode steer":              {func(in *gate.PlanInput) { in.ModeByPartition["gpu"] = bridge.ModeSteer }, "I20"},
		"has just begun":          {func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).Start = noon.Add(-time.Minute) }, "I6"},
		"stopped not long ago":    {func(in *gate.PlanInput) { in.RequeueTimesByJob[11] = []time.Time{noon.Add(-time.Hour)} }, "I6"},
		"exempt":                  {func(in *gate.PlanInput) { in.Budgets.ExemptJobs = []int64{11} }, "I15"},
		"left alone":              {func(in *gate.PlanInput) { in.LeftAloneReasonByUser = map[string]string{"u11": "no"} }, "I3"},
		"budget of its user": {func(in *gate.PlanInput) {
			for range in.Budgets.UserStops1h {
				in.RecentStops = append(in.RecentStops, bridge.Stop{Job: 99, StopCost: bridge.StopCost{User: "u11"}, DecidedAt: noon.Add(-time.Minute)})
			}
		}, "I7"},
		"the other is held": {func(in *gate.PlanInput) { planJob(&in.CommonInput, 1).HeldReason = "held" }, "I8"},
	} {
		t.Run(name, func(t *testing.T) {
			in := planInput()
			swap(&in, 11, 1)
			in.IdleStop, in.StopIdleAfter = &bridge.IdleStop{Job: 11, For: 1}, 2*time.Hour
			in.UseByJob = map[int64]bridge.JobUse{11: {IdleFor: 3 * time.Hour}}
			viewJob(&in.CommonInput, 11).Directive.RequeueIdle = true
			if c.change != nil {
				c.change(&in)
			}
			out := gate.FilterPlan(in)
			if got := refusals(out.Refusals, 11); got != c.want || (c.want == "") != (len(out.Stops) == 1) {
				t.Fatalf("refused by %q, want %q; stops %+v, %+v", got, c.want, out.Stops, out.Refusals)
			}
			if c.want == "" && (out.Stops[0].Idle != in.UseByJob[11].IdleFor || out.Stops[0].Beneficiary != 1) {
				t.Errorf("%+v", out.Stops[0])
			}
		})
	}
}
