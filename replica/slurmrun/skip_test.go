package slurmrun

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/cycle"
	"fairbridge/lab/generate"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
	"fairbridge/replica/workload"
	"fairbridge/scripts/verify/part"
)

// sparse are jobs with long stretches between them in which nobody waits, some
// of which may be stopped, and bursts in which many wait.
func sparse(n int, fixed func(int) bool) []workload.Job {
	jobs := stream(n, fixed)
	for i := range jobs {
		jobs[i].Arrive = float64(i/6*5*3600 + i%6*70)
		jobs[i].IsSilent = true
	}
	return jobs
}

// philly are jobs as a real cluster saw them.
func philly(t *testing.T, seed int64) []workload.Job {
	t.Helper()
	made, err := generate.DrawWorkload("philly", generate.WorkloadOptions{JobCount: 25, ClusterGPUs: 16, OfferedLoad: 0.5}, seed)
	if err != nil {
		t.Fatal(err)
	}
	return made.Jobs
}

// TestCyclesLeftOutChangeNothing runs the policies of the catalogue on several
// workloads twice, with every cycle and without those in which nothing can
// change, and wants the same run to the second, with the same edits in the same cycles.
// Policies whose memory time alone changes get every cycle anyway.
func TestCyclesLeftOutChangeNothing(t *testing.T) {
	part.Long(t, testing.Short())
	workloads := []struct {
		name string
		jobs []workload.Job
	}{{"fixed", sparse(20, always)}, {"stoppable", sparse(20, never)}, {"philly", philly(t, 1)}}
	systems, least := catalogue.Systems(), 20
	if !part.Runs("studies") {
		workloads, least = workloads[1:2], 3
		systems = slices.DeleteFunc(systems, func(e paper.System) bool {
			return !slices.Contains([]string{"fairbridge", "sjf", "tiresias", "fifo"}, e.Name)
		})
	}
	tried := 0
	for _, e := range systems {
		for _, w := range workloads {
			c := Config{PolicyName: e.Name, Nodes: cluster(2), Jobs: w.jobs, RestartCost: time.Minute}
			c.Policy = decider(t, e.Name)
			fast, left := counted(t, c)
			if left == 0 {
				break
			}
			tried++
			c.RunsEveryCycle, c.Policy = true, decider(t, e.Name)
			slow, none := counted(t, c)
			if none > 0 {
				t.Errorf("%s, %s: %d cycles left out where every one was wanted", e.Name, w.name, none)
			}
			if fast != slow {
				t.Errorf("%s, %s: leaving %d cycles out changed the run:\n%s\nwith every cycle\n%s", e.Name, w.name, left, fast, slow)
			}
		}
	}
	if tried < least {
		t.Errorf("cycles were left out in only %d runs", tried)
	}
}

// TestKnownCyclesChangeNothing runs policies of the catalogue on queues twice, with every cycle as a whole and with
// those that know what the last one did short, and wants the same run, and all that Slurm did and was told in the
// same moment.
func TestKnownCyclesChangeNothing(t *testing.T) {
	part.Long(t, testing.Short())
	systems := catalogue.Systems()
	if !part.Runs("studies") {
		systems = slices.DeleteFunc(systems, func(e paper.System) bool {
			return !slices.Contains([]string{"fairbridge", "tiresias", "fifo", "gavel", "themis", "srtf"}, e.Name)
		})
	}
	known, kinds := 0, []func(int) bool{always, never, func(i int) bool { return i%3 == 0 }}
	for i, e := range systems {
		o := generate.WorkloadOptions{JobCount: 30, ClusterGPUs: 16, OfferedLoad: 2}
		made, err := generate.DrawWorkload("philly", o, int64(i))
		if err != nil {
			t.Fatal(err)
		}
		for k := range made.Jobs {
			made.Jobs[k].IsUnstoppable = kinds[i%len(kinds)](k)
		}
		c := Config{
			PolicyName: e.Name, Nodes: cluster(2), Jobs: made.Jobs, Accounts: made.Accounts,
			RestartCost: time.Minute, Seed: int64(i),
		}
		fast, count := logged(t, c)
		known += count
		c.RunsEveryCycle = true
		if slow, _ := logged(t, c); fast != slow {
			t.Errorf("%s: making %d cycles short changed the run: %s", e.Name, count, firstDifference(fast, slow))
		}
	}
	if least := 50 * len(systems); known < least {
		t.Errorf("%d cycles knew what the last one did, want %d", known, least)
	}
}

// logged runs the configuration and returns its results, all that the simulated Slurm did and was told
// included, and how many polls listed what the last one did.
func logged(t *testing.T, c Config) (run string, known int) {
	t.Helper()
	var log strings.Builder
	c.SlurmConfig.Log, c.Policy = &log, decider(t, c.PolicyName)
	r, err := newRunner(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.runToEnd(); err != nil {
		t.Fatal(err)
	}
	return log.String() + plain(t, r.newResult()), r.cluster.repeatedCount
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("%q, else %q", x[i], y[i])
		}
	}
	return fmt.Sprintf("%d lines, else %d", len(x), len(y))
}

// counted runs the configuration and says its results, edits included, and how many cycles
// were left out.
func counted(t *testing.T, c Config) (run string, left int) {
	t.Helper()
	var edits strings.Builder
	c.WatchCycle = func(rep *cycle.Report) {
		for _, in := range rep.Intents {
			fmt.Fprintf(&edits, "\ncycle %d, %s: %s is %s: %s", in.Cycle, in.Made, in.Edit, in.State, in.Edit.Why)
		}
	}
	r, err := newRunner(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.runToEnd(); err != nil {
		t.Fatal(err)
	}
	return plain(t, r.newResult()) + edits.String(), r.cycleSkipper.skippedCount
}
