package gate_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/gate"
	"fairbridge/policy"
)

// TestGainOnSizesOfOurs: what a job can do within its time limit is less on fewer GPUs, and no more on more; what is
// predicted of it is the same work on all. The victim loses 40 GPU-minutes, three times of which must be gained.
func TestGainOnSizesOfOurs(t *testing.T) {
	for name, c := range map[string]struct {
		limit, left time.Duration
		given       int
		want        string
	}{
		"by the limit, as asked":           {30 * time.Minute, 0, 4, ""},
		"by the limit, on half":            {59 * time.Minute, 0, 2, "I8"},
		"by twice the limit, on half":      {60 * time.Minute, 0, 2, ""},
		"by the limit, on twice":           {29 * time.Minute, 0, 8, "I8"},
		"predicted, as asked":              {24 * time.Hour, 30 * time.Minute, 4, ""},
		"predicted, on half":               {24 * time.Hour, 30 * time.Minute, 2, ""},
		"predicted, cut by the limit":      {40 * time.Minute, 30 * time.Minute, 2, "I8"},
		"predicted too little, on twice":   {24 * time.Hour, 29 * time.Minute, 8, "I8"},
		"predicted without limit, on half": {0, 30 * time.Minute, 2, ""},
	} {
		in := elasticWorld()
		in.Snapshot.Nodes = in.Snapshot.Nodes[:4]
		planJob(&in.CommonInput, 11).On, decision(in.Plan, 11).On = on("n1"), on("n1")
		swap(&in, 12, 1)
		to, d := planJob(&in.CommonInput, 1), decision(in.Plan, 1)
		to.Limit, to.PredictedLeft = c.limit, c.left
		d.GPUs, d.On[0].Count = c.given, c.given
		out := gate.FilterPlan(in)
		if got := refusals(out.Refusals, 1); got != c.want || (len(out.Stops) == 1) != (c.want == "") {
			t.Errorf("%s: refused by %q, want %q; stops %+v", name, got, c.want, out.Stops)
		}
	}
}

// TestResizesNearTheEnd: whether a run lasts long enough for another size is seen on what it holds and on what it would
// hold, and not on what it asks.
func TestResizesNearTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		held, given int
		left        time.Duration // on the 4 that it asks
		want        string
	}{
		"long enough as asked":        {4, 2, 20 * time.Minute, ""},
		"too short as held":           {8, 2, 30 * time.Minute, "it is expected to end in 17m37s"},
		"long enough as held":         {2, 4, 20 * time.Minute, ""},
		"too short once it has grown": {4, 8, 30 * time.Minute, "it is expected to end in 17m37s"},
		"long enough on all":          {4, 8, 35 * time.Minute, ""},
	} {
		in := elasticWorld()
		p, d := planJob(&in.CommonInput, 11), decision(in.Plan, 11)
		p.PredictedLeft, p.On = c.left, gpusOf("n1", c.held)
		d.Verb, d.GPUs, d.On = policy.Resize, c.given, gpusOf("n5", c.given)
		out := gate.FilterPlan(in)
		why := ""
		for _, r := range out.Refusals {
			if r.Job == 11 {
				why = r.Why
			}
		}
		if len(out.Stops) == 1 != (c.want == "") || !strings.Contains(why, c.want) {
			t.Errorf("%s: refused by %q, want %q; stops %+v", name, why, c.want, out.Stops)
		}
	}
}
