package event

// Kind is a kind of event.
type Kind string

// The kinds of events. Times are drawn by the event.
const (
	Submit Kind = "submit" // a job comes

	// Calls to Slurm.
	Unreachable     Kind = "unreachable"  // the next writes make no connection
	WriteLostBefore Kind = "lost-before"  // the next writes are not done, and no answer comes
	WriteLostAfter  Kind = "lost-after"   // the next writes are done, and no answer comes
	Late            Kind = "late"         // the next writes are given up, and done minutes later
	Broken          Kind = "broken"       // the next writes are answered by HTTP 500
	Busy            Kind = "busy"         // the next writes are answered by "try again"
	PollFails       Kind = "poll-fails"   // slurmrestd gives no list for some cycles
	RereadFails     Kind = "reread-fails" // nor a single job

	// What lists show.
	EmptyList    Kind = "empty-list"    // no jobs
	FilteredList Kind = "filtered-list" // the jobs of one user, in the list only
	Private      Kind = "private"       // the jobs of one user, everywhere: our rights are gone
	JobMissing   Kind = "one-missing"   // one job is not in the list
	NodesCut     Kind = "nodes-cut"     // a part of the nodes
	NoPartitions Kind = "no-partitions" // slurmdbd or the partition list fails

	// Clocks.
	ClockAhead  Kind = "clock-ahead"  // slurmctld's clock is seconds to a month ahead
	ClockBehind Kind = "clock-behind" // or behind
	OurClock    Kind = "our-clock"    // the daemon's host is off

	// Slurm itself.
	Restart     Kind = "ctld-restart" // slurmctld restarts and forgets the last seconds
	NodeDown    Kind = "node-down"
	NodeDrain   Kind = "node-drain"
	NodeUp      Kind = "node-up"
	QueueClosed Kind = "partition" // an administrator closes the partition for a while

	// Reservations and maintenance.
	Reserve         Kind = "reservation"      // nodes are set aside, now or hours ahead
	ReservationEnds Kind = "reservation-ends" // or not any more
	NoReservations  Kind = "no-reservations"  // slurmctld does not say what is set aside

	// People: owners, then administrators.
	OwnerHold       Kind = "owner-hold"
	OwnerRelease    Kind = "owner-release"
	OwnerBeginNow   Kind = "owner-begin-now"
	OwnerBeginLater Kind = "owner-begin-later"
	OwnerNice       Kind = "owner-nice"
	OwnerLimit      Kind = "owner-limit"
	OwnerNodes      Kind = "owner-nodes"
	OwnerCancel     Kind = "owner-cancel"
	OwnerTop        Kind = "owner-top"
	OwnerRequeue    Kind = "owner-requeue"
	AdminHold       Kind = "admin-hold"
	AdminRelease    Kind = "admin-release"
	AdminPriority   Kind = "admin-priority"
	AdminNice       Kind = "admin-nice"
	AdminBeginNow   Kind = "admin-begin-now"
	AdminLimit      Kind = "admin-limit"

	// Our processes.
	Kill    Kind = "kill"     // kill -9 in the middle of a step, and a new start
	Freeze  Kind = "freeze"   // the leader stands still for minutes
	Stop    Kind = "stop"     // the STOP file, for some cycles
	Release Kind = "release"  // fairbridge release, then a new start
	NoTimer Kind = "no-timer" // what the timer runs outside the daemon does not run

	// The database.
	NoDatabase       Kind = "no-database" // nothing works for some cycles
	CommitLost       Kind = "commit-lost" // the next transaction is done, and says it is not
	DatabaseRestored Kind = "restored"    // put back as it was minutes ago

	// Policies.
	PolicyPanics   Kind = "policy-panic"
	PolicyFails    Kind = "policy-error"
	PolicyFlaps    Kind = "policy-flap"  // turns its order over, cycle by cycle
	PolicyStopsAll Kind = "policy-wild"  // stops what it can and holds the rest
	PolicyWrong    Kind = "policy-wrong" // a plan that is not sound
)

// kindFrequency is a kind with how often it happens in a cycle, of a thousand.
type kindFrequency struct {
	kind     Kind
	permille int
}

var kinds = []kindFrequency{
	{Submit, 350},
	{Unreachable, 40}, {WriteLostBefore, 40}, {WriteLostAfter, 40}, {Late, 40}, {Broken, 40}, {Busy, 40}, {PollFails, 30}, {RereadFails, 30},
	{EmptyList, 15}, {FilteredList, 15}, {Private, 10}, {JobMissing, 30}, {NodesCut, 15}, {NoPartitions, 10},
	{ClockAhead, 12}, {ClockBehind, 12}, {OurClock, 8},
	{Restart, 15}, {NodeDown, 20}, {NodeDrain, 20}, {NodeUp, 60}, {QueueClosed, 8},
	{OwnerHold, 40}, {OwnerRelease, 40}, {OwnerBeginNow, 60}, {OwnerBeginLater, 40}, {OwnerNice, 60}, {OwnerLimit, 40}, {OwnerNodes, 30}, {OwnerCancel, 20}, {OwnerTop, 30}, {OwnerRequeue, 15},
	{AdminHold, 30}, {AdminRelease, 40}, {AdminPriority, 20}, {AdminNice, 30}, {AdminBeginNow, 30}, {AdminLimit, 30},
	{Kill, 40}, {Freeze, 12}, {Stop, 10}, {Release, 5}, {NoTimer, 10},
	{NoDatabase, 12}, {CommitLost, 15}, {DatabaseRestored, 6},
	{PolicyPanics, 12}, {PolicyFails, 12}, {PolicyFlaps, 15}, {PolicyStopsAll, 15}, {PolicyWrong, 10},
	{Reserve, 15}, {ReservationEnds, 15}, {NoReservations, 8},
}
