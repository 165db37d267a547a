package intake

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// requests that no partition could ever hold, and what is said of them.
var absurd = map[string]struct {
	job slurm.Job
	why string
}{
	"more GPUs than there are":  {slurm.Job{RequestedTRES: slurm.ReadTRES("cpu=1,gres/gpu=9")}, "it asks for 9 GPUs, the nodes of partition gpu have 8 in all"},
	"2^31 - 1 GPUs":             {slurm.Job{RequestedTRES: slurm.ReadTRES("cpu=1,gres/gpu=2147483647,gres/gpu:a100=2147483647")}, "it asks for 2147483647 GPUs"},
	"100,000,000,000 GPUs":      {slurm.Job{RequestedTRES: slurm.ReadTRES("cpu=1,gres/gpu=100000000000")}, "\"100000000000\" is more devices than any cluster has"},
	"as many on many nodes":     {slurm.Job{GresPerNode: slurm.ReadGRESRequest("gres/gpu:2147483647"), NodeCount: 1 << 30}, "GPUs, the nodes of partition gpu have 8 in all"},
	"a cluster of other nodes":  {slurm.Job{RequestedTRES: slurm.ReadTRES("gres/gpu=1"), NodeCount: 1 << 30}, "it asks for 1073741824 nodes, the nodes of partition gpu have 2 in all"},
	"more cores than there are": {slurm.Job{RequestedTRES: slurm.ReadTRES("cpu=70000000000000,gres/gpu=1")}, "cores, the nodes of partition gpu have 64 in all"},
	"more memory":               {slurm.Job{RequestedTRES: slurm.ReadTRES("cpu=1,mem=8P,gres/gpu=1")}, "MB of memory, the nodes of partition gpu have 1000000 in all"},
}

func twoNodes() *slurm.View {
	return &slurm.View{At: time.Unix(1e9, 0), Nodes: []slurm.Node{
		{Name: "n1", State: "IDLE", Gres: slurm.ReadGRES("gpu:a100:4"), CPUs: 32, MemMB: 500_000, Partitions: []string{"gpu"}},
		{Name: "n2", State: "IDLE", Gres: slurm.ReadGRES("gpu:a100:4"), CPUs: 32, MemMB: 500_000, Partitions: []string{"gpu"}},
		{Name: "n3", State: "IDLE", Gres: slurm.ReadGRES("gpu:a100:64"), CPUs: 32, MemMB: 500_000, Partitions: []string{"other"}},
	}}
}

// What no partition could hold is said, and reaches no policy as a demand: none
// of them counts or makes room for it.
func TestAbsurdRequests(t *testing.T) {
	for name, c := range absurd {
		t.Run(name, func(t *testing.T) {
			v := twoNodes()
			for i := range 3 {
				j := c.job
				j.ID, j.User, j.Account, j.Partitions, j.State, j.Submit = int64(i+1), "ann", "nlp", []string{"gpu"}, "PENDING", v.At.Add(-time.Hour)
				if i == 2 {
					j.RequestedTRES, j.GresPerNode, j.NodeCount = slurm.ReadTRES("cpu=1,gres/gpu=4"), slurm.GRESList{}, 1
				}
				v.Jobs = append(v.Jobs, j)
			}
			v.Jobs[1].State, v.Jobs[1].Nodes, v.Jobs[1].Start = "RUNNING", slurm.ReadHosts("n1"), v.At.Add(-time.Minute)
			s := AssembleSnapshot(Input{View: v}, preempting("gpu"))
			if held := s.Job(1).HeldReason; !strings.Contains(held, c.why) {
				t.Errorf("held %q, want %q", held, c.why)
			}
			for _, j := range s.Jobs {
				if a := j.Ask; a.GPUs.Count > 8 || a.MinNodes > 2 || a.CPUs > 64 || a.MemMB > 1e6 || a.PerNode > 8 {
					t.Errorf("job %d asks for %+v of a cluster of 8 GPUs", j.ID, a)
				}
			}
			everyPolicy(t, s)
		})
	}
}

// everyPolicy wants a plan of each that starts job 3, for little memory.
func everyPolicy(t *testing.T, s *policy.Snapshot) {
	t.Helper()
	for _, e := range catalogue.Systems() {
		p, err := e.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		plan, err := p.Decide(s)
		runtime.ReadMemStats(&after)
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; err != nil || took > 16 {
			t.Errorf("%s: %v, and it took %d MB", e.Name, err, took)
			continue
		}
		if i := slices.IndexFunc(plan.Decisions, func(d policy.Decision) bool { return d.Job == 3 }); plan.Decisions[i].Verb != policy.Start {
			t.Errorf("%s: job 3, which asks for 4 GPUs, is not started: %s", e.Name, plan.Decisions[i].Why)
		}
	}
}

// A job may hold GPUs of nodes that show none: their generic resources cannot be read
// for the moment, or were taken out of Slurm's configuration under it.
func TestGPUsThatNoNodeShows(t *testing.T) {
	for _, gres := range []string{"gpu:a100:x:y", "gpu:0"} {
		v := twoNodes()
		for i := range v.Nodes {
			v.Nodes[i].Gres = slurm.ReadGRES(gres)
		}
		v.Jobs = []slurm.Job{{
			ID: 1, User: "ann", Account: "nlp", Partitions: []string{"gpu"}, State: "RUNNING", Nodes: slurm.ReadHosts("n1"),
			Submit: v.At.Add(-time.Hour), Start: v.At.Add(-time.Minute), RequestedTRES: slurm.ReadTRES("cpu=1,gres/gpu=4"), AllocatedTRES: slurm.ReadTRES("cpu=1,gres/gpu=4"),
		}}
		s := AssembleSnapshot(Input{View: v}, preempting("gpu"))
		if j := s.Job(1); j == nil || len(j.On) != 0 || j.UnstoppableReason == "" {
			t.Errorf("%s: a job on nodes that show no GPU is %+v", gres, j)
		}
		for _, e := range catalogue.Systems() {
			p, err := e.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Decide(s); err != nil {
				t.Errorf("%s: %s: %v", gres, e.Name, err)
			}
		}
	}
}
