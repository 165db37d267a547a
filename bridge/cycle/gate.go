package cycle

import (
	"maps"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/gate"
	"fairbridge/bridge/idle"
	"fairbridge/bridge/intake"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/neighbours"
	"fairbridge/bridge/slurm"
)

// cycleState is what a cycle has found out before it evaluates partitions, as
// values. Nothing of it is written to.
type cycleState struct {
	config          *bridge.Config
	isSimulation    bool             // Parts.IsSimulation
	waitsForPlans   bool             // Parts.WaitsForPlans, or a simulation
	omitsReasons    bool             // Parts.OmitsReasons
	clock           func() time.Time // ours
	facts           bridge.Facts
	partitions      []bridge.Partition // with what is left to those that are demoted
	demotions       []bridge.Demotion
	operatorActions []bridge.OperatorAction      // that stand
	book            *ledger.IntentBook           // of the intents
	leadsUntil      time.Time                    // we lead until then, by our clock
	allowedEdits    editAllowance                // how many edits may be sent
	withheldReasons []string                     // why not all of them, whatever the partition
	gateInput       gate.CommonInput             // without what differs by partition
	requeuedRuns    []slurm.Run                  // runs that a requeue was sent to
	unwantedEdits   []slurm.Edit                 // give back what nobody wants any more, from the same budget
	lastSentByField map[slurm.JobField]time.Time // when a field was last sent something, not long ago
	isCalm          bool                         // there was no doubt and no warning before partitions were evaluated
	last            *quietCycle                  // of a simulation, the cycle before that knew the same; nil: none did
}

// newCycleState gathers what holds for all partitions. The doubts are those in which the
// edits were allowed or not.
func (l *Loop) newCycleState(f bridge.Facts, m Memory, until time.Time, allowed editAllowance, doubts []bridge.Doubt) *cycleState {
	s := &cycleState{
		config: &l.Config, isSimulation: l.IsSimulation, waitsForPlans: l.IsSimulation || l.WaitsForPlans, omitsReasons: l.OmitsReasons, clock: l.Now, facts: f, book: ledger.NewIntentBook(f.Intents).WithYieldTime(l.Budgets.YieldFor).WithLeftAlone(f.LeftAloneByJob), leadsUntil: until, allowedEdits: allowed,
		requeuedRuns: slices.Collect(maps.Keys(m.RequeueTimeByRun)), lastSentByField: map[slurm.JobField]time.Time{},
		withheldReasons: l.withheldReasons(m, doubts, allowed), partitions: decidedPartitions(l.Partitions, m.Demotions, f.View.At), demotions: m.Demotions,
		operatorActions: m.OperatorActions,
	}
	taken := f.View.ReadAt
	if taken.IsZero() {
		taken = l.Now()
	}
	s.gateInput = gate.CommonInput{
		Budgets: l.Budgets, CycleInterval: l.Interval, PolledAt: taken, View: f.View, ModeByPartition: map[string]bridge.Mode{}, HasExpiryTimer: f.HasExpiryTimer,
		RequeueTimesByJob: map[int64][]time.Time{}, LeasedTimeByJob: actuator.LeasedTimeByJob(f.Intents, f.View.At), LeftAloneReasonByUser: f.LeftAloneReasonByUser,
		LeftAloneByJob: f.LeftAloneByJob,
	}
	for i := range s.partitions {
		s.gateInput.ModeByPartition[s.partitions[i].Name] = s.partitions[i].Mode
	}
	if f.Past != nil {
		for id, past := range f.Past.PastByJob {
			s.gateInput.RequeueTimesByJob[id] = past.RequeueTimes
		}
	}
	for i := range f.Intents {
		in := &f.Intents[i]
		if in.State == bridge.IntentVoid {
			continue
		}
		if at := in.Edit.WrittenField(); s.mayCoolDown(in) && in.Sent.After(s.lastSentByField[at]) {
			s.lastSentByField[at] = in.Sent
		}
		if actuator.EditKindRowOf(in.Edit.Kind).StopTiming == actuator.StopsNow {
			s.requeuedRuns = append(s.requeuedRuns, in.Edit.Run)
		}
	}
	s.unwantedEdits = unwantedEdits(s)
	return s
}

// mayCoolDown reports whether the intent was sent so lately that its field may have to be left
// alone for a while yet.
func (s *cycleState) mayCoolDown(in *bridge.Intent) bool {
	return !in.Sent.IsZero() && s.clock().Sub(in.Sent) < 2*s.config.Budgets.EditCooldown
}

// gateInputFor is what the gate judges a partition by, as of now. A partition that
// only observes is judged in the mode it plans for; what comes of that is never
// sent.
func (s *cycleState) gateInputFor(e *PartitionResult, sum spentBudget) gate.CommonInput {
	st := s.gateInput
	st.Now, st.Partition, st.Snapshot, st.Separations = s.clock(), e.Partition.Name, e.Snapshot, e.Separations
	st.IdleStop, st.UseByJob, st.StopIdleAfter = e.IdleStop, s.facts.UseByJob, e.Partition.StopIdleAfter
	st.LeadershipLeft = s.leadsUntil.Sub(st.Now)
	st.RecentStops, st.RecentWarnings = sum.recentStops, sum.recentWarnings
	if e.Partition.Mode.Allows(bridge.ModePreempt) { // else no job would ever be warned, and no stop be seen in the plan
		st.NoticeByJob = intake.NoticeByJob(&e.Partition, s.facts.View, s.config.Budgets.Recall)
	}
	if as := e.Partition.PlanMode(); as != e.Partition.Mode {
		st.ModeByPartition = maps.Clone(st.ModeByPartition)
		st.ModeByPartition[st.Partition] = as
	}
	return st
}

// gatePlan adds what the gate lets through of the policy's plan.
func (s *cycleState) gatePlan(e PartitionResult, m PartitionMemory, sum spentBudget) PartitionResult {
	plan := idle.LetOthersGoFirst(e.Snapshot, neighbours.Apply(e.PolicyPlan, e.Separations), s.facts.Intents)
	e.IdleStop = idle.Judge(e.Snapshot, plan, &s.facts, idle.Rules{After: e.Partition.StopIdleAfter, StopPause: s.config.Budgets.StopPause})
	plan = idle.Apply(e.Snapshot, plan, e.IdleStop)
	out := gate.FilterPlan(gate.PlanInput{CommonInput: s.gateInputFor(&e, sum), Plan: plan, LastPolicyPlan: m.LastPolicyPlan, LastSentPlan: m.LastSentPlan})
	e.Plan, e.Refusals, e.Doubts, e.Stops, e.PlannedWarnings, e.StopPauseReason = out.Plan, out.Refusals, out.Doubts, out.Stops, out.Warnings, out.StopPauseReason
	e.NeedsFullRead, e.WithheldReasons = out.NeedsFullRead, s.withheldReasonsOf(&e)
	e.MaySendEdits = s.allowedEdits != noEdits && len(out.Doubts) == 0 && e.Partition.Mode.Allows(bridge.ModeRank)
	return e
}

// gateEdits adds what the gate lets through of the edits.
func (s *cycleState) gateEdits(e PartitionResult, edits []slurm.Edit, sum spentBudget) PartitionResult {
	kept, refused := gate.FilterEdits(gate.EditInput{
		CommonInput: s.gateInputFor(&e, sum), Mode: e.Partition.PlanMode(), Edits: edits, IntentBook: s.book, AllowedStops: e.Stops, AllowedWarnings: e.PlannedWarnings,
		RequeuedRuns: s.requeuedRuns, LastSentByField: s.lastSentByField, EditsSpentElsewhere: sum.editsSpent, ToldElsewhere: sum.toldCount, EditsElsewhere: sum.edits,
	})
	e.Edits, e.Refusals = kept, append(e.Refusals, refused...)
	return e
}

// withheldReasonsOf says why the edits of the partition are not sent in this cycle, none or
// not more than one. That its mode sends nothing is not repeated, but why it is not the configured one.
func (s *cycleState) withheldReasonsOf(e *PartitionResult) []string {
	if !e.Partition.Mode.Allows(bridge.ModeRank) {
		return s.demotionReasons(&e.Partition)
	}
	reasons := slices.Clone(s.withheldReasons)
	for _, d := range e.Doubts {
		reasons = append(reasons, d.Why)
	}
	return reasons
}
