package gate_test

import (
	"testing"
	"time"

	"fairbridge/bridge/gate"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Nothing is stopped for a job to which Slurm may give room by itself, or which may lack something else.
var slurmsOwnCases = []planCase{
	{"Slurm lacks resources", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 1).Reason = "Resources" }, ""},
	{"Slurm has not looked at a new job", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 1).Reason, viewJob(&in.CommonInput, 1).Submit = "None", noon.Add(-50*time.Second)
	}, "I8"},
	{"Slurm has not looked at a job whose time has come", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 1).EligibleTime = noon.Add(-50 * time.Second)
	}, "I8"},
	{"Slurm has looked at a new job", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 1).Reason, viewJob(&in.CommonInput, 1).Submit = "Priority", noon.Add(-50*time.Second)
	}, ""},
	{"licences may be what it lacks", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 1).Reason, viewJob(&in.CommonInput, 1).Licenses = "Priority", "solver:1"
	}, "I8"},
	{"it lacks nodes, not licences", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 1).Reason, viewJob(&in.CommonInput, 1).Licenses = "Resources", "solver:1"
	}, ""},
	{"Slurm preempts a job", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 13).PreemptTime = noon.Add(-time.Minute)
	}, "I8"},
	{"Slurm preempts a job elsewhere", policy.Stop, func(in *gate.PlanInput) {
		j := viewJob(&in.CommonInput, 13)
		j.PreemptTime, in.Snapshot.Jobs[6].On = noon.Add(-time.Minute), nil
	}, ""},
	{"a job is ending", policy.Stop, func(in *gate.PlanInput) {
		j := viewJob(&in.CommonInput, 13)
		j.Flags, j.End = []string{"COMPLETING"}, noon.Add(-time.Minute)
	}, "I8"},
	{"a job has been ending for long", policy.Stop, func(in *gate.PlanInput) {
		j := viewJob(&in.CommonInput, 13)
		j.Flags, j.End = []string{"COMPLETING"}, noon.Add(-6*time.Minute)
	}, ""},
	{"a job is ending and leaves too little", policy.Stop, func(in *gate.PlanInput) {
		j := viewJob(&in.CommonInput, 13)
		j.Flags, j.End = []string{"COMPLETING"}, noon.Add(-time.Minute)
		in.Snapshot.Jobs[6].On[0].Count = 4
		in.Snapshot.Nodes[2].GPUs[0].SickCount = 4
	}, ""},
	{"Slurm preempted an earlier run", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 13).PreemptTime = noon.Add(-8 * time.Hour)
	}, ""},
}

// rival adds a waiting job of another partition on the nodes, of tier 10, and changes both.
func rival(nodes []int, change func(j *slurm.Job, p *slurm.Partition)) func(*gate.PlanInput) {
	return func(in *gate.PlanInput) {
		v := in.View
		v.Partitions = []slurm.Partition{{Name: "gpu", PriorityTier: 1, State: "UP"}, {Name: "urgent", PriorityTier: 10, State: "UP"}}
		for _, i := range nodes {
			v.Nodes[i].Partitions = []string{"gpu", "urgent"}
			v.Nodes[i].Features = []string{"a100"}
			v.Nodes[i].Gres = slurm.ReadGRES("gpu:a100:8")
		}
		j := slurm.Job{
			ID: 99, Partitions: []string{"urgent"}, State: "PENDING", Reason: "Resources", Priority: 10, Account: "c",
			GresPerNode: slurm.ReadGRES("gpu:1"), Submit: noon.Add(-time.Hour), EligibleTime: noon.Add(-time.Hour),
		}
		if change != nil {
			change(&j, &v.Partitions[1])
		}
		v.Jobs = append(v.Jobs, j)
	}
}

// Nothing is stopped where Slurm would give what comes free to a job that we do not rank.
var goesFirstCases = []planCase{
	{"a higher tier", policy.Stop, rival([]int{0}, nil), "I8"},
	{"elsewhere", policy.Stop, rival([]int{1}, nil), ""},
	{"a lower tier", policy.Stop, rival([]int{0}, func(j *slurm.Job, p *slurm.Partition) { j.Priority, p.PriorityTier = 9000, 0 }), ""},
	{"the same tier, a lower priority", policy.Stop, rival([]int{0}, func(_ *slurm.Job, p *slurm.Partition) { p.PriorityTier = 1 }), ""},
	{"the same tier, a higher priority", policy.Stop, rival([]int{0}, func(j *slurm.Job, p *slurm.Partition) { j.Priority, p.PriorityTier = 9000, 1 }), "I8"},
	{"in this partition too", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.Partitions = []string{"gpu", "urgent"} }), "I8"},
	{"held", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.IsHeld, j.Priority = true, 0 }), ""},
	{"not yet eligible", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.EligibleTime = noon.Add(time.Hour) }), ""},
	{"kept back by a limit", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.Reason = "AssocGrpGRES" }), ""},
	{"new to Slurm", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.Reason = "None" }), "I8"},
	{"running", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.State = "RUNNING" }), ""},
	{"its partition is closed", policy.Stop, rival([]int{0}, func(_ *slurm.Job, p *slurm.Partition) { p.State = "DOWN" }), ""},
	{"its partition denies its account", policy.Stop, rival([]int{0}, func(_ *slurm.Job, p *slurm.Partition) { p.DeniedAccounts = []string{"c"} }), ""},
	{"it excludes the node", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.ExcludedNodes = slurm.ReadHosts("n1") }), ""},
	{"it wants another node", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.RequiredNodes = slurm.ReadHosts("n2") }), ""},
	{"it wants another feature", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.Features = slurm.ReadFeatures("h100") }), ""},
	{"it wants another GPU", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.GresPerNode = slurm.ReadGRES("gpu:h100:1") }), ""},
	{"it wants no GPU", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.GresPerNode = slurm.GRESList{} }), ""},
	{"it wants shards, here there are none", policy.Stop, rival([]int{0}, wantsShards(9000)), ""},
	{"it wants shards", policy.Stop, withShards(rival([]int{0}, wantsShards(9000))), "I8"},
	{"it wants shards, a lower priority", policy.Stop, withShards(rival([]int{0}, wantsShards(10))), ""},
	{"it wants no GPU, but the node", policy.Stop, rival([]int{0}, func(j *slurm.Job, _ *slurm.Partition) { j.GresPerNode, j.Exclusive = slurm.GRESList{}, true }), "I8"},
}

// wantsShards makes the rival one of this partition that asks for shards of a GPU: it is in no plan.
func wantsShards(priority int64) func(*slurm.Job, *slurm.Partition) {
	return func(j *slurm.Job, _ *slurm.Partition) {
		j.Partitions, j.Priority, j.GresPerNode = []string{"gpu"}, priority, slurm.ReadGRESRequest("gres/shard:2")
	}
}

// withShards makes the first node one that offers shards.
func withShards(change func(*gate.PlanInput)) func(*gate.PlanInput) {
	return func(in *gate.PlanInput) {
		change(in)
		in.View.Nodes[0].Gres = slurm.ReadGRES("gpu:a100:8,shard:a100:32")
	}
}

func TestWhoGoesFirst(t *testing.T) {
	for _, c := range goesFirstCases {
		t.Run(c.name, c.check)
	}
}

func TestWhatSlurmDoesItself(t *testing.T) {
	for _, c := range slurmsOwnCases {
		t.Run(c.name, c.check)
	}
}
