package sim

import (
	"testing"
	"time"

	"fairbridge/bridge/slurm"
)

// world makes a small cluster: two nodes of eight GPUs.
func world(t *testing.T, change ...func(*Config)) *World {
	t.Helper()
	c := Config{Seed: 1, Nodes: UniformNodes(2, "a100", 8)}
	for _, f := range change {
		f(&c)
	}
	w, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func submit(t *testing.T, w *World, s JobSpec) int64 {
	t.Helper()
	if s.WorkTime == 0 {
		s.WorkTime = time.Hour
	}
	if s.GPUs == 0 && s.GPUsPerNode == 0 {
		s.GPUsPerNode = 8
	}
	if s.TimeLimit == 0 {
		s.TimeLimit = 2 * time.Hour
	}
	id, err := w.Submit(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func get(t *testing.T, w *World, id int64) slurm.Job {
	t.Helper()
	j, err := w.Job(id)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func advance(w *World, d time.Duration) { w.Advance(w.Now().Add(d)) }

func TestFirstJobStartsSoonAndEndsWithItsWork(t *testing.T) {
	w := world(t)
	advance(w, time.Minute)
	id := submit(t, w, JobSpec{WorkTime: 10 * time.Minute})
	advance(w, 4*time.Second)
	j := get(t, w, id)
	if j.State != "RUNNING" || j.Nodes.Text != "n1" || len(j.GresDetail) != 1 || j.GresDetail[0].Text != "gpu:a100:8(IDX:0-7)" {
		t.Fatalf("after 4 s: %s on %q with %v", j.State, j.Nodes.Text, j.GresDetail)
	}
	advance(w, 10*time.Minute)
	if j = get(t, w, id); j.State != "COMPLETED" || j.HasFlag("COMPLETING") {
		t.Fatalf("after its work: %s %v", j.State, j.Flags)
	}
	advance(w, 5*time.Minute)
	if _, err := w.Job(id); err == nil {
		t.Fatal("still listed after MinJobAge")
	}
	if s := w.EndedRuns(); len(s) != 1 || s[0].End.Sub(s[0].Start) != 10*time.Minute || s[0].GPUCount != 8 || s[0].EndState != "COMPLETED" {
		t.Fatalf("segments %+v", s)
	}
}
