package intake

import (
	"math"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// sharingJob is one that holds shares, for so long.
func sharingJob(detail string, limit time.Duration) slurm.Job {
	return slurm.Job{
		State: "RUNNING", GresDetail: slurm.ReadGRESDetail([]string{detail}), GresPerNode: slurm.ReadGRESRequest("gres/shard:2"),
		RequestedTRES: slurm.ReadTRES("cpu=4,mem=8000M,node=1"), AllocatedTRES: slurm.ReadTRES("cpu=4,mem=8000M,node=1"), TimeLimit: limit,
		IsBatch: true, Requeue: true, Directive: slurm.Directive{Preemptible: true},
	}
}

// sharedView is a node of four GPUs with four shards each: one GPU is given out as a whole, of two shares
// are held, and one is free. A gang waits for two.
func sharedView() *slurm.View {
	v := migView("gpu:a100:4,shard:a100:16",
		slurm.Job{State: "RUNNING", RequestedTRES: slurm.ReadTRES("cpu=4,node=1,gres/gpu=1"), GresDetail: slurm.ReadGRESDetail([]string{"gpu:a100:1(IDX:0)"}), TimeLimit: 2 * time.Hour},
		sharingJob("shard:2(0/4,2/4,0/4,0/4)", 2*time.Hour),
		sharingJob("shard:1(0/4,1/4,0/4,0/4)", 3*time.Hour),
		sharingJob("shard:2(IDX:2)", 4*time.Hour), // as 22.05 has it
		slurm.Job{State: "PENDING", RequestedTRES: slurm.ReadTRES("cpu=1,node=1"), GresPerNode: slurm.ReadGRESRequest("gres/shard:2")},
		slurm.Job{State: "PENDING", RequestedTRES: slurm.ReadTRES("cpu=1,node=1,gres/gpu=2"), GresPerNode: slurm.ReadGRESRequest("gres/gpu:2"), NodeCount: 1, TimeLimit: time.Hour},
		slurm.Job{State: "PENDING", RequestedTRES: slurm.ReadTRES("cpu=1,node=1,gres/gpu=1"), GresPerNode: slurm.ReadGRESRequest("gres/gpu:1"), NodeCount: 1, TimeLimit: time.Hour},
	)
	v.Nodes[0].CPUsUsed, v.Nodes[0].MemUsedMB = 16, 24_000
	return v
}

// A GPU of which shares are given out is held once, by the job that ends last on it, until that ends; what
// asks for shares and waits is none of ours.
func TestASharedGPUIsHeldByTheJobThatEndsLast(t *testing.T) {
	s := AssembleSnapshot(Input{View: sharedView(), OptIn: bridge.OptIn{Comment: true}}, preempting("gpu"))
	whole := 0
	for _, j := range s.Jobs {
		whole += j.On.Count()
	}
	if d := s.Nodes[0].GPUs; whole != 3 || len(d) != 1 || d[0].Count != 4 || s.Nodes[0].WholeGPUs() != 4 {
		t.Errorf("%d GPUs are held of %+v", whole, d)
	}
	if s.Job(2) != nil || s.Job(5) != nil {
		t.Error("a job that ends first on its GPU, or waits for shares, is in the snapshot")
	}
	for id, want := range map[policy.JobID]float64{3: 0.25, 4: 0.5} {
		j := s.Job(id)
		if j == nil || j.On.String() != "n1:1×a100" || j.State != policy.Running || math.Abs(j.Ask.GPUs.WholeGPUs()-want) > 1e-9 {
			t.Fatalf("job %d: %+v", id, j)
		}
		if j.UnstoppableReason != "it holds shares of a GPU, which are not scheduled here" {
			t.Errorf("job %d: may it be stopped? %q", id, j.UnstoppableReason)
		}
	}
	if u := s.Nodes[0].OtherUses; len(u) != 1 || u[0].CPUs != 4 || u[0].MemMB != 8000 {
		t.Errorf("given back besides: %+v", u)
	}
	if s.Nodes[0].CPUs != 60 || s.Nodes[0].MemMB != 492_000 {
		t.Errorf("the node has %d cores and %d MB for the jobs of the snapshot", s.Nodes[0].CPUs, s.Nodes[0].MemMB)
	}
}

// No policy starts on a GPU of which shares are given out, and none stops a job for one.
func TestNoPolicyGivesASharedGPUAway(t *testing.T) {
	s := AssembleSnapshot(Input{View: sharedView(), OptIn: bridge.OptIn{Comment: true}}, preempting("gpu"))
	for _, e := range catalogue.Systems() {
		p, err := e.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Decide(s)
		if err != nil {
			t.Fatalf("%s: %v", e.Name, err)
		}
		if err := plan.Check(s); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		for _, d := range plan.Decisions {
			if d.Job == 6 && d.Verb == policy.Start || (d.Job == 3 || d.Job == 4) && d.Verb != policy.Keep {
				t.Errorf("%s: job %d: %s on %v: %s", e.Name, d.Job, d.Verb, d.On, d.Why)
			}
		}
	}
}

// Where Slurm tells no device each job holds one of its own: too much is taken, never too little.
func TestSharesOfUnknownGPUsAreHeldJobByJob(t *testing.T) {
	v := migView("gpu:a100:4,shard:a100:16", sharingJob("shard:2", time.Hour), sharingJob("shard:6", time.Hour))
	s := AssembleSnapshot(Input{View: v}, preempting("gpu"))
	if a, b := s.Job(1).On.Count(), s.Job(2).On.Count(); a != 1 || b != 2 {
		t.Errorf("%d and %d GPUs are held", a, b)
	}
}
