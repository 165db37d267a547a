package cycle_test

import (
	"fmt"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestMuchIsGoneInARow: half of the nodes are gone, by Slurm's own answers, in every other poll, and those between
// are doubtful for another reason. Only three such polls in a row are believed.
func TestMuchIsGoneInARow(t *testing.T) {
	r, _ := steered(t, bridge.LeverSiteFactor)
	standing, sent := r.standing(), len(r.wire.applied)
	r.wire.removed = map[string]bool{"n2": true}
	incomplete := false
	r.wire.spoil = func(v *slurm.View) {
		if cutNodes(1)(v); incomplete {
			v.IncompleteReason = "the list is short"
		}
	}
	for range 8 {
		r.doubted(r.cycles(1), sent, standing)
		incomplete = !incomplete
	}
	for range 2 {
		r.doubted(r.cycles(1), sent, standing)
	}
	if last := r.cycles(1); len(last.Doubts) > 0 {
		t.Errorf("three polls in a row are not believed: %v", last.Doubts)
	}
}

// TestGoneIsAskedOnce: what Slurm said of a job that lists leave out is remembered from poll to poll, since only so
// many are asked about in one.
func TestGoneIsAskedOnce(t *testing.T) {
	r, ids := steered(t, bridge.LeverSiteFactor)
	for _, id := range ids {
		if err := r.w.Cancel("new", fmt.Sprint(id)); err != nil {
			t.Fatal(err)
		}
	}
	r.w.Advance(r.w.Now().Add(time.Hour)) // Slurm has forgotten them
	asked := 0
	r.wire.between = func(*sim.World) { asked++ }
	if r.cycles(1); asked < len(ids) {
		t.Errorf("asked about %d of %d jobs", asked, len(ids))
	}
	asked = 0
	if r.cycles(1); asked > 0 {
		t.Errorf("asked again about %d jobs that are gone", asked)
	}
}
