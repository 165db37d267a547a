package cycle

import (
	"context"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/diff"
	"fairbridge/bridge/intake"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Evaluation is what a cycle makes of one partition.
type Evaluation struct {
	Partition  bridge.Partition
	Snapshot   *policy.Snapshot
	PolicyPlan *policy.Plan             // as the policy made it; nil when it failed
	Plan       *policy.Plan             // as the gate lets it through; nil when the policy failed
	Refused    []bridge.Refusal         // what the gate turned down
	Doubts     []bridge.Refusal         // why nothing may be sent, whatever the mode
	Stops      []bridge.Stop            // the requeues let through, with their cost
	Warns      []bridge.PlannedWarning  // the warnings ahead of requeues let through
	NotStarted map[int64]string         // jobs that did not start although that was decided, and what that means
	StopPause  string                   // why no job of the partition is stopped for now; "": one may be
	Edits      []slurm.Edit             // what should change in Slurm
	Send       bool                     // the edits are to be sent: the mode pushes, and nothing is in doubt
	Err        error                    // why there is no plan
	StepTimes  map[string]time.Duration // by step
}

// evaluate says what becomes of every partition: assemble, decide, gate and diff.
// What one of them may spend is spent for those after it.
func (l *Loop) evaluate(ctx context.Context, s *situation, m Memory) ([]Evaluation, Memory) {
	var evaluations []Evaluation
	sum := spentOf(s.facts.Intents, s.facts.View.At)
	for _, p := range l.Partitions {
		if p.Mode == bridge.ModeOff {
			continue
		}
		e, own, more := s.evaluate(ctx, p, l.policies[p.Name], m.Partitions[p.Name], sum)
		evaluations, m, sum = append(evaluations, e), m.withPartition(p.Name, own), more
	}
	return evaluations, m
}

// evaluate says what becomes of one partition. It is a function of its arguments;
// the call of the policy, through its guard, is the only effect. The policy gets a
// copy of the snapshot: the gate judges by one that no policy could write to.
func (s *situation) evaluate(
	ctx context.Context, p bridge.Partition, g *guard, m PartitionMemory, sum spentBudget,
) (Evaluation, PartitionMemory, spentBudget) {
	e := Evaluation{Partition: p, StepTimes: map[string]time.Duration{}}
	lap := s.stopwatch(e.StepTimes)
	m.Awaited, e.NotStarted = findUnstarted(m.Awaited, s.facts.View, s.config.Interval)
	e.Snapshot = s.assemble(p, e.NotStarted)
	shown := e.Snapshot
	if !s.bare {
		shown = shown.Clone()
	}
	lap("assemble")
	e.PolicyPlan, m.Overruns, e.Err = g.decide(ctx, shown, s.decideTime(), m.Overruns)
	lap("decide")
	if e.Err != nil {
		return e, m, sum
	}
	e = s.gatePlan(e, m, sum)
	lap("gate")
	edits := s.diff(&e)
	lap("diff")
	e = s.gateEdits(e, edits, sum)
	lap("gate edits")
	return e, m.afterPlan(&e, s.facts.View), sum.plus(&e, s.facts.View.At)
}

// afterPlan is what is remembered of the partition once there is a plan.
func (m PartitionMemory) afterPlan(e *Evaluation, v *slurm.View) PartitionMemory {
	m.PolicyPlan = e.PolicyPlan
	if e.Send {
		m.SentPlan = e.Plan
	}
	m.Awaited = jobsAwaited(m.Awaited, e, v)
	return m
}

// decideTime is how long a policy may take; 0: as long as it likes.
func (s *situation) decideTime() time.Duration {
	if s.bare {
		return 0
	}
	return s.config.Interval / 4
}

// stopwatch returns what notes how long a step took: since the last, by our clock.
func (s *situation) stopwatch(took map[string]time.Duration) func(step string) {
	from := s.clock()
	return func(step string) {
		now := s.clock()
		took[step], from = now.Sub(from), now
	}
}

// assemble makes the snapshot.
func (s *situation) assemble(p bridge.Partition, stuck map[int64]string) *policy.Snapshot {
	f, memo := &s.facts, s.facts.MemoByPartition[p.Name]
	return intake.Assemble(intake.Input{
		View: f.View, Past: f.Past, Measured: f.MeasuredByNode, UsedByJob: f.UseByJob, Book: s.book, Seq: memo.CycleSeq + 1, Memo: memo.Bytes,
		OptIn: s.config.PreemptOptIn, Speeds: s.config.SiteGPUSpeeds, NotStarted: stuck,
	}, p)
}

// diff returns what should change in Slurm.
func (s *situation) diff(e *Evaluation) []slurm.Edit {
	c, v := s.config, s.facts.View
	return diff.Diff(diff.Input{
		PartitionGoal: actuator.PartitionGoal{
			Plan: e.Plan, Snapshot: e.Snapshot, View: v, PlannedWarnings: e.Warns,
			OrderConfig: c.Order, OrderKind: actuator.ChooseOrderKind(c.Order.Lever, v), MaxLowerableWait: c.Budgets.MaxPending,
			LeaseConfig: c.Lease, MayPin: c.PinsStartingJobs && s.facts.IsExpirerRunning,
		},
		Book: s.book, AllowedMode: e.Partition.PlanMode(),
	})
}
