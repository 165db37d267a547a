package cycle

import (
	"maps"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/intake"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// situation is what a cycle has found out before it evaluates partitions, as
// values. Nothing of it is written to.
type situation struct {
	config   *bridge.Config
	bare     bool             // Parts.Bare
	clock    func() time.Time // ours
	facts    bridge.Facts
	book     *ledger.IntentBook           // of the intents
	until    time.Time                    // we lead until then, by our clock
	allowed  allowance                    // how many edits may be sent
	gate     gate.CommonInput             // without what differs by partition
	requeued []slurm.Run                  // runs that a requeue was sent to
	touched  map[slurm.JobField]time.Time // when a field was last sent something
}

// newSituation gathers what holds for all partitions.
func (l *Loop) newSituation(f bridge.Facts, m Memory, until time.Time, allowed allowance) *situation {
	s := &situation{
		config: &l.Config, bare: l.Bare, clock: l.Now, facts: f, book: ledger.NewIntentBook(f.Intents).WithYieldTime(l.Budgets.YieldFor), until: until, allowed: allowed,
		requeued: slices.Collect(maps.Keys(m.Requeued)), touched: map[slurm.JobField]time.Time{},
	}
	taken := f.View.ReadAt
	if taken.IsZero() {
		taken = l.Now()
	}
	s.gate = gate.CommonInput{
		Budgets: l.Budgets, CycleInterval: l.Interval, PolledAt: taken, View: f.View, ModeByPartition: map[string]bridge.Mode{}, HasExpiryTimer: f.IsExpirerRunning,
		RequeueTimesByJob: map[int64][]time.Time{}, LeasedTimeByJob: actuator.LeasedTimeByJob(f.Intents, f.View.At), LeftAloneReasonByUser: f.LeftAloneReasonByUser,
	}
	for i := range l.Partitions {
		s.gate.ModeByPartition[l.Partitions[i].Name] = l.Partitions[i].Mode
	}
	if f.Past != nil {
		for id, past := range f.Past.PastByJob {
			s.gate.RequeueTimesByJob[id] = past.RequeueTimes
		}
	}
	for i := range f.Intents {
		in := &f.Intents[i]
		if in.State == bridge.IntentVoid {
			continue
		}
		if at := in.Edit.WrittenField(); in.Sent.After(s.touched[at]) {
			s.touched[at] = in.Sent
		}
		if actuator.KindRowOf(in.Edit.Kind).StopTiming == actuator.StopsNow {
			s.requeued = append(s.requeued, in.Edit.Run)
		}
	}
	return s
}

// gateState is what the gate judges a partition by, as of now. A partition that
// only observes is judged in the mode it plans for; what comes of that is never
// sent.
func (s *situation) gateState(e *Evaluation, sum spentBudget) gate.CommonInput {
	st := s.gate
	st.Now, st.Partition, st.Snapshot = s.clock(), e.Partition.Name, e.Snapshot
	st.LeadershipLeft = s.until.Sub(st.Now)
	st.RecentStops, st.RecentWarnings = sum.stops, sum.warnings
	if e.Partition.Mode.Allows(bridge.ModePreempt) { // else no job would ever be warned, and no stop be seen in the plan
		st.NoticeByJob = intake.Notices(&e.Partition, s.facts.View)
	}
	if as := e.Partition.PlanMode(); as != e.Partition.Mode {
		st.ModeByPartition = maps.Clone(st.ModeByPartition)
		st.ModeByPartition[st.Partition] = as
	}
	return st
}

// gatePlan adds what the gate lets through of the policy's plan.
func (s *situation) gatePlan(e Evaluation, m PartitionMemory, sum spentBudget) Evaluation {
	out := gate.FilterPlan(gate.PlanInput{CommonInput: s.gateState(&e, sum), Plan: e.PolicyPlan, LastPolicyPlan: m.PolicyPlan, LastSentPlan: m.SentPlan})
	e.Plan, e.Refused, e.Doubts, e.Stops, e.Warns, e.StopPause = out.Plan, out.Refusals, out.Doubts, out.Stops, out.Warnings, out.StopPauseReason
	e.Send = s.allowed != noEdit && len(out.Doubts) == 0 && e.Partition.Mode.Allows(bridge.ModeRank)
	return e
}

// gateEdits adds what the gate lets through of the edits.
func (s *situation) gateEdits(e Evaluation, edits []slurm.Edit, sum spentBudget) Evaluation {
	kept, refused := gate.FilterEdits(gate.EditInput{
		CommonInput: s.gateState(&e, sum), Mode: e.Partition.PlanMode(), Edits: edits, IntentBook: s.book, AllowedStops: e.Stops, AllowedWarnings: e.Warns,
		RequeuedRuns: s.requeued, LastSentByField: s.touched, TasksEditedElsewhere: sum.tasks,
	})
	e.Edits, e.Refused = kept, append(e.Refused, refused...)
	return e
}
