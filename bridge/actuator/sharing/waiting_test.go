package sharing

import (
	"strings"
	"testing"

	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// waitWithShards makes a waiting job one that has shards of ours, and is bound to the nodes.
func (x *stage) waitWithShards(id int64, shards string, nodes string) {
	j := x.v.Job(id)
	j.GresPerNode, j.RequestedTRES, j.RequiredNodes = slurm.ReadGRESRequest(shards), slurm.ReadTRES("cpu=1"), slurm.ReadHosts(nodes)
}

// TestWaitingNeighbours: a job that waits with shards may start at any moment, before or after others, and whether or not
// the plan wants it to. So nobody gets shards of its node who must not be beside it.
func TestWaitingNeighbours(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*stage)
		why    string // why job 2 gets none
	}{
		"nobody waits":                     {func(*stage) {}, ""},
		"a stranger with shards of ours":   {func(x *stage) { x.waitWithShards(3, "gres/shard:2", "n1") }, "job 3"},
		"one that its owner holds":         {func(x *stage) { x.waitWithShards(3, "gres/shard:2", "n1"); x.v.Job(3).IsHeld = true }, "job 3"},
		"one that is bound to no node":     {func(x *stage) { x.waitWithShards(3, "gres/shard:2", "") }, "job 3"},
		"one that is bound elsewhere":      {func(x *stage) { x.waitWithShards(3, "gres/shard:2", "n2") }, ""},
		"one of another partition's nodes": {func(x *stage) { x.waitWithShards(3, "gres/shard:2", ""); x.v.Job(3).Partitions = []string{"cpu"} }, ""},
		"one that does not fit beside it":  {func(x *stage) { x.waitWithShards(3, "gres/shard:3", "n1") }, ""},
		"its user's own":                   {func(x *stage) { x.waitWithShards(3, "gres/shard:2", "n1"); x.setUser(3, "eve") }, ""},
		"its user's own, without the memory": {func(x *stage) {
			x.waitWithShards(3, "gres/shard:2", "n1")
			x.setUser(3, "eve")
			x.s.Job(3).Sharing.MemMB = 28_000
		}, "memory"},
		"its user's own, of unknown memory": {func(x *stage) {
			x.waitWithShards(3, "gres/shard:2", "n1")
			x.setUser(3, "eve")
			x.s.Job(3).Sharing.MemMB = 0
		}, "how much memory"},
		"its user's own, which withdrew that": {func(x *stage) {
			x.waitWithShards(3, "gres/shard:2", "n1")
			x.setUser(3, "eve")
			x.s.Job(3).Shareable = false
		}, "job 3"},
		"two of users that are not known": {func(x *stage) {
			x.v.Jobs[2] = waitingShare(9, "")
			x.waitWithShards(9, "gres/shard:1", "n1")
			x.setUser(1, "")
			x.setUser(2, "")
		}, "not known"},
	} {
		x := newStage()
		x.s.Jobs = append(x.s.Jobs, policy.Job{ID: 3, User: "bob", State: policy.Pending, Shareable: true, Sharing: &policy.Sharing{MemMB: 12_000, Utilisation: policy.KnownValue(.2)}})
		x.v.Jobs = append(x.v.Jobs, waitingShare(3, "bob"))
		x.plan.Decisions = append(x.plan.Decisions, policy.Decision{Job: 3, Rank: 3, Verb: policy.Wait})
		c.change(x)
		got := Assign(&x.plan, &x.s, &x.v)[2]
		if !strings.Contains(got.Why, c.why) || (got.Why == "") != (c.why == "") {
			t.Errorf("%s: %+v, want %q", name, got, c.why)
		}
		if why := CheckEdit(&x.s, &x.v, nil, &x.s.Jobs[1], &x.v.Jobs[1], "n1", 2); !strings.Contains(why, c.why) || (why == "") != (c.why == "") {
			t.Errorf("%s: the edit is refused by %q, want %q", name, why, c.why)
		}
	}
}

func (x *stage) setUser(id int64, user string) {
	x.v.Job(id).User = user
	if p := x.s.Job(policy.JobID(id)); p != nil {
		p.User = user
	}
}

// TestStartsInAnyOrder: what is assigned holds in whichever order Slurm starts the jobs, and also where one of the edits is
// lost. Job 4 of bob is planned beside his job 3, while the GPU of eve's job 2 is to be filled by her job 5: if that
// does not come, Slurm puts job 4 beside job 2.
func TestStartsInAnyOrder(t *testing.T) {
	x := newStage()
	x.v.Jobs[0].Nodes, x.plan.Decisions[1] = slurm.Hosts{}, policy.Decision{Job: 2, Rank: 2, Verb: policy.Start, On: onDevice(0)}
	x.s.Jobs[0].State = policy.Pending
	x.s.Nodes[0].GPUs[0].SharesPerGPU = 8
	x.add(3, "bob", policy.Decision{Verb: policy.Start, On: onDevice(0)})
	x.s.Job(3).Sharing.MemMB = 24_000
	x.add(5, "eve", policy.Decision{Verb: policy.Start, On: onDevice(0), Beside: 2})
	x.add(6, "bob", policy.Decision{Verb: policy.Start, On: onDevice(0), Beside: 3})
	x.s.Job(6).Sharing.JobsPerGPU, x.s.Job(3).Sharing.JobsPerGPU = 4, 4
	x.s.Job(6).Sharing.MemMB = 2_000
	if got := Assign(&x.plan, &x.s, &x.v); got[2].Shards != 4 || got[3].Shards != 5 || got[6].Shards != 0 || !strings.Contains(got[6].Why, "job 2") {
		t.Errorf("%+v", got)
	}
}

// TestStartsOfOtherPartitions: what another partition of the cycle decided counts, although no record shows it yet.
func TestStartsOfOtherPartitions(t *testing.T) {
	x := newStage()
	x.v.Jobs = append(x.v.Jobs, waitingShare(8, "bob"))
	if why := CheckEdit(&x.s, &x.v, []Start{{8, "n1", 2}}, &x.s.Jobs[1], &x.v.Jobs[1], "n1", 2); !strings.Contains(why, "job 8") {
		t.Errorf("beside what starts in another partition: %q", why)
	}
	if why := CheckEdit(&x.s, &x.v, []Start{{8, "n2", 2}, {2, "n1", 2}}, &x.s.Jobs[1], &x.v.Jobs[1], "n1", 2); why != "" {
		t.Errorf("on other nodes, and itself: %q", why)
	}
}
