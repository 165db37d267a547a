package cycle_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"fairbridge/bridge"
	"fairbridge/replica/sim"
)

// TestTheRecordSaysWhyNothingWasSent: why a cycle sends nothing stands in its record, as a
// refusal of the whole plan, and a preview says the same.
func TestTheRecordSaysWhyNothingWasSent(t *testing.T) {
	r := newRig(t, bridge.ModeRank, "drf", nil)
	r.full("")
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8})
	withheld := func() (reasons []string) {
		for _, no := range r.db.LastCycle("gpu").Refused {
			if no.Job == 0 {
				reasons = append(reasons, no.Why)
			}
		}
		return reasons
	}
	if r.cycles(1); len(withheld()) != 1 || !strings.Contains(withheld()[0], "warms up") {
		t.Errorf("the first cycle: %q", withheld())
	}
	if err := os.WriteFile(r.stops, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r.cycles(4); len(withheld()) != 1 || !strings.Contains(withheld()[0], r.stops+" exists") {
		t.Errorf("with a STOP file: %q", withheld())
	}
	if n := r.db.LastCycle("gpu").Pushed; n != 0 {
		t.Errorf("%d edits are recorded as pushed", n)
	}
	if _, evaluations, err := r.loop.Preview(t.Context()); err != nil || !slices.Equal(evaluations[0].WithheldReasons, withheld()) {
		t.Errorf("a preview says %q (%v), the record %q", evaluations[0].WithheldReasons, err, withheld())
	}
	_ = os.Remove(r.stops)
	if r.cycles(2); len(withheld()) > 0 {
		t.Errorf("after the STOP file went: %q", withheld())
	}
}
