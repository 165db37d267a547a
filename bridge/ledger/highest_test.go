package ledger

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// What may stand in a field that no record shows is, while an answer is lost, the
// new number or the one before.
func TestMost(t *testing.T) {
	lost := func(in bridge.Intent) bridge.Intent {
		in.Error = "no answer and no effect within 4m0s"
		return in
	}
	first := number("site_factor", -663, bridge.IntentObserved)
	second := lost(over(-663, number("site_factor", -2113, bridge.IntentObserved)))
	third := lost(over(-2113, number("site_factor", -1500, bridge.IntentObserved)))
	third.Before.OurHighestValue = -663
	back := lost(number("site_factor", 0, bridge.IntentFailed))
	back.Sent, back.Closed = noon, noon.Add(maxUnansweredTime+time.Second)
	refused := back
	refused.Closed = noon
	nice := lost(over(-663, number("nice", -2113, bridge.IntentObserved)))
	for name, c := range map[string]struct {
		rows []bridge.Intent
		want int64
	}{
		"nothing":                {nil, 0},
		"seen":                   {[]bridge.Intent{first}, -663},
		"lowered without answer": {[]bridge.Intent{first, second}, -663},
		"raised without answer":  {[]bridge.Intent{lost(over(-663, number("site_factor", 40, bridge.IntentObserved)))}, 40},
		"twice without answer":   {[]bridge.Intent{third}, -663},
		"not felt, answered":     {[]bridge.Intent{withPolls(second, maxMissedPolls)}, -2113},
		"given back, no answer":  {[]bridge.Intent{first, back}, 0},
		"giving back refused":    {[]bridge.Intent{first, refused}, -663},
		"nice is shown":          {[]bridge.Intent{nice}, -2113},
	} {
		field := slurm.FieldSiteFactor
		for i := range c.rows {
			c.rows[i].ID = int64(i + 1)
			field = c.rows[i].Edit.Kind.Field()
		}
		j := waiting()
		if got := NewIntentBook(c.rows).HighestPossibleValue(j.CurrentRun(), field, noon); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// A call without an answer whose effect is seen is no doubt any more.
func TestSeenEndsDoubt(t *testing.T) {
	in, j := number("site_factor", 700, bridge.IntentUnknown), waiting()
	in.Error = "connection reset"
	j.Priority += 700
	if NewIntentBook(nil).settleAwaitedIntent(&in, &j, &slurm.View{}, noon.Add(time.Minute)); in.State != bridge.IntentObserved || isValueUncertain(&in) {
		t.Errorf("%s with %q", in.State, in.Error)
	}
}
