package slots_test

import (
	"slices"
	"strings"
	"testing"

	"fairbridge/lab/exact"
	"fairbridge/lab/slots"
	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/replica/cluster"
	"fairbridge/replica/goodput"
	"fairbridge/replica/workload"
)

// config is a simulation of plain jobs on four GPUs.
func config(t *testing.T, jobs ...workload.Job) exact.Config {
	t.Helper()
	nodes, err := cluster.ParseSpec("1x4:a100")
	if err != nil {
		t.Fatal(err)
	}
	for i := range jobs {
		jobs[i].ID = int64(i + 1)
	}
	return exact.Config{Policy: engine.Pipeline{}, Nodes: nodes, Jobs: jobs, Clock: slots.Clock()}
}

// ends simulates and returns when each job ended.
func ends(t *testing.T, c exact.Config) []float64 {
	t.Helper()
	run, err := slots.Run(c)
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	for _, o := range run.JobOutcomes {
		all = append(all, o.Finish)
	}
	return all
}

// TestSlots reckons by hand. The first job, on all GPUs, starts when it comes, at an overhead of
// 2 + 2 × 3 s. The second comes within its slot and is looked at after 240 s, which costs the first 8 s
// again: it ends at 1,016. The second then starts at once, and its end, the last event, waits for no slot.
func TestSlots(t *testing.T) {
	c := config(t, workload.Job{GPUs: 4, Duration: 1000}, workload.Job{Arrive: 100, GPUs: 1, Duration: 50})
	if got, want := ends(t, c), []float64{1016, 1016 + 50 + 4}; !slices.Equal(got, want) {
		t.Errorf("ends %v, want %v", got, want)
	}
	c.Clock.RestartCost = 0
	if got, want := ends(t, c), []float64{1000, 1050}; !slices.Equal(got, want) {
		t.Errorf("without overheads: ends %v, want %v", got, want)
	}
}

// TestEndsWithinASlot lets two jobs end within a slot: their ends are recorded as reckoned, and the
// job that waits starts at the end of the slot.
func TestEndsWithinASlot(t *testing.T) {
	c := config(t, workload.Job{GPUs: 2, Duration: 100}, workload.Job{GPUs: 2, Duration: 130}, workload.Job{GPUs: 4, Duration: 10})
	c.Clock.RestartCost = 0
	if got, want := ends(t, c), []float64{100, 130, 250}; !slices.Equal(got, want) {
		t.Errorf("ends %v, want %v", got, want)
	}
}

// TestSizes runs a job on twice what it asks, by its curve.
func TestSizes(t *testing.T) {
	c := config(t, workload.Job{GPUs: 2, MinGPUs: 1, MaxGPUs: 4, Duration: 300, Scaling: &policy.Scaling{Points: []policy.SpeedPoint{{Devices: 2, StepsPerSecond: 4}, {Devices: 4, StepsPerSecond: 6}}}})
	c.Clock.RestartCost = 0
	c.Policy = engine.Pipeline{Size: most{}}
	if got := ends(t, c); got[0] != 200 {
		t.Errorf("ends at %g, want 200: half as fast again", got[0])
	}
}

// most gives every job all GPUs.
type most struct{}

// Size implements engine.Sizer.
func (most) Size(_ *engine.Round, line []*engine.Entry) ([]int, error) {
	return slices.Repeat([]int{4}, len(line)), nil
}

// TestRunRefuses says what cannot be simulated.
func TestRunRefuses(t *testing.T) {
	for want, c := range map[string]exact.Config{
		"job 1: -1 GPUs":            config(t, workload.Job{GPUs: -1, Duration: 1}),
		"has no speed":              config(t, workload.Job{GPUs: 1, Training: &workload.Training{Model: "x", Steps: 1}}),
		"--clock pollux or sia":     config(t, workload.Job{GPUs: 1, Duration: 1, Goodput: &goodput.Job{Application: &goodput.Application{}}}),
		"asks for 8 GPUs of 4":      config(t, workload.Job{GPUs: 8, Duration: 1}),
		"starts none of them":       config(t, workload.Job{GPUs: 8, Duration: 1}),
		"a simulation needs":        {Clock: slots.Clock()},
		"job 1: its id is given tw": {Policy: engine.Pipeline{}, Nodes: config(t).Nodes, Jobs: []workload.Job{{ID: 1, GPUs: 1, Duration: 1}, {ID: 1, GPUs: 1, Duration: 1}}},
	} {
		if _, err := slots.Run(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
