package cycle

import (
	"context"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/diff"
	"fairbridge/bridge/intake"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/neighbours"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// PartitionResult is what a cycle makes of one partition.
type PartitionResult struct {
	Partition             bridge.Partition
	Snapshot              *policy.Snapshot
	PolicyPlan            *policy.Plan                     // as the policy made it; nil when it failed
	Plan                  *policy.Plan                     // as the gate lets it through; nil when the policy failed
	Refusals              []bridge.Refusal                 // what the gate turned down
	Doubts                []bridge.Refusal                 // why nothing may be sent, whatever the mode
	Stops                 []bridge.Stop                    // the requeues let through, with their cost
	PlannedWarnings       []bridge.PlannedWarning          // the warnings ahead of requeues let through
	StuckReasonByJob      map[int64]string                 // jobs that did not start although that was decided, and what that means
	OtherOrderReasonByJob map[int64]string                 // its jobs that something else orders, and how that shows
	LeftAloneByJob        map[int64]*bridge.OperatorAction // its jobs that operators want left alone
	StopPauseReason       string                           // why no job of the partition is stopped for now; "": one may be
	NeedsFullRead         bool                             // stops wait for a whole list of jobs
	Edits                 []slurm.Edit                     // what should change in Slurm
	WithheldReasons       []string                         // why none of the edits, or one only, is sent in this cycle: nothing is about one job
	MaySendEdits          bool                             // the edits are to be sent: the mode pushes, and nothing is in doubt
	Separations           []bridge.Separation              // what was measured of its jobs that share GPUs
	IdleStop              *bridge.IdleStop                 // the job that is to be stopped because its GPUs do no work; nil: none
	Err                   error                            // why there is no plan
	DurationByStep        map[string]time.Duration         // by step
}

// evaluatePartitions says what becomes of every partition: assemble, decide, gate and diff.
// What one of them may spend is spent for those after it.
func (l *Loop) evaluatePartitions(ctx context.Context, s *cycleState, m Memory) ([]PartitionResult, Memory) {
	var evaluations []PartitionResult
	sum := newSpentBudget(s.facts.Intents, s.facts.View.At)
	sum.editsSpent = len(s.unwantedEdits) // else plans that change much would keep them waiting for ever
	for _, p := range s.partitions {
		if p.Mode == bridge.ModeOff {
			continue
		}
		e, own, more := s.evaluatePartition(ctx, p, l.guards[p.Decider()], m.MemoryByPartition[p.Name].forDecider(p.Decider()), sum)
		evaluations, m, sum = append(evaluations, e), m.withPartition(p.Name, own), more
	}
	return evaluations, m
}

// evaluatePartition says what becomes of one partition. It is a function of its arguments;
// the call of the policy, through its guard, is the only effect. The policy gets a
// copy of the snapshot: the gate judges by one that no policy could write to.
func (s *cycleState) evaluatePartition(
	ctx context.Context, p bridge.Partition, g *Caller, m PartitionMemory, sum spentBudget,
) (PartitionResult, PartitionMemory, spentBudget) {
	e := PartitionResult{Partition: p, DurationByStep: map[string]time.Duration{}}
	lap := s.newStepTimer(e.DurationByStep)
	m.AwaitedStartByJob, e.StuckReasonByJob = findUnstarted(m.AwaitedStartByJob, s.facts.View, s.config.Interval)
	e.Snapshot = s.assembleSnapshot(p, e.StuckReasonByJob)
	e.Separations = neighbours.Judge(e.Snapshot, &s.facts, s.config.Budgets.NeighbourSpeed)
	e.OtherOrderReasonByJob, e.LeftAloneByJob = s.facts.OtherOrderReasonByJob, s.facts.LeftAloneByJob
	shown := e.Snapshot
	if !s.isSimulation {
		shown = shown.Clone()
	}
	lap("assemble")
	e.PolicyPlan, m.OverrunCount, e.Err = g.Decide(ctx, shown, s.policyTimeLimit(), m.OverrunCount)
	lap("decide")
	if e.Err != nil {
		return e, m, sum
	}
	if s.isIdleAgain(&e) {
		e.Plan, e.MaySendEdits = e.PolicyPlan, s.last.result.MaySendEdits
		return e, m.withResult(&e, s.facts.View), sum
	}
	e = s.gatePlan(e, m, sum)
	lap("gate")
	edits := s.diffPlan(&e)
	if ledger.CheckTelling(s.facts.Intents, s.facts.View.At) != nil {
		edits = withoutTelling(edits)
	}
	lap("diff")
	e = s.gateEdits(e, edits, sum)
	lap("gate edits")
	return e, m.withResult(&e, s.facts.View), sum.withPlannedEdits(&e, s.facts.View.At)
}

// withResult is what is remembered of the partition once there is a plan.
func (m PartitionMemory) withResult(e *PartitionResult, v *slurm.View) PartitionMemory {
	m.LastPolicyPlan = e.PolicyPlan
	if e.MaySendEdits {
		m.LastSentPlan = e.Plan
	}
	m.AwaitedStartByJob = findAwaitedStarts(m.AwaitedStartByJob, e, v)
	return m
}

// policyTimeLimit is how long a policy may take; 0: as long as it likes.
func (s *cycleState) policyTimeLimit() time.Duration {
	if s.waitsForPlans {
		return 0
	}
	return s.config.Interval / 4
}

// newStepTimer returns what notes how long a step took: since the last, by our clock.
func (s *cycleState) newStepTimer(took map[string]time.Duration) func(step string) {
	from := s.clock()
	return func(step string) {
		now := s.clock()
		took[step], from = now.Sub(from), now
	}
}

// assembleSnapshot makes the snapshot.
func (s *cycleState) assembleSnapshot(p bridge.Partition, stuck map[int64]string) *policy.Snapshot {
	f, memo := &s.facts, s.facts.MemoByPartition[p.Name]
	out := intake.AssembleSnapshot(intake.Input{
		View: f.View, Past: f.Past, MeasuredByNode: f.MeasuredByNode, UseByJob: f.UseByJob, Book: s.book, CycleSeq: memo.CycleSeq + 1, MemoJSON: memo.Bytes,
		OptIn: s.config.PreemptOptIn, SiteGPUSpeeds: s.config.SiteGPUSpeeds, StuckReasonByJob: stuck, ApartByJob: neighbours.ApartByJob(f.Intents, f.View.At, s.config.Budgets.ApartFor),
		ModeByPartition: s.gateInput.ModeByPartition, HasExpiryTimer: f.HasExpiryTimer,
		Budgets: &s.config.Budgets, LeftAloneReasonByUser: f.LeftAloneReasonByUser,
	}, p)
	out.OmitReasons = s.omitsReasons
	return out
}

// diffPlan returns what should change in Slurm.
func (s *cycleState) diffPlan(e *PartitionResult) []slurm.Edit {
	c, v := s.config, s.facts.View
	return diff.Diff(diff.Input{
		PartitionGoal: actuator.PartitionGoal{
			Plan: e.Plan, Snapshot: e.Snapshot, View: v, PlannedWarnings: e.PlannedWarnings,
			OrderConfig: c.Order, OrderEditKind: actuator.ChooseOrderEditKind(c.Order.Lever, v), MaxLowerableWait: c.Budgets.MaxPending,
			LeaseConfig: c.Lease, MayPin: c.PinsStartingJobs && s.facts.HasExpiryTimer,
			Partition: e.Partition.Name, ModeByPartition: s.gateInput.ModeByPartition,
			SizeToResumeOn: ledger.SizesToResumeOn(s.facts.Intents, v),
		},
		Book: s.book, AllowedMode: e.Partition.PlanMode(),
	})
}
