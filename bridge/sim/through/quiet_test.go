package through

import (
	"testing"
	"time"

	"fairbridge/bridge/sim/work"
	"fairbridge/bridge/sim/work/draw"
	"fairbridge/policy/paper"
)

// sparse are jobs with long stretches between them in which nobody waits, some
// of which may be stopped, and bursts in which many wait.
func sparse(n int, fixed func(int) bool) []work.Job {
	jobs := stream(n, fixed)
	for i := range jobs {
		jobs[i].Arrive = float64(i/6*5*3600 + i%6*70)
		jobs[i].Silent = true
	}
	return jobs
}

// philly are jobs as a real cluster saw them.
func philly(t *testing.T, seed int64) []work.Job {
	t.Helper()
	made, err := draw.Make("philly", draw.Wish{Jobs: 40, GPUs: 16, Load: 0.5}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return made.Jobs
}

// TestCyclesLeftOutChangeNothing runs every policy of the catalogue on several
// workloads twice, with every cycle and without those in which nothing can
// change, and wants the same run to the second.
func TestCyclesLeftOutChangeNothing(t *testing.T) {
	for _, e := range paper.All() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			for name, jobs := range map[string][]work.Job{
				"fixed": sparse(30, always), "stoppable": sparse(30, never), "philly": philly(t, 1), "philly 2": philly(t, 2),
			} {
				c := Config{Name: e.Name, Nodes: cluster(2), Jobs: jobs, Cost: time.Minute}
				c.Policy = decider(t, e.Name)
				fast, left := counted(t, c)
				c.Every, c.Policy = true, decider(t, e.Name)
				slow, none := counted(t, c)
				if left == 0 || none > 0 {
					t.Errorf("%s: %d cycles left out, and %d of every one", name, left, none)
				}
				if fast != slow {
					t.Errorf("%s: leaving cycles out changed the run:\n%s\nwith every cycle\n%s", name, fast, slow)
				}
			}
		})
	}
}

// counted runs the configuration and says how many cycles were left out.
func counted(t *testing.T, c Config) (run string, left int) {
	t.Helper()
	r, err := newRunner(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.run(); err != nil {
		t.Fatal(err)
	}
	return plain(t, r.measured()), r.quiet.left
}
