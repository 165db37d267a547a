package sim

import (
	"context"
	"testing"
	"time"
)

// maintained is a world of two nodes of 8 GPUs, both in maintenance from nine
// minutes to two hours from now.
func maintained(t *testing.T, nodes ...string) *World {
	t.Helper()
	w := world(t, func(c *Config) { c.Nodes = UniformNodes(2, "a100", 8) })
	r := Reservation{Name: "m1", Nodes: nodes, From: w.Now().Add(9 * time.Minute), To: w.Now().Add(2 * time.Hour), Flags: []string{"MAINT", "IGNORE_JOBS"}}
	if err := w.AddReservation(r); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestNothingStartsThatReachesIntoAMaintenance(t *testing.T) {
	w := maintained(t)
	long := submit(t, w, JobSpec{GPUs: 1, TimeLimit: 10 * time.Minute, WorkTime: time.Minute})
	endless := submit(t, w, JobSpec{GPUs: 1, WorkTime: time.Minute})
	advance(w, time.Minute)
	short := submit(t, w, JobSpec{GPUs: 1, TimeLimit: 5 * time.Minute, WorkTime: time.Minute, Nice: -1000})
	advance(w, time.Minute)
	if s := states(t, w, long, endless, short); s != "PPR" {
		t.Fatalf("%s before the maintenance, want PPR", s)
	}
	if r := get(t, w, long).Reason; r != "ReqNodeNotAvail" {
		t.Errorf("the reason is %s", r)
	}
	begins, ends := w.Now().Add(7*time.Minute), w.Now().Add(118*time.Minute)
	w.Advance(begins.Add(time.Minute))
	if f := w.Nodes()[0].Flags; len(f) != 1 || f[0] != "MAINTENANCE" {
		t.Errorf("flags %v in the maintenance", f)
	}
	brief := submit(t, w, JobSpec{GPUs: 1, TimeLimit: time.Minute, WorkTime: time.Minute})
	w.Advance(ends.Add(-time.Second))
	if s := states(t, w, long, endless, brief); s != "PPP" {
		t.Errorf("%s in the maintenance", s)
	}
	if v, _ := (DirectCluster{World: w}).Observe(context.Background()); len(v.Reservations) != 1 || !v.Reservations[0].IsMaintenance() || v.Reservations[0].Nodes.Text != "n[1-2]" {
		t.Errorf("shown: %+v", v.Reservations)
	}
	w.Advance(ends.Add(10 * time.Second))
	if s := states(t, w, long, endless, brief); s != "RRR" || len(w.Reservations()) != 0 || len(w.Nodes()[0].Flags) != 0 {
		t.Errorf("%s after the maintenance, %v", s, w.Reservations())
	}
}

// Backfill plans around what is set aside, as the main pass does.
func TestBackfillPlansAroundAMaintenance(t *testing.T) {
	w := maintained(t, "n1")
	wide := submit(t, w, JobSpec{GPUs: 16, TimeLimit: time.Hour, WorkTime: time.Minute})
	one := submit(t, w, JobSpec{GPUs: 8, TimeLimit: time.Hour, WorkTime: 30 * time.Minute})
	advance(w, 2*time.Minute)
	if s := states(t, w, wide, one); s != "PR" || get(t, w, one).Nodes.Text != "n2" {
		t.Fatalf("%s, on %s", s, get(t, w, one).Nodes.Text)
	}
	advance(w, 90*time.Minute)
	if at := get(t, w, wide).Start; !at.Equal(w.config.Start.Add(2 * time.Hour)) {
		t.Errorf("the wide one is expected at %v, want the end of the maintenance", at)
	}
	advance(w, 29*time.Minute)
	if s := states(t, w, wide); s != "R" {
		t.Errorf("%s after the maintenance", s)
	}
}

func TestReservationForItsOwnJobs(t *testing.T) {
	w := world(t, func(c *Config) { c.Nodes = UniformNodes(2, "a100", 8) })
	if err := w.AddReservation(Reservation{Name: "class", Nodes: []string{"n2"}, From: w.Now().Add(time.Hour), To: w.Now().Add(2 * time.Hour), Flags: []string{"DAILY"}}); err != nil {
		t.Fatal(err)
	}
	mine := submit(t, w, JobSpec{GPUs: 1, TimeLimit: 30 * time.Minute, WorkTime: 10 * time.Minute, Reservation: "class"})
	advance(w, 50*time.Minute)
	if j := get(t, w, mine); j.State != "PENDING" || j.Reason != "Reservation" || j.Reservation != "class" {
		t.Errorf("%s %s before its reservation", j.State, j.Reason)
	}
	advance(w, 11*time.Minute)
	if j := get(t, w, mine); j.State != "RUNNING" || j.Nodes.Text != "n2" {
		t.Errorf("%s on %q in its reservation", j.State, j.Nodes.Text)
	}
	if f := w.Nodes()[1].Flags; len(f) != 1 || f[0] != "RESERVED" {
		t.Errorf("flags %v", f)
	}
	advance(w, time.Hour)
	if r := w.Reservations(); len(r) != 1 || !r[0].Start.Equal(w.config.Start.Add(25*time.Hour)) {
		t.Errorf("the next time: %+v", r)
	}
}
