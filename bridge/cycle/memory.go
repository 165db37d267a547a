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
	GoodViews  int                        // good polls in a row since the start or the last fault
	Reference  Reference                  // what the next view is compared with
	Partitions map[string]PartitionMemory // by partition
	Requeued   map[slurm.Run]time.Time    // runs that this daemon sent a requeue to, whatever the database says
	PutBackAt  time.Time                  // when the database was last found to be older than what was stored in it; zero: never
	Failing    bool                       // the last push ended because call after call failed: the next one begins with a single call
	Logged     Logged                     // what the log knows
}

// Reference is what views are compared with. It outlives polls that fail and
// views that are not believed.
type Reference struct {
	View     *slurm.View   // the last one that was believed; nil: none
	Answers  judge.Answers // what Slurm said since of what was left out
	ManyGone int           // views in a row that showed much gone
}

// PartitionMemory is what is remembered of one partition.
type PartitionMemory struct {
	PolicyPlan *policy.Plan      // the policy's last plan, gated or not
	SentPlan   *policy.Plan      // the last plan that could be pushed, as the gate let it through
	Awaited    map[int64]Awaited // jobs that are to start, by id
	StoredSeq  uint64            // number of the last cycle that this daemon stored
	Overruns   int               // calls of the policy that took longer than allowed
}

// Awaited is a job whose start was decided, on devices that are free, and not
// seen yet.
type Awaited struct {
	Run    slurm.Run
	Since  time.Time // first decided
	Cycles int       // in a row
	Until  time.Time // it is planned around until then; zero: it is not
	Reason string    // Slurm's, when it was
}

// Logged is what the log was told last.
type Logged struct {
	Causes map[bridge.Cause]bool // doubts and warnings that are not over
	Result Result
}

// forStandby is what is remembered while another daemon leads: the reference would
// be too old to compare with by the time we lead.
func (m Memory) forStandby() Memory {
	m.GoodViews, m.Reference = 0, Reference{}
	return m
}

// withPartition returns the memory with another one of a partition.
func (m Memory) withPartition(partition string, p PartitionMemory) Memory {
	partitions := maps.Clone(m.Partitions)
	if partitions == nil {
		partitions = map[string]PartitionMemory{}
	}
	partitions[partition] = p
	m.Partitions = partitions
	return m
}

// withStored notes a cycle that the database has.
func (m Memory) withStored(partition string, seq uint64) Memory {
	p := m.Partitions[partition]
	p.StoredSeq = seq
	return m.withPartition(partition, p)
}

// checkLastCycle compares what the database says is the last cycle of a partition with
// what this daemon stored there: it may be put back from a backup behind our
// back.
func (m Memory) checkLastCycle(partition string, seq uint64, now time.Time) Memory {
	if seq < m.Partitions[partition].StoredSeq {
		m.PutBackAt = now
	}
	return m.withStored(partition, seq)
}

// putBackPause is how long nothing is sent after the database was put back to
// an older state: longer than an unanswered call may take to be carried out.
const putBackPause = 5 * time.Minute

// checkPutBack says why nothing may be sent for now; nil when the database knows all
// that this daemon did.
func (m Memory) checkPutBack(now time.Time) error {
	if m.PutBackAt.IsZero() || now.Sub(m.PutBackAt) >= putBackPause {
		return nil
	}
	return fmt.Errorf("the database is older than what this daemon stored in it: it was put back from a backup, and what was sent since is not in it. "+
		"Nothing is sent until %s; then run fairbridge release once if numbers of ours are left in jobs it does not list", m.PutBackAt.Add(putBackPause).UTC().Format(time.RFC3339))
}

// withPushed notes the requeues that were sent. One that the push did not reach is still
// planned, and void in the next cycle.
func (m Memory) withPushed(intents []bridge.Intent, now time.Time) Memory {
	requeued := map[slurm.Run]time.Time{}
	for run, at := range m.Requeued {
		if now.Sub(at) <= push.MaxClosedIntentAge {
			requeued[run] = at
		}
	}
	for i := range intents {
		if in := &intents[i]; actuator.KindRowOf(in.Edit.Kind).StopTiming == actuator.StopsNow && in.State != bridge.IntentVoid && in.State != bridge.IntentPlanned {
			requeued[in.Edit.Run] = now
		}
	}
	m.Requeued = requeued
	return m
}
