package gate

import "fmt"

// Invariant is one sentence the gate keeps true.
type Invariant struct {
	ID   string // "I7"
	Text string
}

// Invariants is the table of them, in order. I17 and I18 belong to accounting
// and are kept there.
var Invariants = []Invariant{
	{"I1", "Nothing is ever sent to a job whose priority is 0: its owner or an administrator holds it."},
	{"I2", "An edit writes one field, with the values of that field only; hard holds need i_accept_orphan_holds."},
	{"I3", "Only a value that is exactly what we wrote is taken back, to exactly what stood there before; a job somebody changed after us, or with an outcome still open, is left alone."},
	{"I4", "Every lease ends in the future, within the longest lease and not before the owner's own begin time; the time a job is leased altogether is bounded."},
	{"I5", "A run is requeued at most once, and only a running batch job that may be requeued, whose owner or site opted in, and about which no outcome is unknown."},
	{"I6", "A job runs for its quantum plus its checkpoint cost before it may be stopped, and some time passes between two stops of it; a job that is to be warned was, at least its grace before, and is not warned again for some time when no stop came of it."},
	{"I7", "Stops stay within their budgets: per interval, hour, user, account and job, and in work lost in a day. A warning that no stop came of counts like one."},
	{"I8", "A job is stopped only for a named job that then fits, did not fit before, and is expected to do several times the work lost."},
	{"I9", "No two jobs displace each other within two quanta."},
	{"I10", "Changes per interval stay within the write budget, array tasks counted each; one field of a job is not changed again within the cooldown."},
	{"I11", "Few pending jobs change their place in the order per interval, and no plan that turns the queue over goes through at once."},
	{"I12", "Node lists name existing nodes that can start jobs, keep every node the owner asked for or refused, leave the job enough nodes, and are written only while something outside the daemon takes them back if it dies."},
	{"I13", "Nothing is done on a view that is old, partial, filtered, cut, of another clock or shorter than Slurm itself can explain, nor to a run other than the one seen."},
	{"I14", "Nothing is sent without leadership that outlasts the sending."},
	{"I15", "Exempt jobs are never touched: listed users, accounts, partitions and jobs, jobs of partitions not managed, in reservations, of scrontab, federated, heterogeneous, ending or unreadable; interactive jobs are ordered only; leases spare deadlines and heads of dependency trees."},
	{"I16", "A job that has waited very long is neither leased nor lowered."},
	{"I17", "For every closed run the recorded segments add up to what Slurm's accounting says, to the second."},
	{"I18", "Recorded service never decreases and never exceeds what the GPUs can deliver."},
	{"I19", "A plan is complete, well-formed and made from the snapshot at hand; the same snapshot, configuration and seed give the same plan, byte for byte."},
	{"I20", "A mode sends nothing beyond what it allows; observing sends nothing at all."},
	{"I21", "No job is started, and none stopped for it, where its time limit reaches into a maintenance or reservation; none is stopped that could not start again before it, nor any while it is not known what is reserved."},
	{"I22", "No job is stopped while a job of the partition that another was stopped for has not started three intervals after that took effect, for half an hour at most."},
}

// Text returns the sentence of the invariant, "" for an unknown id.
func Text(id string) string {
	for _, i := range Invariants {
		if i.ID == id {
			return i.Text
		}
	}
	return ""
}

// no is a verdict: nil lets pass.
type no struct {
	id, why string
}

func deny(id, format string, a ...any) *no { return &no{id, fmt.Sprintf(format, a...)} }

// first returns the first denial of the checks, which run in order.
func first(checks ...func() *no) *no {
	for _, c := range checks {
		if n := c(); n != nil {
			return n
		}
	}
	return nil
}
