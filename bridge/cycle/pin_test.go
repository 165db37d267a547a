package cycle_test

import (
	"testing"
)

// TestAPinIsNotTakenForTheOwners: a node is named for a job, goes down, and the
// list of jobs is empty for a poll. The node list stays known as ours, is taken
// back, and the job starts on the other node while the daemon lives.
func TestAPinIsNotTakenForTheOwners(t *testing.T) {
	g := newGuarded(t)
	g.minute()
	id := g.pinned()
	g.wire.spoil = emptied
	g.cycles(1)
	g.wire.spoil = nil
	g.idle()
	for range 12 {
		if j := g.job(id); j.IsRunning() {
			break
		}
		g.cycles(1)
		g.minute()
	}
	if j := g.job(id); !j.IsRunning() {
		t.Errorf("the job is %s (%s), required nodes %q; sent %v; log:\n%s", j.State, j.Reason, j.RequiredNodes.Text, g.wire.applied, g.log.String())
	}
	if out, err := g.releaser().FindReleasable(t.Context()); err != nil || len(out.Edits) > 0 {
		t.Errorf("left of ours: %v %v", out.Edits, err)
	}
}
