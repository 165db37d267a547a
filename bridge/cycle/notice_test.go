package cycle_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/sim"
)

// gracious is a cluster full of two jobs that may be stopped, and a short one
// that wants the place of one.
func gracious(t *testing.T, comment string) (r *rig, short int64) {
	r = newRig(t, bridge.ModePreempt, "tiresias", nil)
	r.full(comment)
	r.w.Advance(r.w.Now().Add(2 * time.Hour)) // far into the second queue
	return r, r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 8, WorkTime: 10 * time.Minute, TimeLimit: 30 * time.Minute})
}

// until runs cycles until something is true.
func (r *rig) until(what string, ok func() bool) {
	r.t.Helper()
	for range 40 {
		if ok() {
			return
		}
		r.cycles(1)
	}
	r.t.Fatalf("not within 40 cycles: %s; sent %v; log:\n%s", what, r.wire.applied, r.log.String())
}

// requeuedAt notes when the first requeue arrives.
func (r *rig) requeuedAt() *time.Time {
	at := &time.Time{}
	r.wire.answer = func(e slurm.Edit) error {
		if e.Kind == slurm.EditRequeue && at.IsZero() {
			*at = r.w.Now()
		}
		return nil
	}
	return at
}

// TestGrace: the script is warned once, and the job requeued no earlier than its
// grace after that, also when the daemon is killed in between.
func TestGrace(t *testing.T) {
	for name, killed := range map[string]bool{"one daemon": false, "killed in between": true} {
		t.Run(name, func(t *testing.T) {
			r, short := gracious(t, "fairbridge:preemptible,ckpt=10s,grace=2m,signal=USR2")
			at := r.requeuedAt()
			r.until("a warning", func() bool { return len(r.w.DeliveredSignals()) > 0 })
			if killed {
				r.restart()
			}
			r.until("the short job runs", func() bool { j := r.job(short); return !j.IsPending() })
			got := r.w.DeliveredSignals()
			if len(got) != 1 || got[0].Signal != slurm.USR2 || at.Sub(got[0].At) < 2*time.Minute || at.Sub(got[0].At) > 4*time.Minute {
				t.Errorf("signals %v, requeued at %v", got, at)
			}
			if n := r.kinds(); n[slurm.EditWarn] != 1 || n[slurm.EditRequeue] != 1 {
				t.Errorf("sent %v", n)
			}
			if !slices.ContainsFunc(r.intents(), func(in bridge.Intent) bool { return in.Edit.Kind == slurm.EditWarn && in.Edit.Run.Job == got[0].JobID }) {
				t.Errorf("the ledger does not tell of the warning: %+v", r.intents())
			}
		})
	}
}

// TestAWarnedJobRunsOnWhenThePlanChanges: who was to get its place is gone.
func TestAWarnedJobRunsOnWhenThePlanChanges(t *testing.T) {
	r, short := gracious(t, "fairbridge:preemptible,ckpt=10s,grace=5m")
	r.until("a warning", func() bool { return len(r.w.DeliveredSignals()) > 0 })
	if err := r.w.Cancel("new", fmt.Sprint(short)); err != nil {
		t.Fatal(err)
	}
	r.cycles(40)
	if n := r.kinds(); n[slurm.EditWarn] != 1 || n[slurm.EditRequeue] != 0 || r.w.DeliveredSignals()[0].Signal != slurm.USR1 {
		t.Errorf("sent %v, signals %v", n, r.w.DeliveredSignals())
	}
}

// TestNothingIsGivenTwiceWhileAJobIsWarned: two jobs want the place of one.
func TestNothingIsGivenTwiceWhileAJobIsWarned(t *testing.T) {
	r, _ := gracious(t, "fairbridge:preemptible,ckpt=10s,grace=3m")
	r.submit(sim.JobSpec{User: "other", Account: "z", GPUs: 8, WorkTime: 10 * time.Minute, TimeLimit: 30 * time.Minute})
	r.until("a requeue", func() bool { return r.kinds()[slurm.EditRequeue] > 0 })
	warned := map[int64]bool{}
	for _, s := range r.w.DeliveredSignals() {
		if warned[s.JobID] {
			t.Errorf("job %d was warned twice: %v", s.JobID, r.w.DeliveredSignals())
		}
		warned[s.JobID] = true
	}
	if len(warned) > 2 {
		t.Errorf("warned %v for two jobs", r.w.DeliveredSignals())
	}
}

// TestNobodyIsStoppedUnwarned: a warning that cannot be sent is not replaced by
// a requeue.
func TestNobodyIsStoppedUnwarned(t *testing.T) {
	r, _ := gracious(t, "fairbridge:preemptible,ckpt=10s,grace=1m")
	r.conf.Budgets.Cooldown = 2 * time.Hour
	r.restart()
	r.wire.answer = func(e slurm.Edit) error {
		if e.Kind == slurm.EditWarn {
			return &slurm.Error{Class: slurm.ErrorBadRequest, Text: "no scancel"}
		}
		return nil
	}
	r.cycles(20)
	if n := r.kinds(); n[slurm.EditRequeue] > 0 || n[slurm.EditWarn] == 0 || n[slurm.EditWarn] > 2 {
		t.Errorf("sent %v", n)
	}
}

// TestAPartitionsGrace holds for owners who say nothing, with a signal that ends
// no script; an owner may decline.
func TestAPartitionsGrace(t *testing.T) {
	for comment, want := range map[string]slurm.Signal{
		"fairbridge:preemptible,ckpt=10s": slurm.CONT, "fairbridge:preemptible,ckpt=10s,grace=0s": "", "fairbridge:preemptible,ckpt=10s,signal=HUP": slurm.HUP,
	} {
		t.Run(comment, func(t *testing.T) {
			r, short := gracious(t, comment)
			r.conf.Partitions[0].Warning = bridge.Notice{Grace: time.Minute}
			r.restart()
			r.until("the short job runs", func() bool { j := r.job(short); return !j.IsPending() })
			var got slurm.Signal
			for _, s := range r.w.DeliveredSignals() {
				got += s.Signal
			}
			if got != want {
				t.Errorf("warned by %q, want %q", got, want)
			}
		})
	}
}

// TestObservingShowsStopsOfJobsWithAGrace: nobody is warned there, so that the
// plan would never get to them.
func TestObservingShowsStopsOfJobsWithAGrace(t *testing.T) {
	r, _ := gracious(t, "fairbridge:preemptible,ckpt=10s,grace=2m")
	r.conf.Partitions[0].Mode = bridge.ModeObserve
	r.restart()
	last := r.cycles(4)
	if !slices.ContainsFunc(last.PartitionResults[0].Plan.Decisions, func(d policy.Decision) bool { return d.Verb == policy.Stop }) || len(r.wire.applied) > 0 {
		t.Errorf("the plan stops nobody, or something was sent: %v", r.wire.applied)
	}
}

// TestGraceUnderEveryPolicy: whatever the policy, no run is warned twice within
// the cooldown or requeued before its grace is over, and most warnings lead to a stop.
func TestGraceUnderEveryPolicy(t *testing.T) {
	warned, stopped := 0, 0
	for _, e := range catalogue.Systems() {
		if testing.Short() && !slices.Contains([]string{"fairbridge", "gavel", "tiresias"}, e.Name) {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			w, s := gracefully(t, e.Name)
			warned, stopped = warned+w, stopped+s
		})
	}
	if warned == 0 || stopped*3 < warned*2 {
		t.Errorf("%d warnings, %d stops", warned, stopped)
	}
	t.Logf("%d warnings, %d stops", warned, stopped)
}

// gracefully plays two hours on a full cluster and counts warnings and stops.
func gracefully(t *testing.T, name string) (warned, stopped int) {
	const comment, grace = "fairbridge:preemptible,ckpt=10s,grace=2m", 2 * time.Minute
	r := newRig(t, bridge.ModePreempt, name, nil)
	g := &r.conf.Budgets
	g.JobStops4h, g.JobStops24h, g.UserStops1h, g.AccountStops1h, g.Cooldown = 10, 20, 100, 100, 20*time.Minute
	r.restart()
	at := map[slurm.Run]time.Time{}
	r.wire.answer = func(e slurm.Edit) error {
		since, ok := at[e.Run]
		switch {
		case e.Kind == slurm.EditWarn && ok && r.w.Now().Sub(since) < g.Cooldown:
			t.Errorf("%v was warned %v ago", e, r.w.Now().Sub(since))
		case e.Kind == slurm.EditWarn:
			warned++
			at[e.Run] = r.w.Now()
		case e.Kind == slurm.EditRequeue && (!ok || r.w.Now().Sub(since) < grace):
			t.Errorf("%v was warned: %v, %v ago", e, ok, r.w.Now().Sub(since))
		case e.Kind == slurm.EditRequeue:
			stopped++
		}
		return nil
	}
	for i := range 8 {
		r.submit(sim.JobSpec{User: "hog", Account: "x", GPUs: 2, WorkTime: 5*time.Hour + time.Duration(i)*time.Minute, TimeLimit: 6 * time.Hour, Comment: comment, Checkpoints: true})
	}
	r.w.Advance(r.w.Now().Add(time.Hour))
	for i := range 12 {
		r.submit(sim.JobSpec{User: "new", Account: "y", GPUs: 1 + i%4, WorkTime: 20 * time.Minute, TimeLimit: time.Hour, Comment: comment, Checkpoints: true})
		r.cycles(4)
	}
	r.cycles(60)
	return warned, stopped
}

// TestStopsWaitForAWholeList: where polls read only what changed, a whole list is asked for when a
// stop would be sent but for that, and the stop comes with the next poll, no later; nothing
// else asks for one, nor does a stop while nothing is sent.
func TestStopsWaitForAWholeList(t *testing.T) {
	requeued := map[bool]time.Time{}
	for _, partial := range []bool{false, true} {
		r, short := gracious(t, "fairbridge:preemptible,ckpt=10s")
		at, polls := r.requeuedAt(), 0
		r.wire.partial = func() bool { polls++; return partial && polls > 1 }
		said := false
		for i := 0; i < 20 && at.IsZero(); i++ {
			for _, x := range r.cycles(1).PartitionResults[0].Refusals {
				said = said || int64(x.Job) == short && strings.Contains(x.Why, "a whole list of jobs is read first")
			}
		}
		requeued[partial] = *at
		r.cycles(5)
		if n := r.kinds(); n[slurm.EditRequeue] != 1 || (r.wire.fullReads == 1) != partial || said != partial {
			t.Errorf("partial %t: sent %v, asked for a whole list %d times, explained %t", partial, n, r.wire.fullReads, said)
		}
	}
	if late := requeued[true].Sub(requeued[false]); late > bridge.DefaultConfig().Interval {
		t.Errorf("by partial lists a stop comes %v later", late)
	}
	r, _ := gracious(t, "fairbridge:preemptible,ckpt=10s")
	r.wire.partial = func() bool { return true }
	if err := os.WriteFile(r.stops, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r.cycles(5); r.wire.fullReads > 0 {
		t.Errorf("a whole list was asked for %d times while nothing is sent", r.wire.fullReads)
	}
}
