// Package invariant names the sentences that are kept true whatever a policy
// wants: most of them by the gate, the exact ones of the record by accounting.
package invariant

import (
	"fmt"
	"time"

	"fairbridge/policy"
)

// ID names an invariant: "I7". It is what is stored, counted and looked up.
type ID string

// The invariants, in the order of their numbers; All has their sentences.
const (
	HeldJobs        ID = "I1"
	OneFieldPerEdit ID = "I2"
	OnlyOurValues   ID = "I3"
	LeaseLimits     ID = "I4"
	RequeuedOnce    ID = "I5"
	MinimumRun      ID = "I6"
	StopBudget      ID = "I7"
	StopPurpose     ID = "I8"
	NoPingPong      ID = "I9"
	EditBudget      ID = "I10"
	SlowReordering  ID = "I11"
	NodeLists       ID = "I12"
	FreshView       ID = "I13"
	LeadingOnly     ID = "I14"
	ExemptJobs      ID = "I15"
	LongWait        ID = "I16"
	ExactSegments   ID = "I17"
	ServiceBounds   ID = "I18"
	SoundPlan       ID = "I19"
	WithinMode      ID = "I20"
	ReservedNodes   ID = "I21"
	StopsInVain     ID = "I22"
	DeclaredSizes   ID = "I23"
	SharedGPUs      ID = "I24"
	ServiceLeast    ID = "I25"
	IdleStops       ID = "I26"
	CanRestart      ID = "I27"
)

// Invariant is one sentence that is kept true.
type Invariant struct {
	ID   ID
	Text string
}

// All is the table of them, in order.
var All = []Invariant{
	{HeldJobs, "Nothing is ever sent to a job whose priority is 0: its owner or an administrator holds it."},
	{OneFieldPerEdit, "An edit writes one field, with the values of that field only; hard holds need i_accept_orphan_holds."},
	{OnlyOurValues, "Only a value that is exactly what we wrote is taken back, to exactly what stood there before; a job somebody changed after us, or with an outcome still open, is left alone."},
	{LeaseLimits, "Every lease ends in the future, within the longest lease and not before the owner's own begin time; the time a job is leased altogether is bounded, but for replicas of services whose requests are known."},
	{RequeuedOnce, "A run is requeued at most once, and only a running batch job that may be requeued, whose owner or site opted in, and about which no outcome is unknown."},
	{MinimumRun, "A job runs for its quantum plus its checkpoint cost before it may be stopped, and some time passes between two stops of it, but where one that runs on what others leave is called back for one that does not; a job that is to be warned was, at least its grace before, and is not warned again for some time when no stop came of it."},
	{StopBudget, "Stops stay within their budgets: per interval, hour, user, account and job, and in work lost in a day. A warning that no stop came of counts like one. Calling back a job that runs on what others leave counts to none."},
	{StopPurpose, "A job is stopped only for a named job that then fits, did not fit before, and is expected to do several times the work lost, or that it shares a GPU with and was measured to hurt."},
	{NoPingPong, "No two jobs displace each other within two quanta."},
	{EditBudget, "Changes per interval stay within the write budget, which counts records, of stops tasks, and texts that only tell within one of their own; one field of a job is not changed again within the cooldown."},
	{SlowReordering, "Few pending jobs change their place in the order per interval, and no plan that turns the queue over goes through at once."},
	{NodeLists, "Node lists name existing nodes that can start jobs, keep every node the owner asked for or refused, leave the job enough nodes, can take none from a run that begins in that moment, and are written only while something outside the daemon takes them back if it dies."},
	{FreshView, "Nothing is done on a view that is old, partial, filtered, cut, of another clock or shorter than Slurm itself can explain, nor to a run other than the one seen; no job is stopped or warned unless the record of every job was read in the same poll."},
	{LeadingOnly, "Nothing is sent without leadership that outlasts the sending."},
	{ExemptJobs, "Exempt jobs are never touched: listed users, accounts, partitions and jobs, jobs of partitions not managed, in reservations, of scrontab, federated, heterogeneous, ending or unreadable; interactive jobs are ordered and told why they wait, no more; leases spare deadlines and heads of dependency trees."},
	{LongWait, "A job that has waited very long is neither leased nor lowered; but a replica of a service whose requests are known may be leased."},
	{ExactSegments, "For every closed run the recorded segments add up to what Slurm's accounting says, to the second."},
	{ServiceBounds, "Recorded service never decreases and never exceeds what the GPUs can deliver."},
	{SoundPlan, "A plan is complete, well-formed and made from the snapshot at hand; the same snapshot, configuration and seed give the same plan, byte for byte."},
	{WithinMode, "A mode sends nothing beyond what it allows; observing sends nothing at all."},
	{ReservedNodes, "No job is started, and none stopped for it, where its time limit reaches into a maintenance or reservation; none is stopped while it is not known what is reserved."},
	{StopsInVain, "No job is stopped while a job of the partition that another was stopped for has not started three intervals after that took effect, for half an hour at most."},
	{DeclaredSizes, "The number of GPUs is changed only of single batch jobs on one node whose owner declared a range, to a number in it that all of the node can give, and their type only to one that the owner accepts, where Slurm can change it, nothing else of the job, and change it back; a run is requeued for another size or type only once it lasted twenty times what that costs it, and more than its owner asked, or another type, is asked for only while something outside the daemon takes it back."},
	{SharedGPUs, "The GPU of a job becomes shards of one only while the job waits, is bound to a node that gives them out, and asks for one GPU in a way that can be given back; only if its owner opted in, and every job that Slurm could put beside it there, whether it runs or waits for shards, is one that accepts it and that it accepts by records that were all read in that poll; the job stays bound to the node until it has its GPU back; as many shards as its memory, with a margin, and its use of a GPU need; and only while something outside the daemon takes it back."},
	{ServiceLeast, "A replica of an inference service is leased only while as many others as the service's least run or could start, with no lease of ours on them, and stopped only while so many others run."},
	{IdleStops, "A job is stopped because its GPUs do no work only where its partition says so and its owner said so, once no sample of any GPU that it holds showed work for all of the time that the partition says, without a gap, and for one named job that waits for them."},
	{CanRestart, "A job is stopped, warned or resized only if Slurm would let it start again as soon as there is " +
		"room: its deadline, nodes, partition, dependency, licences, array and the limits of its association and " +
		"QOS allow it, and are known."},
}

// Text returns the sentence of the invariant, "" for an unknown id.
func (id ID) Text() string {
	for i := range All {
		if All[i].ID == id {
			return All[i].Text
		}
	}
	return ""
}

// Denial says which invariant something would break, and how; nil lets it pass.
type Denial struct {
	ID  ID
	Why string // with its numbers
}

// Deny returns the denial of what would break the invariant. Durations are printed as people
// say them.
func (id ID) Deny(format string, a ...any) *Denial {
	for i := range a {
		if d, ok := a[i].(time.Duration); ok {
			a[i] = formatDuration(d)
		}
	}
	return &Denial{id, fmt.Sprintf(format, a...)}
}

// formatDuration prints what is shorter than a minute with its parts of a second, which the
// bounds of views and edits are about.
func formatDuration(d time.Duration) string {
	if d.Abs() < time.Minute {
		return d.Round(time.Millisecond).String()
	}
	return policy.FormatDuration(d)
}
