package sim

import (
	"testing"
	"time"
)

func states(t *testing.T, w *World, ids ...int64) string {
	t.Helper()
	out := ""
	for _, id := range ids {
		out += get(t, w, id).State[:1]
	}
	return out
}

// full fills both nodes with a job each of the given work.
func full(t *testing.T, w *World, work time.Duration) []int64 {
	t.Helper()
	ids := []int64{submit(t, w, JobSpec{WorkTime: work, TimeLimit: work + time.Minute}), submit(t, w, JobSpec{WorkTime: work, TimeLimit: work + time.Minute})}
	advance(w, 5*time.Second)
	if s := states(t, w, ids...); s != "RR" {
		t.Fatalf("the cluster does not fill: %s", s)
	}
	return ids
}

func TestHigherPriorityGoesFirstAndEqualsByID(t *testing.T) {
	w := world(t)
	full(t, w, 10*time.Minute)
	a := submit(t, w, JobSpec{Name: "a"})
	b := submit(t, w, JobSpec{Name: "b"})
	c := submit(t, w, JobSpec{Name: "c"})
	advance(w, time.Minute)
	if err := w.Update(OperatorUser, c, JobUpdate{Priority: Ptr(int64(900_000))}); err != nil {
		t.Fatal(err)
	}
	advance(w, 10*time.Minute)
	if s := states(t, w, a, b, c); s != "RPR" {
		t.Errorf("a, b, c are %s, want c by its priority, then a", s)
	}
	if r := get(t, w, b).Reason; r != "Resources" {
		t.Errorf("b waits for %q", r)
	}
}

func TestFirstBlockedJobStopsTheMainPass(t *testing.T) {
	w := world(t, func(c *Config) { c.BackfillInterval = -1 })
	submit(t, w, JobSpec{})
	advance(w, 5*time.Second)
	wide := submit(t, w, JobSpec{MinNodes: 2})
	small := submit(t, w, JobSpec{GPUsPerNode: 1, TimeLimit: time.Minute, WorkTime: time.Minute})
	advance(w, 3*time.Minute)
	if s := states(t, w, wide, small); s != "PP" {
		t.Errorf("without backfill: %s, want both to wait", s)
	}
	if r := get(t, w, small).Reason; r != "Priority" {
		t.Errorf("the one behind waits for %q", r)
	}
}

func TestBackfillPassesOnlyWhoDoesNotDelay(t *testing.T) {
	w := world(t)
	submit(t, w, JobSpec{WorkTime: time.Hour, TimeLimit: time.Hour})
	advance(w, 5*time.Second)
	wide := submit(t, w, JobSpec{MinNodes: 2})
	short := submit(t, w, JobSpec{GPUsPerNode: 4, WorkTime: 10 * time.Minute, TimeLimit: 30 * time.Minute})
	long := submit(t, w, JobSpec{GPUsPerNode: 4, WorkTime: 10 * time.Minute, TimeLimit: 2 * time.Hour})
	advance(w, 2*time.Minute)
	if s := states(t, w, wide, short, long); s != "PRP" {
		t.Fatalf("wide, short, long are %s, want only the short one to pass", s)
	}
	j := get(t, w, wide)
	if first := w.segmentsOrStart(1).Add(time.Hour); !j.Start.Equal(first) || j.ScheduledNodes.Text != "n[1-2]" {
		t.Errorf("the gang is planned for %v on %q, want %v on n[1-2]", j.Start, j.ScheduledNodes.Text, first)
	}
	advance(w, time.Hour)
	if s := states(t, w, wide); s != "R" {
		t.Errorf("the gang is %s when its planned time has come", s)
	}
}

// segmentsOrStart returns when a running job started.
func (w *World) segmentsOrStart(id int64) time.Time { return w.jobsByID[id].startTime }

func TestConservativeBackfillReservesForAll(t *testing.T) {
	w := world(t)
	submit(t, w, JobSpec{WorkTime: time.Hour, TimeLimit: time.Hour}) // n1 until 1 h
	submit(t, w, JobSpec{WorkTime: 2 * time.Hour, GPUsPerNode: 4})   // half of n2 until 2 h
	advance(w, 5*time.Second)
	first := submit(t, w, JobSpec{MinNodes: 2, TimeLimit: time.Hour})        // both from 2 h
	second := submit(t, w, JobSpec{TimeLimit: time.Hour})                    // n1 from 1 h to 2 h
	third := submit(t, w, JobSpec{GPUsPerNode: 4, TimeLimit: 3 * time.Hour}) // would sit on n2 past 2 h
	advance(w, 2*time.Minute)
	if s := states(t, w, first, second, third); s != "PPP" {
		t.Errorf("%s, want all to wait: the third would delay the first", s)
	}
	if a, b := get(t, w, first).Start, get(t, w, second).Start; !b.Before(a) {
		t.Errorf("planned %v and %v, want the second in the gap before the first", a, b)
	}
}

func TestGangGetsAllOrNothing(t *testing.T) {
	w := world(t)
	one := submit(t, w, JobSpec{GPUsPerNode: 1})
	advance(w, 5*time.Second)
	gang := submit(t, w, JobSpec{MinNodes: 2, GPUsPerNode: 8})
	advance(w, 5*time.Minute)
	if s := states(t, w, one, gang); s != "RP" {
		t.Fatalf("%s: a gang started on part of its nodes", s)
	}
	if err := w.Cancel("", "1"); err != nil {
		t.Fatal(err)
	}
	advance(w, 5*time.Second)
	if j := get(t, w, gang); j.State != "RUNNING" || j.Nodes.Text != "n[1-2]" || j.AllocatedTRES.Text != "cpu=2,mem=2000M,node=2,billing=2,gres/gpu=16,gres/gpu:a100=16" {
		t.Errorf("%s on %s with %s", j.State, j.Nodes.Text, j.AllocatedTRES.Text)
	}
}

func TestTotalGPUsUseAsFewNodesAsPossible(t *testing.T) {
	w := world(t)
	fits := submit(t, w, JobSpec{GPUs: 8})
	spread := submit(t, w, JobSpec{GPUs: 8, MinNodes: 1})
	advance(w, 5*time.Second)
	if a, b := get(t, w, fits), get(t, w, spread); a.Nodes.Text != "n1" || b.Nodes.Text != "n2" {
		t.Errorf("on %s and %s", a.Nodes.Text, b.Nodes.Text)
	}
	w = world(t)
	submit(t, w, JobSpec{GPUsPerNode: 3})
	submit(t, w, JobSpec{GPUsPerNode: 6})
	wide := submit(t, w, JobSpec{GPUs: 7})
	advance(w, time.Minute)
	if j := get(t, w, wide); j.Nodes.Text != "n[1-2]" || len(j.GresDetail) != 2 {
		t.Errorf("%s on %q with %v, want 5 and 2 GPUs on two nodes", j.State, j.Nodes.Text, j.GresDetail)
	}
}

func TestPinnedJobBlocksOnlyItsNodes(t *testing.T) {
	w := world(t, func(c *Config) { c.BackfillInterval = -1 })
	submit(t, w, JobSpec{}) // n1
	advance(w, 5*time.Second)
	pinned := submit(t, w, JobSpec{RequiredNodes: []string{"n1"}, Priority: 900_000})
	other := submit(t, w, JobSpec{})
	advance(w, 5*time.Second)
	if s := states(t, w, pinned, other); s != "PR" {
		t.Errorf("%s, want the other on n2", s)
	}
	if j := get(t, w, pinned); j.Reason != "Resources" || j.RequiredNodes.Text != "n1" {
		t.Errorf("reason %q, required %q", j.Reason, j.RequiredNodes.Text)
	}
}

func TestExcludedNodesAndFeatures(t *testing.T) {
	w := world(t, func(c *Config) { c.Nodes[1].Features = []string{"ib"} })
	a := submit(t, w, JobSpec{ExcludedNodes: []string{"n1"}, GPUsPerNode: 1})
	b := submit(t, w, JobSpec{Features: "ib", GPUsPerNode: 1})
	c := submit(t, w, JobSpec{Features: "nvlink", GPUsPerNode: 1})
	advance(w, time.Minute)
	if x, y := get(t, w, a).Nodes.Text, get(t, w, b).Nodes.Text; x != "n2" || y != "n2" {
		t.Errorf("on %q and %q, want n2", x, y)
	}
	if s := states(t, w, c); s != "P" {
		t.Errorf("a job with an unknown feature is %s", s)
	}
}

func TestStartComesSoonButPassesAreSpaced(t *testing.T) {
	w := world(t, func(c *Config) { c.BackfillInterval = -1 })
	advance(w, time.Minute)
	at := w.Now()
	a := submit(t, w, JobSpec{GPUsPerNode: 1})
	advance(w, 500*time.Millisecond)
	b := submit(t, w, JobSpec{GPUsPerNode: 1})
	advance(w, time.Second)
	if s := states(t, w, a, b); s != "RP" {
		t.Fatalf("after 1.5 s %s, want the first at once and the second not yet", s)
	}
	advance(w, 2*time.Second)
	if s := states(t, w, b); s != "R" {
		t.Errorf("after %v the second is %s", w.Now().Sub(at), s)
	}
}

// As slurmctld does: the thread of backfill looks every second once an interval without news
// has passed.
func TestIdleBackfillSeesNewsAtOnce(t *testing.T) {
	w := world(t)
	blocked := submit(t, w, JobSpec{MinNodes: 2, GPUsPerNode: 8, TimeLimit: time.Hour, WorkTime: time.Hour})
	advance(w, 3*time.Minute) // it runs, and nothing is new
	small := submit(t, w, JobSpec{MinNodes: 2, GPUsPerNode: 8, TimeLimit: time.Hour, WorkTime: time.Hour})
	advance(w, 1500*time.Millisecond)
	if s := states(t, w, blocked, small); s != "RP" {
		t.Fatalf("states %s", s)
	}
	if ago := w.Now().Sub(w.LastBackfill()); ago > time.Second {
		t.Errorf("1.5 s after a submission the last pass of backfill was %v ago", ago)
	}
}
