package sharing

import (
	"strings"
	"testing"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// stage is a node of two GPUs of four shards each. Job 1 of eve runs on two shards of the first; her job 2 waits, and
// is to start beside it.
type stage struct {
	plan policy.Plan
	s    policy.Snapshot
	v    slurm.View
}

func onDevice(d policy.DeviceSet) policy.Alloc {
	return policy.Alloc{{Node: "n1", Type: "a100", Count: 1, Devices: d}}
}

func waitingShare(id int64, user string) slurm.Job {
	return slurm.Job{
		ID: id, User: user, State: "PENDING", Partitions: []string{"gpu"}, IsBatch: true, ProcessCount: 1, NodeCount: 1, MemPerNodeMB: 100,
		GresPerNode: slurm.ReadGRESRequest("gres/gpu:1"), RequestedTRES: slurm.ReadTRES("gres/gpu=1"),
	}
}

func newStage() *stage {
	x := &stage{}
	x.s.Nodes = []policy.Node{{Name: "n1", Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "a100", Count: 2, MemMB: 40_000, SharesPerGPU: 4}}}}
	x.v = slurm.View{Release: "24.11.5", IsFullRead: true, Nodes: []slurm.Node{{Name: "n1", Partitions: []string{"gpu"}, Gres: slurm.ReadGRES("gpu:a100:2,shard:a100:8")}}}
	x.add(1, "eve", policy.Decision{Verb: policy.Keep, On: onDevice(1)})
	x.run(1, "shard:2(2/4,0/4)")
	x.add(2, "eve", policy.Decision{Verb: policy.Start, On: onDevice(1), Beside: 1})
	return x
}

// add adds a waiting job that opted in, of 12,000 MB and busy a fifth of the time.
func (x *stage) add(id int64, user string, d policy.Decision) {
	x.s.Jobs = append(x.s.Jobs, policy.Job{
		ID: policy.JobID(id), User: user, State: policy.Pending, Shareable: true, Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}},
		Sharing: &policy.Sharing{MemMB: 12_000, Utilisation: policy.KnownValue(.2)},
	})
	x.v.Jobs = append(x.v.Jobs, waitingShare(id, user))
	d.Job, d.Rank = policy.JobID(id), int(id)
	x.plan.Decisions = append(x.plan.Decisions, d)
}

// run makes a job one that runs on shards.
func (x *stage) run(id int64, detail string) {
	j := x.v.Job(id)
	j.State, j.Nodes, j.GresDetail = "RUNNING", slurm.ReadHosts("n1"), slurm.ReadGRESDetail([]string{detail})
	j.GresPerNode, j.RequestedTRES = slurm.ReadGRESRequest("gres/shard:2"), slurm.ReadTRES("cpu=1")
	p := x.s.Job(policy.JobID(id))
	p.State, p.On = policy.Running, onDevice(1)
}

func TestAssign(t *testing.T) {
	alone := policy.Decision{Verb: policy.Start, On: onDevice(0)}
	for name, c := range map[string]struct {
		change func(*stage)
		shards int    // of job 2
		why    string // why it has none
	}{
		"beside its user's own": {func(*stage) {}, 2, ""},
		"another user's":        {func(x *stage) { x.s.Jobs[1].User = "bob" }, 0, "beside job 1"},
		"another user's, one says yes": {func(x *stage) {
			x.s.Jobs[1].User, x.s.Jobs[1].Sharing.AcceptsOtherUsers = "bob", true
		}, 0, "beside job 1"},
		"another user's, both say yes": {func(x *stage) {
			x.s.Jobs[1].User, x.s.Jobs[1].Sharing.AcceptsOtherUsers, x.s.Jobs[0].Sharing.AcceptsOtherUsers = "bob", true, true
		}, 2, ""},
		"did not opt in":         {func(x *stage) { x.s.Jobs[1].Shareable = false }, 0, "did not opt in"},
		"the other did not":      {func(x *stage) { x.s.Jobs[0].Shareable = false }, 0, "beside job 1"},
		"the other is unknown":   {func(x *stage) { x.s.Jobs[0].ID = 0 }, 0, "beside job 1"},
		"needs most memory":      {func(x *stage) { x.s.Jobs[1].Sharing.MemMB = 30_000 }, 0, "for itself: 30000 MB"},
		"memory is not enough":   {func(x *stage) { x.s.Jobs[0].Sharing.MemMB = 27_500 }, 0, "40000 MB, is not enough"},
		"the other's is unknown": {func(x *stage) { x.s.Jobs[0].Sharing.MemMB = 0 }, 0, "how much memory that uses"},
		"memory is just enough":  {func(x *stage) { x.s.Jobs[0].Sharing.MemMB = 26_976 }, 2, ""},
		"its memory is unknown":  {func(x *stage) { x.s.Jobs[1].Sharing.MemMB = 0 }, 0, "memory"},
		"GPU memory is unknown":  {func(x *stage) { x.s.Nodes[0].GPUs[0].MemMB = 0 }, 0, "memory"},
		"it is busy":             {func(x *stage) { x.s.Jobs[1].Sharing.Utilisation = policy.KnownValue(.6) }, 0, "busy 60 %"},
		"use unknown":            {func(x *stage) { x.s.Jobs[1].Sharing.Utilisation = policy.OptionalValue{} }, 0, "how busy"},
		"no shards there":        {func(x *stage) { x.s.Nodes[0].GPUs[0].SharesPerGPU = 0 }, 0, "not given out in shards"},
		"no such node":           {func(x *stage) { x.plan.Decisions[1].On[0].Node = "n9" }, 0, "node n9"},
		"two GPUs":               {func(x *stage) { x.plan.Decisions[1].On[0].Count = 2 }, 0, "one GPU of one node"},
		"no shards left":         {func(x *stage) { x.v.Jobs[0].GresDetail = slurm.ReadGRESDetail([]string{"shard:3(3/4,0/4)"}) }, 0, "has 2 left"},
		"the other has it whole": {func(x *stage) { x.v.Jobs[0].GresDetail = slurm.ReadGRESDetail([]string{"gpu:a100:1(IDX:0)"}) }, 0, "has 2 left"},
		"a stranger waits for shards": {func(x *stage) {
			j := waitingShare(5, "bob")
			j.GresPerNode = slurm.ReadGRESRequest("gres/shard:1")
			x.v.Jobs = append(x.v.Jobs, j)
		}, 0, "job 5 of another user waits for shards"},
		"its user's own waits for shards": {func(x *stage) {
			j := waitingShare(5, "eve")
			j.GresPerNode = slurm.ReadGRESRequest("gres/shard:1")
			x.v.Jobs = append(x.v.Jobs, j)
		}, 2, ""},
		"beside one that starts": {func(x *stage) {
			x.v.Jobs[0], x.s.Jobs[0].State, x.plan.Decisions[0] = waitingShare(1, "eve"), policy.Pending, policy.Decision{Job: 1, Rank: 9, Verb: policy.Start, On: onDevice(0)}
			x.plan.Decisions[1].On = onDevice(0)
		}, 2, ""},
		"beside one that starts on a whole GPU": {func(x *stage) {
			x.v.Jobs[0], x.s.Jobs[0].State, x.plan.Decisions[0] = waitingShare(1, "eve"), policy.Pending, policy.Decision{Job: 1, Rank: 9, Verb: policy.Start, On: onDevice(0)}
			x.s.Jobs[0].Sharing.Utilisation = policy.KnownValue(.9)
		}, 0, "has 2 left"},
		"alone, where Slurm would put it beside job 1": {func(x *stage) { x.plan.Decisions[1] = alone; x.plan.Decisions[1].Job = 2 }, 0, ""},
		"alone, where nobody is": {func(x *stage) {
			x.plan.Decisions[1] = alone
			x.plan.Decisions[1].Job = 2
			x.v.Jobs[0].Nodes = slurm.Hosts{}
		}, 2, ""},
		"on a device by name that another gives up": {func(x *stage) {
			x.plan.Decisions[0].Verb, x.plan.Decisions[1].Beside, x.s.Jobs[1].Shareable = policy.Stop, 0, false
		}, 0, ""},
		"on a device by name that another keeps": {func(x *stage) { x.plan.Decisions[1].Beside = 0 }, 2, ""},
		"it waits":                               {func(x *stage) { x.plan.Decisions[1].Verb = policy.Wait }, 0, ""},
	} {
		x := newStage()
		c.change(x)
		got := Assign(&x.plan, &x.s, &x.v)[2]
		if got.Shards != c.shards || !strings.Contains(got.Why, c.why) || (got.Why == "") != (c.why == "") {
			t.Errorf("%s: %+v, want %d shards, or %q", name, got, c.shards, c.why)
		}
	}
}

// TestAThirdIsKeptOff: two fill a GPU; of those that start on a GPU of their own one is open to others, and keeps being it.
func TestAThirdIsKeptOff(t *testing.T) {
	x := newStage()
	x.add(3, "eve", policy.Decision{Verb: policy.Start, On: onDevice(1), Beside: 1})
	got := Assign(&x.plan, &x.s, &x.v)
	if got[2].Shards != 2 || got[3].Shards != 0 || got[3].Why == "" {
		t.Errorf("two beside job 1: %+v", got)
	}
	x = newStage()
	x.v.Jobs[0].Nodes, x.plan.Decisions[1] = slurm.Hosts{}, policy.Decision{Job: 2, Rank: 2, Verb: policy.Start, On: onDevice(0)}
	x.add(3, "eve", policy.Decision{Verb: policy.Start, On: onDevice(0)})
	if got = Assign(&x.plan, &x.s, &x.v); got[2].Shards != 2 || got[3].Shards != 0 {
		t.Errorf("two alone: %+v", got)
	}
	x.v.Job(3).GresPerNode = slurm.ReadGRESRequest("gres/shard:2")
	if got = Assign(&x.plan, &x.s, &x.v); got[2].Shards != 0 || got[3].Shards != 2 {
		t.Errorf("two alone, of which the second has shards already: %+v", got)
	}
}

func TestFixedReason(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*slurm.Job, *policy.Ask, *string)
		why    string
	}{
		"one GPU":        {func(*slurm.Job, *policy.Ask, *string) {}, ""},
		"a type":         {func(j *slurm.Job, _ *policy.Ask, _ *string) { j.GresPerNode = slurm.ReadGRESRequest("gres/gpu:a100:1") }, ""},
		"shards of ours": {func(j *slurm.Job, _ *policy.Ask, _ *string) { j.GresPerNode = slurm.ReadGRESRequest("gres/shard:2") }, ""},
		"22.05":          {func(_ *slurm.Job, _ *policy.Ask, r *string) { *r = "22.05.8" }, "Slurm 22.05.8"},
		"two GPUs":       {func(_ *slurm.Job, a *policy.Ask, _ *string) { a.GPUs.Count = 2 }, "2 GPUs"},
		"a slice":        {func(_ *slurm.Job, a *policy.Ask, _ *string) { a.GPUs.PartPercent = 14 }, "whole GPU"},
		"--gpus":         {func(j *slurm.Job, _ *policy.Ask, _ *string) { j.GresPerJob = slurm.ReadGRESRequest("gres/gpu:1") }, "--gres"},
		"more than GPUs": {func(j *slurm.Job, _ *policy.Ask, _ *string) {
			j.GresPerNode = slurm.ReadGRESRequest("gres/gpu:1,gres/nvme:1")
		}, "--gres"},
		"--cpus-per-gpu": {func(j *slurm.Job, _ *policy.Ask, _ *string) { j.CPUsPerGRES = "gres/gpu:4" }, "--cpus-per-gpu"},
		"--mem-per-gpu":  {func(j *slurm.Job, _ *policy.Ask, _ *string) { j.MemPerNodeMB = 0 }, "--mem-per-gpu"},
		"an array":       {func(j *slurm.Job, _ *policy.Ask, _ *string) { j.ArrayJobID = 4 }, "array"},
		"interactive":    {func(j *slurm.Job, _ *policy.Ask, _ *string) { j.IsBatch = false }, "interactive"},
		"two nodes":      {func(j *slurm.Job, _ *policy.Ask, _ *string) { j.NodeCount = 2 }, "2 nodes"},
		"two tasks":      {func(j *slurm.Job, _ *policy.Ask, _ *string) { j.ProcessCount = 2 }, "2 tasks"},
		"whole nodes":    {func(j *slurm.Job, _ *policy.Ask, _ *string) { j.Exclusive = true }, "--exclusive"},
		"heterogeneous":  {func(j *slurm.Job, _ *policy.Ask, _ *string) { j.HetJobID = 3 }, "heterogeneous"},
	} {
		j, ask, release := waitingShare(2, "eve"), policy.Ask{GPUs: policy.GPUs{Count: 1}}, "24.11.5"
		c.change(&j, &ask, &release)
		if got := FixedReason(&j, &ask, release); !strings.Contains(got, c.why) || (got == "") != (c.why == "") {
			t.Errorf("%s: %q, want %q", name, got, c.why)
		}
	}
}

// TestCheckEdit: an edit is judged by what runs, whatever the plan says.
func TestCheckEdit(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*stage)
		node   string
		shards int64
		why    string
	}{
		"as planned":    {func(*stage) {}, "n1", 2, ""},
		"another count": {func(*stage) {}, "n1", 1, "2 shards"},
		"another node":  {func(*stage) {}, "n2", 2, "n2"},
		"not opted in":  {func(x *stage) { x.s.Jobs[1].Shareable = false }, "n1", 2, "opt in"},
		"beside bob's":  {func(x *stage) { x.s.Jobs[0].User = "bob" }, "n1", 2, "beside job 1"},
		"old records":   {func(x *stage) { x.v.IsFullRead = false }, "n1", 2, "whole list"},
		"old records, alone": {func(x *stage) {
			x.v.IsFullRead, x.v.Jobs[0].GresDetail = false, slurm.ReadGRESDetail([]string{"shard:3(3/4,0/4)"})
		}, "n1", 2, ""},
		"22.05":        {func(x *stage) { x.v.Release = "22.05.8" }, "n1", 2, "22.05.8"},
		"another type": {func(x *stage) { x.s.Jobs[1].Ask.GPUs.Type = "h100" }, "n1", 2, "n1"},
	} {
		x := newStage()
		c.change(x)
		if got := CheckEdit(&x.s, &x.v, nil, &x.s.Jobs[1], &x.v.Jobs[1], c.node, c.shards); !strings.Contains(got, c.why) || (got == "") != (c.why == "") {
			t.Errorf("%s: %q, want %q", name, got, c.why)
		}
	}
}
