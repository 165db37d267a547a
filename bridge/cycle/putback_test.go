package cycle_test

import (
	"errors"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// TestADatabaseThatWasPutBack: a requeue was sent and its answer lost, and then
// the database is put back to before. It is not sent again to the same run, and
// nothing else is sent while what was sent may still be carried out.
func TestADatabaseThatWasPutBack(t *testing.T) {
	r := newRig(t, bridge.ModePreempt, "tiresias", nil)
	r.full("fairbridge:preemptible,ckpt=10s")
	r.w.Advance(r.w.Now().Add(2 * time.Hour))
	r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, WorkTime: 10 * time.Minute})
	r.wire.answer = func(e slurm.Edit) error {
		if e.Kind == slurm.EditRequeue {
			return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Err: errors.New("the connection broke")}
		}
		return nil
	}
	backup := r.db.Clone()
	for range 8 {
		r.cycles(1)
		if r.kinds()[slurm.EditRequeue] > 0 {
			break
		}
	}
	if n := r.kinds()[slurm.EditRequeue]; n != 1 {
		t.Fatalf("%d requeues were sent before the database was put back, want 1", n)
	}
	runs := map[slurm.Run]int{}
	*r.db = *backup
	sent := len(r.wire.applied)
	for range 9 { // 4:30
		last := r.cycles(1)
		if len(r.wire.applied) > sent || len(last.Doubts) == 0 || last.Result != cycle.ResultInDoubt {
			t.Fatalf("%d calls, %s, doubts %v", len(r.wire.applied)-sent, last.Result, last.Doubts)
		}
	}
	r.cycles(30)
	for _, e := range r.wire.applied {
		if e.Kind == slurm.EditRequeue {
			runs[e.Run]++
		}
	}
	for run, n := range runs {
		if n > 1 {
			t.Errorf("run %v was requeued %d times", run, n)
		}
	}
	if last := r.cycles(1); len(last.Doubts) > 0 {
		t.Errorf("still in doubt: %v", last.Doubts)
	}
}
