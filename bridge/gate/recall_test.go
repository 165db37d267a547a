package gate_test

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/policy"
)

// TestRecall: a job that runs on what others leave has no run time of its own and no budget of stops against a job that does
// not; whatever else holds for stops holds.
func TestRecall(t *testing.T) {
	for name, c := range map[string]struct {
		change func(in *gate.PlanInput)
		want   string // the sentence that refuses it; "": none
	}{
		"just begun":        {nil, ""},
		"nothing is lent":   {func(in *gate.PlanInput) { in.Budgets.Recall = 0 }, "I6"},
		"not opportunistic": {func(in *gate.PlanInput) { planJob(&in.CommonInput, 11).Sharing = nil }, "I6"},
		"for one of its like": {func(in *gate.PlanInput) {
			planJob(&in.CommonInput, 1).Sharing = &policy.Sharing{IsOpportunistic: true}
		}, "I6"},
		"stopped just before": {func(in *gate.PlanInput) {
			in.RequeueTimesByJob[11] = []time.Time{noon.Add(-2 * time.Minute), noon.Add(-3 * time.Minute), noon.Add(-4 * time.Minute)}
		}, ""},
		"its user's budget is spent": {func(in *gate.PlanInput) {
			for range in.Budgets.UserStops1h {
				in.RecentStops = append(in.RecentStops, bridge.Stop{Job: 99, StopCost: bridge.StopCost{User: "u11", GPUs: 8}, DecidedAt: noon.Add(-time.Minute)})
			}
		}, ""},
		"did not opt in":             {func(in *gate.PlanInput) { planJob(&in.CommonInput, 11).UnstoppableReason = "no" }, "I5"},
		"mode steer":                 {func(in *gate.PlanInput) { in.ModeByPartition["gpu"] = bridge.ModeSteer }, "I20"},
		"who gets it does not start": {func(in *gate.PlanInput) { decision(in.Plan, 1).Verb, decision(in.Plan, 1).On = policy.Wait, nil }, "I8"},
	} {
		t.Run(name, func(t *testing.T) {
			in := planInput()
			planJob(&in.CommonInput, 11).Sharing = &policy.Sharing{IsOpportunistic: true}
			viewJob(&in.CommonInput, 11).Start = noon.Add(-time.Minute)
			swap(&in, 11, 1)
			if c.change != nil {
				c.change(&in)
			}
			out := gate.FilterPlan(in)
			if got := refusals(out.Refusals, 11); got != c.want || (c.want == "") != (len(out.Stops) == 1) {
				t.Fatalf("refused by %q, want %q; stops %+v, %+v", got, c.want, out.Stops, out.Refusals)
			}
			if c.want == "" && out.Stops[0].Recall != in.Budgets.Recall {
				t.Errorf("%+v", out.Stops[0])
			}
		})
	}
	in := planInput() // recalls leave the budgets to others
	for range 50 {
		in.RecentStops = append(in.RecentStops, bridge.Stop{Job: 99, StopCost: bridge.StopCost{User: "u11", Account: "b", GPUs: 8, Recall: time.Minute}, DecidedAt: noon.Add(-time.Minute)})
	}
	if swap(&in, 11, 1); len(gate.FilterPlan(in).Stops) != 1 {
		t.Errorf("%+v", gate.FilterPlan(in).Refusals)
	}
}
