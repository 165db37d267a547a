package program_test

import (
	"testing"
	"time"

	"fairbridge/replica/sim/program"
)

func TestCourseAndStops(t *testing.T) {
	p := program.Program{WorkTime: time.Hour, ReferenceGPUs: 4, Checkpoints: true, CheckpointInterval: 10 * time.Minute, RestoreOverhead: time.Minute}
	for _, c := range []struct {
		gpus   int
		limit  time.Duration
		length time.Duration
		state  string
	}{
		{4, 0, time.Hour, "COMPLETED"}, {8, 0, 30 * time.Minute, "COMPLETED"}, {2, 90 * time.Minute, 90 * time.Minute, "TIMEOUT"},
	} {
		if length, state := p.RunTime("a100", c.gpus, 1, c.limit); length != c.length || state != c.state {
			t.Errorf("on %d with a limit of %v: %s after %v", c.gpus, c.limit, state, length)
		}
	}
	if lost := p.StopRun("a100", 8, 1, "REQUEUED", 12*time.Minute); lost != 2*time.Minute {
		t.Errorf("24 minutes of work were done, 20 are kept; lost %v", lost)
	}
	p.Restart()
	if length, _ := p.RunTime("a100", 4, 1, 0); length != 41*time.Minute {
		t.Errorf("%v for the rest and its overhead", length)
	}
	p.Checkpoints = false
	if lost := p.StopRun("a100", 4, 1, "NODE_FAIL", 5*time.Minute); lost != 5*time.Minute {
		t.Errorf("lost %v without a checkpoint", lost)
	}
	p.Restart()
	if length, _ := p.RunTime("a100", 4, 1, 0); length != time.Hour {
		t.Errorf("%v from the start", length)
	}
	idle := program.Program{WorkTime: time.Hour, Speed: func(string, int, int) float64 { return 0 }}
	if length, _ := idle.RunTime("a100", 4, 1, 0); length < 50*365*24*time.Hour {
		t.Errorf("%v without progress", length)
	}
}
