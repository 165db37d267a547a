package sim

import (
	"testing"
	"time"
)

func TestCancelByState(t *testing.T) {
	w := world(t)
	runs := submit(t, w, JobSpec{MinNodes: 2})
	advance(w, 5*time.Second)
	waits := submit(t, w, JobSpec{})
	advance(w, 5*time.Second)
	if n := number(w.Cancel("eve", "1")); n != ErrnoAccessDenied {
		t.Errorf("a stranger cancels: %d", n)
	}
	for _, address := range []string{"1", "2"} {
		if err := w.Cancel("user", address); err != nil {
			t.Fatal(err)
		}
	}
	advance(w, time.Second)
	if j := get(t, w, runs); j.State != "CANCELLED" || j.HasFlag("COMPLETING") {
		t.Errorf("running: %s %v", j.State, j.Flags)
	}
	if j := get(t, w, waits); j.State != "CANCELLED" || !j.Start.Equal(j.End) || j.Reason != "Resources" {
		t.Errorf("waiting: %s %v to %v, %s", j.State, j.Start, j.End, j.Reason)
	}
	if n := w.OpenJobCount(); n != 0 {
		t.Errorf("%d records open", n)
	}
	if n := number(w.Cancel("user", "9")); n != ErrnoNoSuchJob {
		t.Errorf("unknown: %d", n)
	}
}

func TestDrainedNodeTakesNothingNew(t *testing.T) {
	w := world(t)
	runs := submit(t, w, JobSpec{GPUsPerNode: 4})
	advance(w, 5*time.Second)
	if err := w.DrainNode("n1", "memory"); err != nil {
		t.Fatal(err)
	}
	next := submit(t, w, JobSpec{GPUsPerNode: 4})
	pinned := submit(t, w, JobSpec{GPUsPerNode: 1, RequiredNodes: []string{"n1"}})
	advance(w, time.Minute)
	if a, b := get(t, w, runs), get(t, w, next); a.State != "RUNNING" || b.Nodes.Text != "n2" {
		t.Errorf("%s, and the next on %q", a.State, b.Nodes.Text)
	}
	if j := get(t, w, pinned); j.State != "PENDING" || j.Reason != "ReqNodeNotAvail" {
		t.Errorf("pinned to it: %s %s", j.State, j.Reason)
	}
	if n := w.Nodes()[0]; n.State != "MIXED" || len(n.Flags) != 1 || n.Flags[0] != "DRAIN" {
		t.Errorf("%+v", n)
	}
	if err := w.ResumeNode("n1"); err != nil {
		t.Fatal(err)
	}
	advance(w, 5*time.Second)
	if s := states(t, w, pinned); s != "R" {
		t.Errorf("after the drain %s", s)
	}
}

func TestDeadlineEndsAJob(t *testing.T) {
	w := world(t)
	runs := submit(t, w, JobSpec{Deadline: w.Now().Add(10 * time.Minute)})
	waits := submit(t, w, JobSpec{Deadline: w.Now().Add(10 * time.Minute), Hold: true})
	advance(w, 11*time.Minute)
	for _, id := range []int64{runs, waits} {
		if j := get(t, w, id); j.State != "DEADLINE" {
			t.Errorf("job %d: %s", id, j.State)
		}
	}
}

func TestIDsWrapAndSkipTheListed(t *testing.T) {
	w := world(t, func(c *Config) { c.MaxJobID = 3 })
	keep := submit(t, w, JobSpec{Hold: true})
	gone := submit(t, w, JobSpec{WorkTime: time.Second})
	advance(w, 10*time.Minute)
	a, b := submit(t, w, JobSpec{}), submit(t, w, JobSpec{})
	if keep != 1 || gone != 2 || a != 3 || b != 2 {
		t.Errorf("ids %d %d %d %d, want 1 2 3 and 2 again", keep, gone, a, b)
	}
}

func TestBadConfigurationsAndSubmissions(t *testing.T) {
	for name, c := range map[string]Config{
		"twice":     {Nodes: []Node{{Name: "a"}, {Name: "a"}}},
		"nameless":  {Nodes: []Node{{}}},
		"no type":   {Nodes: []Node{{Name: "a", GPUs: []GPUs{{Type: "", Count: 2}}}}},
		"no node":   {Partitions: []Partition{{Name: "p", Nodes: []string{"x"}}}},
		"partition": {Partitions: []Partition{{Name: "p,q"}}},
	} {
		if _, err := New(c); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	w := world(t)
	for name, s := range map[string]JobSpec{
		"no work": {}, "both": {WorkTime: 1, GPUs: 1, GPUsPerNode: 1}, "partition": {WorkTime: 1, Partition: "x"},
		"node": {WorkTime: 1, RequiredNodes: []string{"x"}}, "dependency": {WorkTime: 1, Dependency: "soon:1"},
	} {
		if _, err := w.Submit(s); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
