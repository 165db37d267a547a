package oracle

import (
	"testing"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestAStandbyComparesWithNothing: a daemon that saw all nodes notices that half are missing. After a standby it
// does not, until it has seen all of them again.
func TestAStandbyComparesWithNothing(t *testing.T) {
	o := judge(t, sim.JobSpec{}, nil)
	d := o.daemon(t)
	whole, cut := *d.TrueView, *d.TrueView
	cut.Nodes = cut.Nodes[:len(cut.Nodes)/2]
	for i, step := range []struct {
		view      *slurm.View
		isStandby bool // before it
		isSeen    bool // what is wrong with it
	}{{&whole, false, false}, {&cut, false, true}, {&cut, true, false}, {&whole, false, false}, {&cut, false, true}} {
		if step.isStandby {
			d.countGoodPoll(&Step{IsStandby: true})
		}
		d.NoteStep()
		d.NoteView(step.view, 0, &o.Site.Budgets)
		if got := d.seenViewFault != ""; got != step.isSeen {
			t.Errorf("view %d is wrong: %q, want %t", i, d.seenViewFault, step.isSeen)
		}
	}
}

// TestAValueOfOursThatIsSetAgain: where a person replaced our value and another sets it again, it counts as
// ours; any other value does not.
func TestAValueOfOursThatIsSetAgain(t *testing.T) {
	for value, want := range map[int64]string{700: CauseSameValue, 701: ""} {
		o := judge(t, sim.JobSpec{}, nil)
		e := o.jobBook.entryForJob(o.actualJob(o.job))
		ours := sim.JobUpdate{Nice: sim.Ptr(int64(700))}
		o.jobBook.noteOurWrite(e, &ours, &slurm.Job{Nice: 700}, o.World.Now())
		e.stateByField[FieldNice].writtenAt = o.startTime.Add(-1e12)
		for _, nice := range []int64{5, value} {
			after := slurm.Job{Nice: nice}
			o.jobBook.noteForeignWrite(e, o.World.Now(), "ann", &sim.JobUpdate{Nice: &nice}, &after, &after)
		}
		if got := e.stateByField[FieldNice].knownCause(); got != want {
			t.Errorf("nice %d set again is known by %q, want %q", value, got, want)
		}
	}
}
