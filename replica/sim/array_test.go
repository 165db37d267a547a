package sim

import (
	"testing"
	"time"
)

func TestArrayIsOneRecordAndSplitsAsItStarts(t *testing.T) {
	w := world(t)
	id := submit(t, w, JobSpec{ArraySize: 10, ArrayMaxRunning: 2, GPUsPerNode: 1, WorkTime: 10 * time.Minute})
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
	if !w.RunUntilIdle(w.Now().Add(3 * time.Hour)) {
		t.Fatal("the array never ends")
	}
	if n := len(w.EndedRuns()); n != 10 {
		t.Errorf("%d runs, want 10", n)
	}
	last := w.EndedRuns()[9]
	if last.JobID != id {
		t.Errorf("the last task has id %d, want the array's %d", last.JobID, id)
	}
}

func TestEveryTaskRunsItsOwnTime(t *testing.T) {
	w := world(t)
	times := []time.Duration{3 * time.Minute, time.Minute, 7 * time.Minute, 2 * time.Minute}
	id := submit(t, w, JobSpec{ArraySize: 4, ArrayMaxRunning: 2, GPUsPerNode: 1, TaskWorkTimes: times})
	if !w.RunUntilIdle(w.Now().Add(time.Hour)) {
		t.Fatal("the array never ends")
	}
	for _, e := range w.EndedRuns() {
		if ran := e.End.Sub(e.Start); e.ArrayID != id || ran != times[e.TaskID] {
			t.Errorf("task %d of %d ran %v, want %v", e.TaskID, e.ArrayID, ran, times[e.TaskID])
		}
	}
	for _, s := range []JobSpec{{ArraySize: 3, TaskWorkTimes: times}, {ArraySize: 2, TaskWorkTimes: []time.Duration{time.Second, 0}}, {ArraySize: 2}} {
		if _, err := w.Submit(s); err == nil {
			t.Errorf("%d tasks of %v were taken", s.ArraySize, s.TaskWorkTimes)
		}
	}
}

// Of two nodes one is in use for an hour, one for five minutes: four tasks of an hour take them
// at 0:05, 1:00, 1:05 and 2:00, where so many may run, and the job behind them comes after.
func TestBackfillKeepsAPlaceForEveryTaskThatMayRun(t *testing.T) {
	for most, want := range map[int]time.Duration{0: 2*time.Hour + 5*time.Minute, 1: time.Hour, 2: time.Hour + 5*time.Minute} {
		w := world(t)
		from := w.Now()
		submit(t, w, JobSpec{WorkTime: time.Hour, TimeLimit: time.Hour})
		submit(t, w, JobSpec{WorkTime: 5 * time.Minute, TimeLimit: 5 * time.Minute})
		submit(t, w, JobSpec{ArraySize: 4, ArrayMaxRunning: most, WorkTime: time.Hour, TimeLimit: time.Hour})
		advance(w, time.Minute)
		behind := submit(t, w, JobSpec{GPUsPerNode: 1})
		advance(w, 2*time.Minute)
		if at := get(t, w, behind).Start.Sub(from); at != want {
			t.Errorf("where %d tasks may run (0: all), the job behind them is to start at %v, want %v", most, at, want)
		}
	}
}

func TestArrayUpdatesReachTheUnsplitRecordOnly(t *testing.T) {
	w := world(t)
	id := submit(t, w, JobSpec{ArraySize: 5, ArrayMaxRunning: 1, GPUsPerNode: 1})
	advance(w, 5*time.Second)
	if err := w.Update(OperatorUser, id, JobUpdate{Nice: Ptr(int64(33))}); err != nil {
		t.Fatal(err)
	}
	task, err := w.SplitTask(id, 3)
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
	submit(t, w, JobSpec{ArraySize: 3, GPUsPerNode: 1})
	advance(w, 5*time.Second)
	if err := w.Requeue(OperatorUser, "1_1", true); err != nil {
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
	if err := w.Requeue(OperatorUser, "1", true); err != nil {
		t.Fatal(err)
	}
	advance(w, time.Second)
	if n := restarts(); n != 3 {
		t.Errorf("the array's id restarted %d in all, want 3: all that ran", n)
	}
}

func TestDependencies(t *testing.T) {
	w := world(t)
	good := submit(t, w, JobSpec{WorkTime: 10 * time.Minute, GPUsPerNode: 1})
	bad := submit(t, w, JobSpec{WorkTime: 10 * time.Minute, Fails: true, GPUsPerNode: 1})
	for _, c := range []struct {
		on, before, after string
	}{
		{"afterok:1", "Dependency", "R"}, {"afterok:2", "Dependency", "DependencyNeverSatisfied"},
		{"afterany:1:2", "Dependency", "R"}, {"afternotok:2", "Dependency", "R"}, {"after:1", "", "R"},
		{"afternotok:1", "Dependency", "DependencyNeverSatisfied"},
	} {
		_ = submit(t, w, JobSpec{Name: c.on, Dependency: c.on, GPUsPerNode: 1, WorkTime: 3 * time.Hour, TimeLimit: 4 * time.Hour})
		advance(w, 10*time.Second)
		j := w.Jobs()[len(w.Jobs())-1]
		if c.before != "" && (j.Reason != c.before || j.State != "PENDING" || !j.EligibleTime.IsZero()) {
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
	runs := submit(t, w, JobSpec{})
	waits := submit(t, w, JobSpec{Hold: true})
	ended := submit(t, w, JobSpec{WorkTime: time.Second})
	advance(w, 10*time.Second)
	nodes := []string{"n2"}
	for _, c := range []struct {
		name   string
		id     int64
		by     string
		u      JobUpdate
		number int
	}{
		{"required, running", runs, "slurm", JobUpdate{RequiredNodes: &nodes}, ErrnoBadNode},
		{"excluded, pending", waits, "slurm", JobUpdate{ExcludedNodes: &nodes}, 0},
		{"unknown node", waits, "slurm", JobUpdate{RequiredNodes: &[]string{"n9"}}, ErrnoBadNode},
		{"qos, running", runs, "slurm", JobUpdate{QOS: Ptr("high")}, ErrnoNotPending},
		{"GPUs, running", runs, "slurm", JobUpdate{GPUs: Ptr(2)}, ErrnoNotPending},
		{"GPUs, pending", waits, "slurm", JobUpdate{GPUs: Ptr(2)}, 0},
		{"partition", waits, "slurm", JobUpdate{Partition: Ptr("low")}, 0},
		{"unknown partition", waits, "slurm", JobUpdate{Partition: Ptr("none")}, ErrnoBadPartition},
		{"finished", ended, "slurm", JobUpdate{Nice: Ptr(int64(1))}, ErrnoFinished},
		{"unknown", 77, "slurm", JobUpdate{Nice: Ptr(int64(1))}, ErrnoNoSuchJob},
		{"other run", waits, "slurm", JobUpdate{SLUID: "s0", Nice: Ptr(int64(1))}, ErrnoNoSuchJob},
		{"owner raises limit", waits, "user", JobUpdate{TimeLimit: Ptr(9 * time.Hour)}, ErrnoAccessDenied},
		{"owner writes admin_comment", waits, "user", JobUpdate{AdminComment: Ptr("x")}, ErrnoAccessDenied},
	} {
		if n := number(w.Update(c.by, c.id, c.u)); n != c.number {
			t.Errorf("%s: %d, want %d", c.name, n, c.number)
		}
	}
	j := get(t, w, waits)
	if j.ExcludedNodes.Text != "n2" || j.GresPerNode.Text != "gres/gpu:2" || j.PartitionText() != "low" || j.Nice != 0 {
		t.Errorf("%q %q %q nice %d", j.ExcludedNodes.Text, j.GresPerNode.Text, j.PartitionText(), j.Nice)
	}
	if err := w.Update("slurm", waits, JobUpdate{ExcludedNodes: &[]string{}}); err != nil {
		t.Fatal(err)
	}
	if j := get(t, w, waits); j.ExcludedNodes.Text != "" {
		t.Errorf("not cleared: %q", j.ExcludedNodes.Text)
	}
}

func TestHalfAppliedUpdateStaysHalfApplied(t *testing.T) {
	w := world(t)
	id := submit(t, w, JobSpec{Hold: true})
	until := w.Now().Add(time.Hour)
	if n := number(w.Update("slurm", id, JobUpdate{BeginTime: &until, Priority: Ptr(int64(9_000))})); n != ErrnoJobHeld {
		t.Fatalf("error %d", n)
	}
	if j := get(t, w, id); !j.EligibleTime.Equal(until) {
		t.Errorf("the lease before the refused priority is gone: %v", j.EligibleTime)
	}
}

func TestElasticJobRunsFasterOnMore(t *testing.T) {
	w := world(t)
	id := submit(t, w, JobSpec{GPUsPerNode: 2, WorkTime: time.Hour, TimeLimit: 5 * time.Hour})
	if err := w.Update("slurm", id, JobUpdate{GPUs: Ptr(8)}); err != nil {
		t.Fatal(err)
	}
	w.RunUntilIdle(w.Now().Add(6 * time.Hour))
	if s := w.EndedRuns()[0]; s.GPUCount != 8 || s.End.Sub(s.Start) != 15*time.Minute {
		t.Errorf("%d GPUs for %v", s.GPUCount, s.End.Sub(s.Start))
	}
}
