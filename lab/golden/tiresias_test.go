package golden

import (
	"fmt"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/trace"
	"fairbridge/policy/paper"
)

// TestTiresias wants the figures of Tiresias' own simulator on the 60 jobs that
// came with it, GPUs only counted: the average completion time as printed, to a
// tenth of a second, and the makespan to the second. Left out are its "sjf", which puts
// jobs of few GPUs first, and its "gittins", which takes the smallest index
// first: we have neither. The shortest GPU time first is 55/60 s less here: at
// 504 s two jobs have 440 GPU-seconds left each; theirs serves first the one
// that was first the last time, ours the one that arrived first.
func TestTiresias(t *testing.T) {
	tr, err := trace.ReadFile(here(t, "../tiresias/60_job.csv"), trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		theirs, policy string
		params         paper.Params
		gpus           int
		want           string
	}{
		{"fifo", "fifo", paper.Params{"max_wait": "0s"}, 16, "200.8 3335"},
		{"fjf", "tiresias", paper.Params{"queues": []float64{1e12}}, 16, "190.7 3271"},
		{"dlas-gpu", "tiresias", nil, 16, "190.7 3271"},
		{"shortest", "srtf", nil, 16, "192.1 3271"},
		{"shortest-gpu", "srtf", paper.Params{"by": "service"}, 16, fmt.Sprintf("%.1f 3315", 195.9-55./60)},
		{"fifo", "fifo", paper.Params{"max_wait": "0s"}, 128, "178.4 3271"},
		{"dlas-gpu", "tiresias", nil, 128, "178.4 3271"},
		{"shortest", "srtf", nil, 128, "178.4 3271"},
	} {
		t.Run(fmt.Sprintf("%s/%d", c.theirs, c.gpus), func(t *testing.T) {
			run, err := exact.Run(exact.Config{Policy: lookup(t, c.policy, c.params), Nodes: nodes(c.gpus, "p100"), Jobs: tr.Jobs,
				Clock: exact.NewEventClock(0, 0, 0), OmitsReasons: true})
			if err != nil {
				t.Fatal(err)
			}
			s := run.Summarize()
			if got := fmt.Sprintf("%.1f %.0f", s.AvgJCT, s.Makespan); got != c.want {
				t.Errorf("average completion time and makespan %s, want %s", got, c.want)
			}
		})
	}
}
