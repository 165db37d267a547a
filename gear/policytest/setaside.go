package policytest

import (
	"time"

	"fairbridge/policy"
)

// checkSetAside wants no job started, and none stopped for it, on a node that is set
// aside before its time limit ends; and the same when every node is set aside in
// nine minutes, where only shorter limits may start and no job of a
// longer one is worth a stop.
func (l lawCheck) checkSetAside(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	l.checkEndsBeforeWindows(s, plan)
	soon := s.Clone()
	for i := range soon.Nodes {
		soon.Nodes[i].Windows = []policy.Window{{From: s.Now.Add(9 * time.Minute), To: s.Now.Add(3 * time.Hour), Name: "all", IsMaintenance: true}}
	}
	plan = l.decide(soon)
	l.checkPlan(soon, plan)
	l.checkEndsBeforeWindows(soon, plan)
	for _, d := range plan.Decisions {
		long := soon.Job(d.Job).Limit == 0 || soon.Job(d.Job).Limit > 9*time.Minute
		if d.Verb == policy.Stop && d.StoppedFor != 0 && long {
			l.Fatalf("job %d is stopped, and could not start again before the nodes are set aside\n%s", d.Job, DescribePlan(soon, plan))
		}
	}
}

func (l lawCheck) checkEndsBeforeWindows(s *policy.Snapshot, plan *policy.Plan) {
	l.Helper()
	for _, d := range plan.Decisions {
		to := d
		if d.StoppedFor != 0 {
			to = plan.Decisions[decisionIndex(plan, d.StoppedFor)]
		}
		if d.StoppedFor != 0 && (to.Verb == policy.Wait || to.Verb == policy.Hold) {
			l.Fatalf("job %d is stopped for job %d, which is to %s\n%s", d.Job, to.Job, to.Verb, DescribePlan(s, plan))
		}
		if to.Verb != policy.Start && to.Verb != policy.Move && to.Verb != policy.Resize {
			continue
		}
		j := s.Job(to.Job)
		for _, name := range to.On.Nodes() {
			if w, _, _ := s.Node(name).WindowDuring(s.Now, j.Limit); w != nil {
				l.Fatalf("job %d with a limit of %v is to %s on %s, which %v takes at %v\n%s", j.ID, j.Limit, to.Verb, name, w, w.From, DescribePlan(s, plan))
			}
		}
	}
}

// decisionIndex returns the place of the job's decision.
func decisionIndex(plan *policy.Plan, id policy.JobID) int {
	for i := range plan.Decisions {
		if plan.Decisions[i].Job == id {
			return i
		}
	}
	return -1
}
