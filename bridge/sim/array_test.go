package sim

import (
	"testing"
	"time"
)

func TestArrayIsOneRecordAndSplitsAsItStarts(t *testing.T) {
	w := world(t)
	id := submit(t, w, Spec{Array: 10, ArrayMax: 2, GPUsPerNode: 1, Work: 10 * time.Minute})
	if j := get(t, w, id); !j.IsUnsplitArray() || j.ArrayTasks.Text != "0-9%2" || j.ArrayJobID != id {
		t.Fatalf("%+v", j)
	}
	advance(w, 5*time.Second)
	jobs := w.Jobs()
	if len(jobs) != 3 {
		t.Fatalf("%d records, want the rest and two tasks", len(jobs))
	}
	if j := jobs[0]; j.ID != id || j.ArrayTasks.Text != "2-9%2" || j.Reason != "JobArrayTaskLimit" {
		t.Errorf("rest: %d %s %s", j.ID, j.ArrayTasks.Text, j.Reason)
	}
	for i, j := range jobs[1:] {
		if j.State != "RUNNING" || !j.IsArrayTask || j.ArrayTaskID != int64(i) || j.ArrayJobID != id || j.ID == id {
			t.Errorf("task %d: %+v", i, j)
		}
	}
	if !w.Run(w.Now().Add(3 * time.Hour)) {
		t.Fatal("the array never ends")
	}
	if n := len(w.Segments()); n != 10 {
		t.Errorf("%d runs, want 10", n)
	}
	last := w.Segments()[9]
	if last.Job != id {
		t.Errorf("the last task has id %d, want the array's %d", last.Job, id)
	}
}

func TestArrayUpdatesReachTheUnsplitRecordOnly(t *testing.T) {
	w := world(t)
	id := submit(t, w, Spec{Array: 5, ArrayMax: 1, GPUsPerNode: 1})
	advance(w, 5*time.Second)
	if err := w.Update(Operator, id, Update{Nice: Ptr(int64(33))}); err != nil {
		t.Fatal(err)
	}
	task, err := w.Split(id, 3)
	if err != nil {
		t.Fatal(err)
	}
	jobs := w.Jobs()
	if jobs[0].Nice != 33 || jobs[1].Nice != 0 {
		t.Errorf("nice of the record %d, of the running task %d", jobs[0].Nice, jobs[1].Nice)
	}
	if j := get(t, w, task); j.Nice != 33 || j.ArrayTaskID != 3 || get(t, w, id).ArrayTasks.Text != "1-2,4%1" {
		t.Errorf("split task: nice %d task %d, rest %s", j.Nice, j.ArrayTaskID, get(t, w, id).ArrayTasks.Text)
	}
}

func TestRequeueOfAnArrayIDReachesEveryTask(t *testing.T) {
	w := world(t)
	submit(t, w, Spec{Array: 3, GPUsPerNode: 1})
	advance(w, 5*time.Second)
	if err := w.Requeue(Operator, "1_1", true); err != nil {
		t.Fatal(err)
	}
	advance(w, time.Second)
	restarts := func() (n int) {
		for _, j := range w.Jobs() {
			n += j.Restarts
		}
		return n
	}
	if n := restarts(); n != 1 {
		t.Fatalf("requeueing one task restarted %d", n)
	}
	if err := w.Requeue(Operator, "1", true); err != nil {
		t.Fatal(err)
	}
	advance(w, time.Second)
	if n := restarts(); n != 3 {
		t.Errorf("the array's id restarted %d in all, want 3: all that ran", n)
	}
}

func TestDependencies(t *testing.T) {
	w := world(t)
	good := submit(t, w, Spec{Work: 10 * time.Minute, GPUsPerNode: 1})
	bad := submit(t, w, Spec{Work: 10 * time.Minute, Fails: true, GPUsPerNode: 1})
	for _, c := range []struct {
		on, before, after string
	}{
		{"afterok:1", "Dependency", "R"}, {"afterok:2", "Dependency", "DependencyNeverSatisfied"},
		{"afterany:1:2", "Dependency", "R"}, {"afternotok:2", "Dependency", "R"}, {"after:1", "", "R"},
		{"afternotok:1", "Dependency", "DependencyNeverSatisfied"},
	} {
		_ = submit(t, w, Spec{Name: c.on, Dependency: c.on, GPUsPerNode: 1, Work: 3 * time.Hour, Limit: 4 * time.Hour})
		advance(w, 10*time.Second)
		j := w.Jobs()[len(w.Jobs())-1]
		if c.before != "" && (j.Reason != c.before || j.State != "PENDING" || !j.Eligible.IsZero()) {
			t.Errorf("%s: %s %s before", c.on, j.State, j.Reason)
		}
	}
	advance(w, 20*time.Minute)
	_, _ = good, bad
	for _, j := range w.Jobs() {
		want := map[string]string{"afterok:2": "DependencyNeverSatisfied", "afternotok:1": "DependencyNeverSatisfied"}[j.Name]
		if want == "" && j.State != "RUNNING" || want != "" && j.Reason != want {
			t.Errorf("%s: %s %s", j.Name, j.State, j.Reason)
		}
	}
}

func TestUpdateRules(t *testing.T) {
	w := world(t, func(c *Config) { c.Partitions = []Partition{{Name: "gpu"}, {Name: "low"}} })
	runs := submit(t, w, Spec{})
	waits := submit(t, w, Spec{Hold: true})
	ended := submit(t, w, Spec{Work: time.Second})
	advance(w, 10*time.Second)
	nodes := []string{"n2"}
	for _, c := range []struct {
		name   string
		id     int64
		by     string
		u      Update
		number int
	}{
		{"required, running", runs, "slurm", Update{Required: &nodes}, ErrnoBadNode},
		{"excluded, pending", waits, "slurm", Update{Excluded: &nodes}, 0},
		{"unknown node", waits, "slurm", Update{Required: &[]string{"n9"}}, ErrnoBadNode},
		{"qos, running", runs, "slurm", Update{QOS: Ptr("high")}, ErrnoNotPending},
		{"GPUs, running", runs, "slurm", Update{GPUs: Ptr(2)}, ErrnoNotPending},
		{"GPUs, pending", waits, "slurm", Update{GPUs: Ptr(2)}, 0},
		{"partition", waits, "slurm", Update{Partition: Ptr("low")}, 0},
		{"unknown partition", waits, "slurm", Update{Partition: Ptr("none")}, ErrnoBadPartition},
		{"finished", ended, "slurm", Update{Nice: Ptr(int64(1))}, ErrnoFinished},
		{"unknown", 77, "slurm", Update{Nice: Ptr(int64(1))}, ErrnoNoSuchJob},
		{"other run", waits, "slurm", Update{SLUID: "s0", Nice: Ptr(int64(1))}, ErrnoNoSuchJob},
		{"owner raises limit", waits, "user", Update{Limit: Ptr(9 * time.Hour)}, ErrnoAccessDenied},
		{"owner writes admin_comment", waits, "user", Update{Admin: Ptr("x")}, ErrnoAccessDenied},
	} {
		if n := number(w.Update(c.by, c.id, c.u)); n != c.number {
			t.Errorf("%s: %d, want %d", c.name, n, c.number)
		}
	}
	j := get(t, w, waits)
	if j.ExcludedNodes.Text != "n2" || j.GresPerNode.Text != "gres/gpu:2" || j.PartitionText() != "low" || j.Nice != 0 {
		t.Errorf("%q %q %q nice %d", j.ExcludedNodes.Text, j.GresPerNode.Text, j.PartitionText(), j.Nice)
	}
	if err := w.Update("slurm", waits, Update{Excluded: &[]string{}}); err != nil {
		t.Fatal(err)
	}
	if j := get(t, w, waits); j.ExcludedNodes.Text != "" {
		t.Errorf("not cleared: %q", j.ExcludedNodes.Text)
	}
}

func TestHalfAppliedUpdateStaysHalfApplied(t *testing.T) {
	w := world(t)
	id := submit(t, w, Spec{Hold: true})
	until := w.Now().Add(time.Hour)
	if n := number(w.Update("slurm", id, Update{Begin: &until, Priority: Ptr(int64(9_000))})); n != ErrnoJobHeld {
		t.Fatalf("error %d", n)
	}
	if j := get(t, w, id); !j.Eligible.Equal(until) {
		t.Errorf("the lease before the refused priority is gone: %v", j.Eligible)
	}
}

func TestElasticJobRunsFasterOnMore(t *testing.T) {
	w := world(t)
	id := submit(t, w, Spec{GPUsPerNode: 2, Work: time.Hour, Limit: 5 * time.Hour})
	if err := w.Update("slurm", id, Update{GPUs: Ptr(8)}); err != nil {
		t.Fatal(err)
	}
	w.Run(w.Now().Add(6 * time.Hour))
	if s := w.Segments()[0]; s.GPUs != 8 || s.End.Sub(s.Start) != 15*time.Minute {
		t.Errorf("%d GPUs for %v", s.GPUs, s.End.Sub(s.Start))
	}
}
