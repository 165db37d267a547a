package gate_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// planCase is a plan that stops job 11 for job 1, or holds or starts a job,
// with one thing changed. want is the invariant that refuses the decision about
// the job, "" when it passes.
type planCase struct {
	name  string
	verb  policy.Verb // Stop: 11 for 1; Hold or Start: job 2
	spoil func(in *gate.PlanInput)
	want  string
}

var planCases = []planCase{
	{"stop", policy.Stop, func(*gate.PlanInput) {}, ""},
	{"hold", policy.Hold, func(*gate.PlanInput) {}, ""},
	{"start", policy.Start, func(*gate.PlanInput) {}, ""},
	{"I1 stop held", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).IsHeld = true }, "I1"},
	{"I1 hold held", policy.Hold, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 2).Priority = 0 }, "I1"},
	{"I4 leased too long", policy.Hold, func(in *gate.PlanInput) { in.LeasedTimeByJob[2] = 24 * time.Hour }, "I4"},
	{"I5 not opted in", policy.Stop, func(in *gate.PlanInput) { planJob(&in.CommonInput, 11).UnstoppableReason = "no" }, "I5"},
	{"I5 suspended", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).State = "SUSPENDED" }, "I5"},
	{"I5 no batch", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).IsBatch = false }, "I5"},
	{"I5 no requeue", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).Requeue = false }, "I5"},
	{"I6 quantum", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).Start = noon.Add(-29 * time.Minute) }, "I6"},
	{"I6 quantum over", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).Start = noon.Add(-30 * time.Minute) }, ""},
	{"I6 checkpoint", policy.Stop, func(in *gate.PlanInput) {
		viewJob(&in.CommonInput, 11).Start = noon.Add(-34 * time.Minute)
		planJob(&in.CommonInput, 11).CheckpointCost = 5 * time.Minute
	}, "I6"},
	{"I6 no start", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).Start = time.Time{} }, "I6"},
	{"I6 cooldown", policy.Stop, func(in *gate.PlanInput) { in.RequeueTimesByJob[11] = []time.Time{noon.Add(-119 * time.Minute)} }, "I6"},
	{"I6 cooldown in stops", policy.Stop, func(in *gate.PlanInput) {
		in.RecentStops = []bridge.Stop{{Job: 11, DecidedAt: noon.Add(-90 * time.Minute)}}
	}, "I6"},
	{"I7 job 4h", policy.Stop, func(in *gate.PlanInput) { in.RequeueTimesByJob[11] = []time.Time{noon.Add(-239 * time.Minute)} }, "I7"},
	{"I7 job 4h over", policy.Stop, func(in *gate.PlanInput) { in.RequeueTimesByJob[11] = []time.Time{noon.Add(-4 * time.Hour)} }, ""},
	{"I7 job 24h", policy.Stop, func(in *gate.PlanInput) { in.RequeueTimesByJob[11] = hoursAgo(5, 10, 23) }, "I7"},
	{"I7 job 4h in stops", policy.Stop, func(in *gate.PlanInput) { stoppedBefore(in, 3) }, "I7"},
	{"I7 job 24h in stops", policy.Stop, func(in *gate.PlanInput) { stoppedBefore(in, 5, 10, 23) }, "I7"},
	{"I7 job 24h in stops nearly", policy.Stop, func(in *gate.PlanInput) { stoppedBefore(in, 5, 10) }, ""},
	{"I7 exempt for good", policy.Stop, func(in *gate.PlanInput) { in.RequeueTimesByJob[11] = hoursAgo(120, 110, 100) }, "I7"},
	{"I7 often but slowly", policy.Stop, func(in *gate.PlanInput) { in.RequeueTimesByJob[11] = hoursAgo(120, 90, 60) }, ""},
	{"I7 user", policy.Stop, func(in *gate.PlanInput) { other(in, 5, "u11", "x", 30*time.Minute) }, "I7"},
	{"I7 user earlier", policy.Stop, func(in *gate.PlanInput) { other(in, 5, "u11", "x", 61*time.Minute) }, ""},
	{"I7 user nearly", policy.Stop, func(in *gate.PlanInput) { other(in, 4, "u11", "x", 30*time.Minute) }, ""},
	{"I7 account", policy.Stop, func(in *gate.PlanInput) { other(in, 10, "x", "b", 30*time.Minute) }, "I7"},
	{"I7 account nearly", policy.Stop, func(in *gate.PlanInput) { other(in, 9, "x", "b", 30*time.Minute) }, ""},
	{"I7 interval", policy.Stop, func(in *gate.PlanInput) { other(in, 1, "x", "x", 0) }, "I7"},
	{"I7 hour", policy.Stop, func(in *gate.PlanInput) { other(in, 1, "x", "x", time.Hour); in.Budgets.StopPercent1h = 2 }, "I7"},
	{"I7 interval percent", policy.Stop, func(in *gate.PlanInput) {
		in.Budgets.StopFloor, in.Budgets.StopPercent, in.Budgets.SmallStopPercent = 0, 24.9, 24.9
	}, "I7"},
	{"I7 hour percent", policy.Stop, func(in *gate.PlanInput) {
		in.Budgets.StopFloor1h, in.Budgets.StopPercent1h, in.Budgets.SmallStopPercent = 0, 24.9, 24.9
	}, "I7"},
	{"I7 percent enough", policy.Stop, func(in *gate.PlanInput) {
		in.Budgets.StopFloor1h, in.Budgets.StopPercent1h = 0, 25
		in.Budgets.StopFloor, in.Budgets.StopPercent = 0, 25
	}, ""},
	{"I7 plan percent", policy.Stop, func(in *gate.PlanInput) { openBudgets(in); in.Budgets.PlanStopPercent = 49 }, "I7"},
	{"I7 plan percent enough", policy.Stop, func(in *gate.PlanInput) { openBudgets(in); in.Budgets.PlanStopPercent = 50 }, ""},
	{"I7 plan floor", policy.Stop, func(in *gate.PlanInput) {
		openBudgets(in)
		in.Budgets.PlanStopFloor, in.Budgets.PlanStopPercent = 2, 0
	}, ""},
	{"I7 work lost", policy.Stop, func(in *gate.PlanInput) {
		in.RecentStops = []bridge.Stop{{Job: 99, DecidedAt: noon.Add(-20 * time.Hour), StopCost: bridge.StopCost{Lost: policy.ServiceForTime(32, 72*time.Minute)}}}
	}, "I7"},
	{"I7 work lost, just", policy.Stop, func(in *gate.PlanInput) {
		in.RecentStops = []bridge.Stop{{Job: 99, DecidedAt: noon.Add(-20 * time.Hour), StopCost: bridge.StopCost{Lost: policy.ServiceForTime(32, 72*time.Minute) - policy.ServiceForTime(8, 5*time.Minute)}}}
	}, ""},
	{"I8 nobody", policy.Stop, func(in *gate.PlanInput) { decision(in.Plan, 11).StoppedFor = 0 }, "I8"},
	{"I8 unlisted", policy.Stop, func(in *gate.PlanInput) { decision(in.Plan, 11).StoppedFor = 99 }, "I8"},
	{"I8 does not start", policy.Stop, func(in *gate.PlanInput) { decision(in.Plan, 1).Verb = policy.Wait }, "I8"},
	{"I8 elsewhere", policy.Stop, func(in *gate.PlanInput) { decision(in.Plan, 1).On = on("n2") }, "I8"},
	{"I8 nowhere", policy.Stop, func(in *gate.PlanInput) { decision(in.Plan, 1).On = nil }, "I8"},
	{"I8 not eligible", policy.Stop, func(in *gate.PlanInput) { planJob(&in.CommonInput, 1).EligibleAt = noon.Add(time.Minute) }, "I8"},
	{"I8 beneficiary held", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 1).IsHeld = true }, "I8"},
	{"I8 has room", policy.Stop, func(in *gate.PlanInput) { planJob(&in.CommonInput, 11).On = on("n1"); freed(in, "n1") }, "I8"},
	{"I8 has devices but no cores", policy.Stop, func(in *gate.PlanInput) {
		freed(in, "n1")
		cores(in, 11, 60)
		cores(in, 1, 10)
	}, ""},
	{"I8 has devices and cores", policy.Stop, func(in *gate.PlanInput) {
		freed(in, "n1")
		cores(in, 11, 54)
		cores(in, 1, 10)
	}, "I8"},
	{"I8 has devices but no memory", policy.Stop, func(in *gate.PlanInput) {
		freed(in, "n1")
		planJob(&in.CommonInput, 1).Ask.MemMB = 1001
	}, ""},
	{"I8 small gain", policy.Stop, func(in *gate.PlanInput) { planJob(&in.CommonInput, 1).Limit = 14 * time.Minute }, "I8"},
	{"I8 fair gain", policy.Stop, func(in *gate.PlanInput) { planJob(&in.CommonInput, 1).Limit = 15 * time.Minute }, ""},
	{"I8 small gain predicted", policy.Stop, func(in *gate.PlanInput) { planJob(&in.CommonInput, 1).PredictedLeft = time.Minute }, "I8"},
	{"I8 gain without end", policy.Stop, func(in *gate.PlanInput) { planJob(&in.CommonInput, 1).Limit = 0 }, ""},
	{"I8 elastic", policy.Stop, func(in *gate.PlanInput) {
		planJob(&in.CommonInput, 1).MinGPUs, planJob(&in.CommonInput, 1).MaxGPUs = 4, 8
		viewJob(&in.CommonInput, 1).ProcessCount, viewJob(&in.CommonInput, 1).GresPerNode = 1, slurm.ReadGRESRequest("gres/gpu:8")
		in.ModeByPartition["gpu"] = bridge.ModeElastic
		decision(in.Plan, 1).On[0].Count, decision(in.Plan, 1).GPUs = 4, 4
	}, ""},
	{"I13 victim not in view", policy.Stop, func(in *gate.PlanInput) { in.View.Jobs = in.View.Jobs[:4] }, "I13"},
	{"I8 too few devices", policy.Stop, func(in *gate.PlanInput) { decision(in.Plan, 1).On[0].Count = 4 }, "I8"},
	{"I8 resized for itself", policy.Stop, func(in *gate.PlanInput) {
		d := decision(in.Plan, 11)
		d.Verb, d.On, d.StoppedFor = policy.Resize, nil, 0
	}, "I8"},
	{"I8 room promised to another", policy.Stop, func(in *gate.PlanInput) {
		in.Snapshot.Nodes[1].GPUs[0].Count = 16
		planJob(&in.CommonInput, 1).Ask.GPUs.Count = 16
		decision(in.Plan, 1).On = on("n1", "n2")
		decision(in.Plan, 2).Verb, decision(in.Plan, 2).On = policy.Start, on("n2")
	}, "I8"},
	{"I8 node down", policy.Stop, func(in *gate.PlanInput) { in.Snapshot.Nodes[0].DownReason = "drained" }, "I8"},
	{"I9 pays back", policy.Stop, func(in *gate.PlanInput) {
		in.RecentStops = []bridge.Stop{{Job: 1, DecidedAt: noon.Add(-59 * time.Minute), StopCost: bridge.StopCost{Beneficiary: 11}}}
		in.Budgets.StopFloor1h = 2
	}, "I9"},
	{"I9 long ago", policy.Stop, func(in *gate.PlanInput) {
		in.RecentStops = []bridge.Stop{{Job: 1, DecidedAt: noon.Add(-61 * time.Minute), StopCost: bridge.StopCost{Beneficiary: 11}}}
	}, ""},
	{"I12 no such node", policy.Start, func(in *gate.PlanInput) { decision(in.Plan, 2).On = on("n9") }, "I12"},
	{"I12 down", policy.Start, func(in *gate.PlanInput) { in.Snapshot.Nodes[1].DownReason = "drained" }, "I12"},
	{"I12 other partition", policy.Start, func(in *gate.PlanInput) { in.Snapshot.Nodes[1].Partitions = nil }, "I12"},
	{"I12 refused", policy.Start, func(in *gate.PlanInput) { planJob(&in.CommonInput, 2).Ask.ExcludedNodes = []string{"n2"} }, "I12"},
	{"I12 insisted, nodes left to Slurm", policy.Start, func(in *gate.PlanInput) {
		planJob(&in.CommonInput, 2).Ask.RequiredNodes, decision(in.Plan, 2).On = []string{"n3"}, nil
	}, ""},
	{"I12 insisted", policy.Start, func(in *gate.PlanInput) { planJob(&in.CommonInput, 2).Ask.RequiredNodes = []string{"n3"} }, "I12"},
	{"I12 sick", policy.Start, func(in *gate.PlanInput) { in.Snapshot.Nodes[1].GPUs[0].SickCount = 1 }, "I12"},
	{"I13 not in view", policy.Hold, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 2).State = "RUNNING" }, "I13"},
	{"I15 stop in reservation", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).Reservation = "r" }, "I15"},
	{"I15 other partition", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).Partitions = []string{"cpu"} }, "I15"},
	{"I15 user", policy.Hold, func(in *gate.PlanInput) { in.Budgets.ExemptUsers = []string{"u2"} }, "I15"},
	{"I15 account", policy.Hold, func(in *gate.PlanInput) { in.Budgets.ExemptAccounts = []string{"a"} }, "I15"},
	{"I15 partition", policy.Hold, func(in *gate.PlanInput) { in.Budgets.ExemptPartitions = []string{"gpu"} }, "I15"},
	{"I15 job", policy.Hold, func(in *gate.PlanInput) { in.Budgets.ExemptJobs = []int64{2} }, "I15"},
	{"I15 array", policy.Hold, func(in *gate.PlanInput) {
		in.Budgets.ExemptJobs, viewJob(&in.CommonInput, 2).ArrayJobID = []int64{77}, 77
	}, "I15"},
	{"I15 opaque", policy.Hold, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 2).UntrustedReason = "no priority" }, "I15"},
	{"I15 heterogeneous", policy.Hold, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 2).HetJobID = 2 }, "I15"},
	{"I15 federated", policy.Hold, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 2).FederationOrigin = "f" }, "I15"},
	{"I15 scrontab", policy.Hold, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 2).Cron = "* * * * *" }, "I15"},
	{"I15 interactive", policy.Hold, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 2).IsBatch = false }, "I15"},
	{"I15 ending", policy.Stop, func(in *gate.PlanInput) { viewJob(&in.CommonInput, 11).Flags = []string{"COMPLETING"} }, "I15"},
	{"I15 deadline", policy.Hold, func(in *gate.PlanInput) {
		planJob(&in.CommonInput, 2).Deadline = noon.Add(24*time.Hour + 10*time.Minute)
	}, "I15"},
	{"I15 dependants", policy.Hold, func(in *gate.PlanInput) { dependants(&in.CommonInput, 11) }, "I15"},
	{"I15 dependants ended", policy.Hold, func(in *gate.PlanInput) {
		dependants(&in.CommonInput, 11)
		in.View.Jobs[len(in.View.Jobs)-1].State = "COMPLETED"
	}, ""},
	{"I15 few dependants", policy.Hold, func(in *gate.PlanInput) { dependants(&in.CommonInput, 10) }, ""},
	{"I15 start held", policy.Start, func(in *gate.PlanInput) { planJob(&in.CommonInput, 2).HeldReason = "a dependency" }, "I15"},
	{"I16 old", policy.Hold, func(in *gate.PlanInput) { planJob(&in.CommonInput, 2).Arrive = noon.Add(-73 * time.Hour) }, "I16"},
	{"I20 mode", policy.Stop, func(in *gate.PlanInput) { in.ModeByPartition["gpu"] = bridge.ModeSteer }, "I20"},
	{"I20 second partition", policy.Stop, func(in *gate.PlanInput) {
		in.ModeByPartition["b"] = bridge.ModeRank
		viewJob(&in.CommonInput, 11).Partitions = []string{"gpu", "b"}
	}, "I20"},
	{"I20 observing shows it", policy.Stop, func(in *gate.PlanInput) { in.ModeByPartition["gpu"] = bridge.ModeObserve }, ""},
}

func hoursAgo(hours ...int) []time.Time {
	var ts []time.Time
	for _, h := range hours {
		ts = append(ts, noon.Add(-time.Duration(h)*time.Hour+time.Minute))
	}
	return ts
}

// stoppedBefore adds stops of job 11 that the history of runs does not show yet.
func stoppedBefore(in *gate.PlanInput, hours ...int) {
	for _, at := range hoursAgo(hours...) {
		in.RecentStops = append(in.RecentStops, bridge.Stop{Job: 11, DecidedAt: at})
	}
}

// other adds n stops of other jobs, with the hour's share of GPUs unlimited.
func other(in *gate.PlanInput, n int, user, account string, ago time.Duration) {
	in.Budgets.StopPercent1h = 10_000
	for i := range n {
		in.RecentStops = append(in.RecentStops, bridge.Stop{Job: int64(100 + i), DecidedAt: noon.Add(-ago), StopCost: bridge.StopCost{User: user, Account: account, GPUs: 8}})
	}
}

func cores(in *gate.PlanInput, job int64, n int) { planJob(&in.CommonInput, job).Ask.CPUs = n }

// freed gives a node as many devices again.
func freed(in *gate.PlanInput, node string) {
	for i := range in.Snapshot.Nodes {
		if in.Snapshot.Nodes[i].Name == node {
			in.Snapshot.Nodes[i].GPUs[0].Count = 16
		}
	}
}

func dependants(s *gate.CommonInput, n int) {
	for i := range n {
		s.View.Jobs = append(s.View.Jobs, slurm.Job{ID: int64(500 + i), State: "PENDING", Dependency: slurm.ReadDependency("afterok:2(unfulfilled)")})
	}
}

func TestPlanInvariants(t *testing.T) {
	for _, c := range planCases {
		t.Run(c.name, c.check)
	}
}

func (c planCase) check(t *testing.T) {
	harmless := map[policy.Verb]policy.Verb{policy.Stop: policy.Keep, policy.Hold: policy.Wait, policy.Start: policy.Wait}
	in, job := planInput(), int64(2)
	switch c.verb {
	case policy.Stop:
		job = 11
		swap(&in, 11, 1)
	case policy.Hold:
		decision(in.Plan, 2).Verb = policy.Hold
	case policy.Start:
		decision(in.Plan, 2).Verb, decision(in.Plan, 2).On = policy.Start, on("n2")
	}
	c.spoil(&in)
	out := gate.FilterPlan(in)
	want := c.verb
	if c.want != "" {
		want = harmless[c.verb]
	}
	if got := decision(out.Plan, job).Verb; got != want {
		t.Errorf("job %d: %s, want %s; refused %v, doubts %v", job, got, want, out.Refusals, out.Doubts)
	}
	if got := refusals(out.Refusals, job); got != c.want {
		t.Errorf("job %d refused by %q, want %q: %v", job, got, c.want, out.Refusals)
	}
	if stopped := len(out.Stops) == 1; stopped != (c.verb == policy.Stop && c.want == "") {
		t.Errorf("stops are %v", out.Stops)
	}
	if len(out.Doubts) > 0 {
		t.Errorf("doubts: %v", out.Doubts)
	}
}

// refusals lists the invariants that refuse the job.
func refusals(rs []bridge.Refusal, job int64) string {
	var ids []string
	for _, r := range rs {
		if int64(r.Job) == job {
			ids = append(ids, string(r.Invariant))
		}
	}
	return strings.Join(ids, " ")
}

// openBudgets leaves of what bounds a plan's stops only the ceiling of one plan, and has a job of as
// many GPUs stopped by it before.
func openBudgets(in *gate.PlanInput) {
	other(in, 1, "x", "x", 0)
	in.Budgets.StopFloor, in.Budgets.StopFloor1h, in.Budgets.PlanStopFloor = 9, 9, 1
}

// TestGreedyPlanIsNotSilenced: of a plan that wants to stop everything what the budgets allow is
// stopped, for the first in line, and its order and its waiting jobs are as good as any.
func TestGreedyPlanIsNotSilenced(t *testing.T) {
	in := planInput()
	swapAll(&in)
	out := gate.FilterPlan(in)
	if len(out.Doubts) > 0 || len(out.Stops) != 1 {
		t.Fatalf("doubts %v, stops %v, want one", out.Doubts, out.Stops)
	}
	first := out.Stops[0].Beneficiary
	for i := range in.Plan.Decisions {
		want, got := &in.Plan.Decisions[i], &out.Plan.Decisions[i]
		if got.Rank != want.Rank {
			t.Errorf("job %d has rank %d, want %d", got.Job, got.Rank, want.Rank)
		}
		if want.StoppedFor != 0 && int64(want.StoppedFor) != first && got.Verb != policy.Keep {
			t.Errorf("job %d is to %s, want to be kept", got.Job, got.Verb)
		}
	}
}
