package cycle

import (
	"fmt"
	"maps"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/judge"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Memory is all that is remembered from one cycle to the next. It is a value: a
// cycle takes one and returns another, and never writes to a map of the one it
// got. A daemon that starts begins with the zero Memory, which costs it a few
// cycles in which nothing is sent.
type Memory struct {
	GoodViews               int                        // good polls in a row since the start or the last fault
	Reference               ViewReference              // what the next view is compared with
	MemoryByPartition       map[string]PartitionMemory // by partition
	RequeueTimeByRun        map[slurm.Run]time.Time    // runs that this daemon sent a requeue to, whatever the database says
	DatabaseRestoredAt      time.Time                  // when the database was last found to be older than what was stored in it; zero: never
	WereCallsFailing        bool                       // the last push ended because call after call failed: the next one begins with a single call
	Demotions               []bridge.Demotion          // which partitions were demoted when that was last known
	AreDemotionsKnown       bool                       // they were read since we lead
	OperatorActions         []bridge.OperatorAction    // what operators did that stood when that was last known
	AreOperatorActionsKnown bool                       // they were read since we lead
	LastLogged              LoggedState                // what the log knows
}

// ViewReference is what views are compared with. It outlives polls that fail and
// views that are not believed.
type ViewReference struct {
	View          *slurm.View   // the last one that was believed; nil: none
	Answers       judge.Answers // what Slurm said since of what was left out
	ManyGonePolls int           // views in a row that showed much gone
}

// PartitionMemory is what is remembered of one partition.
type PartitionMemory struct {
	LastPolicyPlan    *policy.Plan           // the policy's last plan, gated or not
	LastSentPlan      *policy.Plan           // the last plan that could be pushed, as the gate let it through
	AwaitedStartByJob map[int64]AwaitedStart // jobs that are to start, by id
	StoredCycleSeq    uint64                 // number of the last cycle that this daemon stored
	OverrunCount      int                    // calls of the policy that took longer than allowed
	Decider           bridge.Decider         // whose plans and overruns these are
}

// forDecider is the memory as far as it is of use to who decides now: where that was another, as on
// the first day of a canary, its plan is no reason to doubt this one's, nor are its overruns. The
// last plan that was sent stays: what stands in Slurm turns into the new order slowly.
func (m PartitionMemory) forDecider(d bridge.Decider) PartitionMemory {
	if m.Decider != d {
		m.Decider, m.LastPolicyPlan, m.OverrunCount = d, nil, 0
	}
	return m
}

// AwaitedStart is a job whose start was decided, on devices that are free, and not
// seen yet.
type AwaitedStart struct {
	Run                slurm.Run
	FirstDecidedAt     time.Time // first decided
	CycleCount         int       // in a row
	PlannedAroundUntil time.Time // it is planned around until then; zero: it is not
	SlurmReason        string    // Slurm's, when it was
}

// LoggedState is what the log was told last.
type LoggedState struct {
	HasDecided   bool                  // a cycle got as far as plans
	ActiveCauses map[bridge.Cause]bool // doubts and warnings that are not over
	Result       Result
}

// forStandby is what is remembered while another daemon leads: the reference would
// be too old to compare with by the time we lead, and operators may have acted since.
func (m Memory) forStandby() Memory {
	m.GoodViews, m.Reference, m.AreDemotionsKnown, m.AreOperatorActionsKnown = 0, ViewReference{}, false, false
	return m
}

// withPartition returns the memory with another one of a partition.
func (m Memory) withPartition(partition string, p PartitionMemory) Memory {
	partitions := maps.Clone(m.MemoryByPartition)
	if partitions == nil {
		partitions = map[string]PartitionMemory{}
	}
	partitions[partition] = p
	m.MemoryByPartition = partitions
	return m
}

// withStoredCycle notes a cycle that the database has.
func (m Memory) withStoredCycle(partition string, seq uint64) Memory {
	p := m.MemoryByPartition[partition]
	p.StoredCycleSeq = seq
	return m.withPartition(partition, p)
}

// detectDatabaseRestore compares what the database says is the last cycle of a partition with
// what this daemon stored there: it may be put back from a backup behind our
// back.
func (m Memory) detectDatabaseRestore(partition string, seq uint64, now time.Time) Memory {
	if seq < m.MemoryByPartition[partition].StoredCycleSeq {
		m.DatabaseRestoredAt = now
	}
	return m.withStoredCycle(partition, seq)
}

// databaseRestorePause is how long nothing is sent after the database was put back to
// an older state: longer than an unanswered call may take to be carried out.
const databaseRestorePause = 5 * time.Minute

// checkDatabaseRestored says why nothing may be sent for now; nil when the database knows all
// that this daemon did.
func (m Memory) checkDatabaseRestored(now time.Time) error {
	if m.DatabaseRestoredAt.IsZero() || now.Sub(m.DatabaseRestoredAt) >= databaseRestorePause {
		return nil
	}
	return fmt.Errorf("the database is older than what this daemon stored in it: it was put back from a backup, and what was sent since is not in it. "+
		"Nothing is sent until %s; then run fairbridge release once if numbers of ours are left in jobs it does not list", m.DatabaseRestoredAt.Add(databaseRestorePause).UTC().Format(time.RFC3339))
}

// withPushedRequeues notes the requeues that were sent. One that the push did not reach is still
// planned, and void in the next cycle.
func (m Memory) withPushedRequeues(intents []bridge.Intent, now time.Time) Memory {
	requeued := map[slurm.Run]time.Time{}
	for run, at := range m.RequeueTimeByRun {
		if now.Sub(at) <= push.MaxClosedIntentAge {
			requeued[run] = at
		}
	}
	for i := range intents {
		if in := &intents[i]; actuator.EditKindRowOf(in.Edit.Kind).StopTiming == actuator.StopsNow && in.State != bridge.IntentVoid && in.State != bridge.IntentPlanned {
			requeued[in.Edit.Run] = now
		}
	}
	m.RequeueTimeByRun = requeued
	return m
}
