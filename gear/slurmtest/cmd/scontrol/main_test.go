package main

import (
	"testing"
	"time"

	"fairbridge/gear/slurmtest"
	"fairbridge/replica/sim"
)

func TestReachesTheServer(t *testing.T) {
	w, err := sim.New(sim.Config{Release: "22.05.8", Nodes: sim.UniformNodes(1, "a100", 8)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Submit(sim.JobSpec{WorkTime: time.Hour, GPUsPerNode: 1}); err != nil {
		t.Fatal(err)
	}
	w.Advance(w.Now().Add(10 * time.Second))
	s, err := slurmtest.Start(slurmtest.Config{World: w})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Setenv("SLURMTEST_URL", s.URL())
	if status, err := run([]string{"requeue", "Incomplete", "1"}); status != 0 || err != nil {
		t.Errorf("requeue: %d %v", status, err)
	}
	if status, err := run([]string{"requeue", "Incomplete", "9"}); status != 1 || err != nil {
		t.Errorf("unknown job: %d %v", status, err)
	}
	s.WithWorld(func(w *sim.World) {
		w.Advance(w.Now().Add(time.Second))
		if j, err := w.Job(1); err != nil || j.Restarts != 1 {
			t.Errorf("restarts %d, %v", j.Restarts, err)
		}
	})
	if c := s.CallCounts(); c.Writes != 2 {
		t.Errorf("%+v", c)
	}
	t.Setenv("SLURMTEST_URL", "http://127.0.0.1:1")
	if _, err := run([]string{"requeue", "1"}); err == nil {
		t.Error("no error without a server")
	}
}
