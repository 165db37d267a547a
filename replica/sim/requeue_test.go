package sim

import (
	"testing"
	"time"
)

func TestRequeueComesBackAfterTheDelay(t *testing.T) {
	w := world(t)
	id := submit(t, w, JobSpec{Priority: 5_000, Nice: 0})
	advance(w, time.Minute)
	before := get(t, w, id)
	if err := w.Requeue(OperatorUser, "1", true); err != nil {
		t.Fatal(err)
	}
	if j := get(t, w, id); !j.HasFlag("COMPLETING") || j.Nodes.Text != "n1" || !j.CurrentRun().IsSameRun(before.CurrentRun()) {
		t.Fatalf("right after: %s %v on %q", j.State, j.Flags, j.Nodes.Text)
	}
	advance(w, time.Second)
	j := get(t, w, id)
	if j.State != "PENDING" || len(j.Flags) != 0 || j.Restarts != 1 || j.Reason != "BeginTime" || j.Priority != 5_000 || j.Nodes.Text != "" {
		t.Fatalf("%+v", j)
	}
	if j.SLUID == before.SLUID || !j.Submit.After(before.Submit) || !j.AccrueTime.Equal(j.EligibleTime) {
		t.Errorf("run %s submit %v accrue %v", j.SLUID, j.Submit, j.AccrueTime)
	}
	if d := j.EligibleTime.Sub(j.Submit); d != 121*time.Second {
		t.Errorf("eligible %v after the requeue, want 121 s", d)
	}
	advance(w, 119*time.Second)
	if s := states(t, w, id); s != "P" {
		t.Error("started before the delay was over")
	}
	advance(w, 33*time.Second)
	if s := states(t, w, id); s != "R" {
		t.Errorf("%s half a minute after the delay", s)
	}
}

func TestPastBeginSkipsTheRequeueDelay(t *testing.T) {
	w := world(t)
	id := submit(t, w, JobSpec{})
	advance(w, time.Minute)
	if err := w.Requeue("user", "1", false); err != nil {
		t.Fatal(err)
	}
	advance(w, time.Second)
	if err := w.Update(OperatorUser, id, JobUpdate{BeginTime: Ptr(w.Now().Add(-time.Minute))}); err != nil {
		t.Fatal(err)
	}
	advance(w, 4*time.Second)
	if s := states(t, w, id); s != "R" {
		t.Errorf("%s", s)
	}
}

func TestRequeueRefusals(t *testing.T) {
	w := world(t)
	runs := submit(t, w, JobSpec{NoRequeue: true, WorkTime: time.Minute})
	waits := submit(t, w, JobSpec{Hold: true})
	ends := submit(t, w, JobSpec{WorkTime: time.Second})
	advance(w, 30*time.Second)
	sluid := get(t, w, waits).SLUID
	for _, c := range []struct {
		by, address string
		incomplete  bool
		number      int
	}{
		{"slurm", "1", true, ErrnoDisabled}, {"eve", "2", true, ErrnoAccessDenied}, {"slurm", "99", true, ErrnoNoSuchJob},
		{"slurm", "2", false, ErrnoJobPending}, {"slurm", "2", true, 0}, {"slurm", "3", true, 0},
		{"slurm", "sNOSUCH", true, ErrnoNoSuchJob}, {"slurm", sluid, true, 0}, {"slurm", "x", true, ErrnoNoSuchJob},
	} {
		if n := number(w.Requeue(c.by, c.address, c.incomplete)); n != c.number {
			t.Errorf("%s requeues %s, incomplete %t: %d, want %d", c.by, c.address, c.incomplete, n, c.number)
		}
	}
	advance(w, time.Second)
	if s := states(t, w, runs, waits, ends); s != "RPC" {
		t.Errorf("%s: Incomplete did not protect", s)
	}
	if err := w.Requeue("slurm", "3", false); err != nil {
		t.Fatal(err)
	}
	if j := get(t, w, ends); j.State != "PENDING" || j.Restarts != 1 {
		t.Errorf("a finished job requeued without protection is %s", j.State)
	}
}

func TestCheckpointKeepsWorkAndOthersLoseIt(t *testing.T) {
	for _, c := range []struct {
		name  string
		spec  JobSpec
		total time.Duration // run time of both runs together
		lost  time.Duration
	}{
		{"none", JobSpec{}, 30*time.Minute + time.Hour, 30 * time.Minute},
		{"at any moment", JobSpec{Checkpoints: true, RestoreTime: time.Minute}, 61 * time.Minute, time.Minute},
		{"every 20 minutes", JobSpec{Checkpoints: true, CheckpointInterval: 20 * time.Minute, RestoreTime: time.Minute}, 71 * time.Minute, 11 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := world(t)
			c.spec.TimeLimit = 3 * time.Hour
			submit(t, w, c.spec)
			advance(w, 5*time.Second)
			w.Advance(w.jobsByID[1].exactStart.Add(30 * time.Minute))
			if err := w.Requeue("slurm", "1", true); err != nil {
				t.Fatal(err)
			}
			if !w.RunUntilIdle(w.Now().Add(24 * time.Hour)) {
				t.Fatal("never ends")
			}
			var total, lost time.Duration
			for _, s := range w.EndedRuns() {
				total += s.End.Sub(s.Start)
				lost += s.LostTime
			}
			if total != c.total || lost != c.lost {
				t.Errorf("ran %v, lost %v; want %v, %v", total, lost, c.total, c.lost)
			}
			if total-lost != time.Hour {
				t.Errorf("%v of progress; the job has an hour of work", total-lost)
			}
			if s := w.EndedRuns(); len(s) != 2 || s[0].EndState != "REQUEUED" || s[1].EndState != "COMPLETED" || s[1].RestartCount != 1 {
				t.Errorf("segments %+v", s)
			}
		})
	}
}

func TestTimeLimitEndsARun(t *testing.T) {
	w := world(t)
	id := submit(t, w, JobSpec{WorkTime: time.Hour, TimeLimit: 10 * time.Minute})
	advance(w, 11*time.Minute)
	if j := get(t, w, id); j.State != "TIMEOUT" || j.End.Sub(j.Start) != 10*time.Minute {
		t.Errorf("%s after %v", j.State, j.End.Sub(j.Start))
	}
}

func TestNodeFailureRequeuesWhoMay(t *testing.T) {
	w := world(t)
	a := submit(t, w, JobSpec{GPUsPerNode: 4})
	b := submit(t, w, JobSpec{GPUsPerNode: 4, NoRequeue: true})
	advance(w, 5*time.Second)
	if err := w.DownNode("n1", "dead"); err != nil {
		t.Fatal(err)
	}
	advance(w, time.Second)
	if x, y := get(t, w, a), get(t, w, b); x.State != "PENDING" || x.Restarts != 1 || y.State != "NODE_FAIL" {
		t.Errorf("%s and %s", x.State, y.State)
	}
	advance(w, 3*time.Minute)
	if j := get(t, w, a); j.Nodes.Text != "n2" {
		t.Errorf("%s on %q, want n2", j.State, j.Nodes.Text)
	}
	if n := w.Nodes()[0]; n.State != "DOWN" || n.Reason != "dead" {
		t.Errorf("%+v", n)
	}
}
