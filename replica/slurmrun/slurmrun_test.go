package slurmrun

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// cluster makes n nodes of eight GPUs.
func cluster(n int) []policy.Node {
	out := make([]policy.Node, n)
	for i := range out {
		out[i] = policy.Node{Name: fmt.Sprintf("n%02d", i+1), Partitions: []string{partitionName}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}}}
	}
	return out
}

// stream makes n jobs of three accounts, a mix of sizes and lengths that fills
// the cluster and more.
func stream(n int, fixed func(i int) bool) []workload.Job {
	sizes, lengths := []int{1, 2, 1, 4, 8, 1, 2, 16}, []float64{1800, 7200, 600, 3600, 14400, 900}
	out := make([]workload.Job, n)
	for i := range out {
		d := lengths[i*5%len(lengths)] * (1 + float64(i%7)/10)
		out[i] = workload.Job{
			ID: int64(i + 1), Name: fmt.Sprintf("j%d", i+1), User: fmt.Sprintf("u%d", i%5), Account: fmt.Sprintf("acct%d", i%3),
			Arrive: float64(i * 240), GPUs: sizes[i*3%len(sizes)], Duration: d, TimeLimit: policy.DurationFromSeconds(2 * d), IsUnstoppable: fixed(i),
		}
	}
	return out
}

func always(int) bool { return true }

func never(int) bool { return false }

func decider(t testing.TB, name string) policy.Policy {
	t.Helper()
	e, err := catalogue.FindSystem(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// plain is a run without what the wall clock says.
func plain(t testing.TB, r *measure.Run) string {
	t.Helper()
	c := *r
	c.WallSeconds, c.DecideSeconds = 0, nil
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestSameConfigSameRun(t *testing.T) {
	c := Config{PolicyName: "tiresias", Policy: decider(t, "tiresias"), Nodes: cluster(2), Jobs: stream(40, never), RestartCost: time.Minute}
	a, err := Run(c)
	if err != nil {
		t.Fatal(err)
	}
	c.Policy = decider(t, "tiresias")
	b, err := Run(c)
	if err != nil {
		t.Fatal(err)
	}
	if plain(t, a) != plain(t, b) {
		t.Error("two runs of one configuration differ")
	}
}

func TestSlurmAlone(t *testing.T) {
	jobs := []workload.Job{{ID: 7, GPUs: 16, Duration: 3600, TimeLimit: 2 * time.Hour}, {ID: 8, Arrive: 600, GPUs: 4, Duration: 60, TimeLimit: time.Hour}}
	r, err := Run(Config{Nodes: cluster(2), Jobs: jobs})
	if err != nil {
		t.Fatal(err)
	}
	a, b := r.JobOutcomes[0], r.JobOutcomes[1]
	if a.Start > 10 || a.Finish != a.Start+3600 || a.Service != 16*3600 || a.LostService != 0 {
		t.Errorf("first job %+v", a)
	}
	if b.Start < a.Finish || b.Start > a.Finish+10 || b.MeanJobsPresent < 1.9 || b.MeanJobsPresent > 2 {
		t.Errorf("second job %+v", b)
	}
	if r.ClusterGPUs != 16 || r.MakespanSeconds != b.Finish || r.BusyGPUSeconds != 16*3600+4*60 {
		t.Errorf("run %+v", r)
	}
}

// late is a policy on a busy machine: its first plan takes longer than a live
// daemon would wait.
type late struct {
	policy.Policy
	by time.Duration
}

func (l *late) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	time.Sleep(l.by)
	l.by = 0
	return l.Policy.Decide(s)
}

// Time is the simulation's: how long the machine takes for a plan changes
// nothing.
func TestABusyMachineChangesNothing(t *testing.T) {
	run := func(by time.Duration) string {
		loop := bridge.DefaultConfig()
		loop.Interval = time.Second // a daemon would wait a quarter of it
		out, err := Run(Config{Policy: &late{decider(t, "easy"), by}, PolicyName: "easy", Nodes: cluster(2), Jobs: stream(4, always), Seed: 1, LoopConfig: loop})
		if err != nil {
			t.Fatal(err)
		}
		return plain(t, out)
	}
	if quiet, busy := run(0), run(400*time.Millisecond); quiet != busy {
		t.Errorf("on a busy machine:\n%s\non a quiet one:\n%s", busy, quiet)
	}
}

// Nodes that are set aside are so for Slurm too: what reaches into that time
// waits for its end.
func TestNodesSetAside(t *testing.T) {
	nodes := cluster(1)
	nodes[0].Windows = []policy.Window{{From: workload.CalendarTimeAt(1800), To: workload.CalendarTimeAt(7200), Name: "m1", IsMaintenance: true}}
	jobs := []workload.Job{
		{ID: 1, Name: "long", User: "u1", Account: "a", GPUs: 8, Duration: 300, TimeLimit: time.Hour},
		{ID: 2, Name: "short", User: "u2", Account: "b", GPUs: 8, Duration: 300, TimeLimit: 10 * time.Minute},
	}
	for _, name := range []string{"easy", "fairbridge"} {
		r, err := Run(Config{Policy: decider(t, name), Nodes: nodes, Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		if long, short := r.JobOutcomes[0], r.JobOutcomes[1]; long.Start < 7200 || short.Finish > 1800 {
			t.Errorf("%s: the long job starts at %.0f s, the short one ends at %.0f s", name, long.Start, short.Finish)
		}
	}
}
