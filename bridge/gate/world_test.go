package gate_test

import (
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// noon is the time of every test.
var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// The little world: partition gpu, nodes n1 to n4 with 8 GPUs each. Jobs 11 to
// 14 run alone on a node, 14 without having opted in; jobs 1 to 4 wait.
func world() gate.CommonInput {
	s := gate.CommonInput{
		Budgets: bridge.DefaultBudgets(), CycleInterval: 30 * time.Second, Now: noon.Add(time.Second), PolledAt: noon,
		Partition: "gpu", ModeByPartition: map[string]bridge.Mode{"gpu": bridge.ModePreempt},
		Snapshot:       &policy.Snapshot{Cluster: "c", Seq: 7, Now: noon},
		View:           &slurm.View{Cluster: "c", At: noon, IsFullRead: true},
		LeadershipLeft: 25 * time.Second, HasExpiryTimer: true,
		RequeueTimesByJob: map[int64][]time.Time{}, LeasedTimeByJob: map[int64]time.Duration{},
	}
	for i := 1; i <= 4; i++ {
		name := fmt.Sprintf("n%d", i)
		s.Snapshot.Nodes = append(s.Snapshot.Nodes, policy.Node{
			Name: name, Partitions: []string{"gpu"}, CPUs: 64, MemMB: 1000, GPUs: []policy.NodeDevices{{Type: "a100", Count: 8}},
		})
		s.View.Nodes = append(s.View.Nodes, slurm.Node{Name: name, State: "MIXED", Partitions: []string{"gpu"}})
	}
	for i := int64(1); i <= 4; i++ {
		waits(&s, i)
	}
	for i := int64(11); i <= 14; i++ {
		runs(&s, i, fmt.Sprintf("n%d", i-10))
	}
	s.Snapshot.Jobs[7].UnstoppableReason = "its owner did not opt in"
	return s
}

func waits(s *gate.CommonInput, id int64) {
	submit := noon.Add(-time.Hour)
	s.Snapshot.Jobs = append(s.Snapshot.Jobs, policy.Job{
		ID: policy.JobID(id), User: fmt.Sprintf("u%d", id), Account: "a", Partition: "gpu", State: policy.Pending,
		Submit: submit, Arrive: submit, Limit: 24 * time.Hour, Ask: policy.Ask{GPUs: policy.GPUs{Count: 8}},
	})
	s.View.Jobs = append(s.View.Jobs, slurm.Job{
		ID: id, User: fmt.Sprintf("u%d", id), Account: "a", Partitions: []string{"gpu"}, State: "PENDING", Submit: submit,
		EligibleTime: submit, Priority: 5000, IsNiceKnown: true, IsBatch: true, Requeue: true, NodeCount: 1, MaxNodes: 1, TimeLimit: 24 * time.Hour,
	})
}

func runs(s *gate.CommonInput, id int64, node string) {
	submit, start := noon.Add(-6*time.Hour), noon.Add(-5*time.Hour)
	s.Snapshot.Jobs = append(s.Snapshot.Jobs, policy.Job{
		ID: policy.JobID(id), User: fmt.Sprintf("u%d", id), Account: "b", Partition: "gpu", State: policy.Running,
		Submit: submit, Arrive: submit, Start: start, Limit: 24 * time.Hour,
		Ask: policy.Ask{GPUs: policy.GPUs{Count: 8}}, On: on(node),
	})
	s.View.Jobs = append(s.View.Jobs, slurm.Job{
		ID: id, User: fmt.Sprintf("u%d", id), Account: "b", Partitions: []string{"gpu"}, State: "RUNNING", Submit: submit,
		EligibleTime: submit, Start: start, Priority: 5000, IsBatch: true, Requeue: true, NodeCount: 1, Nodes: slurm.ReadHosts(node),
	})
}

func on(nodes ...string) policy.Alloc {
	var a policy.Alloc
	for _, n := range nodes {
		a = append(a, policy.Slot{Node: n, Type: "a100", Count: 8})
	}
	return a
}

// quiet is the plan that changes nothing in a world.
func quiet(s *gate.CommonInput) *policy.Plan {
	p := &policy.Plan{SnapshotSeq: s.Snapshot.Seq, Policy: "test"}
	for i := range s.Snapshot.Jobs {
		j := &s.Snapshot.Jobs[i]
		d := policy.Decision{Job: j.ID, Verb: policy.Wait, Rank: i + 1, Why: "it is so"}
		if j.HoldsGPUs() {
			d.Verb, d.On, d.GPUs = policy.Keep, j.On, j.On.Count()
		}
		p.Decisions = append(p.Decisions, d)
	}
	return p
}

// viewJob and planJob return the two records of a job to be changed in place.
func viewJob(s *gate.CommonInput, id int64) *slurm.Job { return s.View.Job(id) }

func planJob(s *gate.CommonInput, id int64) *policy.Job {
	return s.Snapshot.Job(policy.JobID(id))
}

func decision(p *policy.Plan, id int64) *policy.Decision {
	for i := range p.Decisions {
		if int64(p.Decisions[i].Job) == id {
			return &p.Decisions[i]
		}
	}
	return nil
}

// swap makes the plan stop victim for the waiting job, which gets its node.
func swap(in *gate.PlanInput, victim, to int64) {
	v, b := decision(in.Plan, victim), decision(in.Plan, to)
	b.Verb, b.On, b.GPUs = policy.Start, slices.Clone(v.On), 8
	v.Verb, v.On, v.StoppedFor, v.GPUs = policy.Stop, nil, policy.JobID(to), 0
}

func planInput() gate.PlanInput {
	s := world()
	return gate.PlanInput{CommonInput: s, Plan: quiet(&s)}
}

func editInput() gate.EditInput {
	s := world()
	return gate.EditInput{CommonInput: s, Mode: bridge.ModePreempt, IntentBook: ledger.NewIntentBook(nil), LastSentByField: map[slurm.JobField]time.Time{}}
}

// edit makes an edit of the job's current run.
func edit(s *gate.CommonInput, id int64, kind slurm.EditKind) slurm.Edit {
	return slurm.Edit{Run: viewJob(s, id).CurrentRun(), Kind: kind, Tasks: 1, Why: "it is so"}
}
