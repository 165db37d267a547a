package event

// Kind is a kind of event.
type Kind string

// The kinds of events. Times are drawn by the event.
const (
	Submit Kind = "submit" // a job comes

	// Calls to Slurm.
	Unreachable Kind = "unreachable"  // the next writes make no connection
	LostBefore  Kind = "lost-before"  // the next writes are not done, and no answer comes
	LostAfter   Kind = "lost-after"   // the next writes are done, and no answer comes
	Late        Kind = "late"         // the next writes are given up, and done minutes later
	Broken      Kind = "broken"       // the next writes are answered by HTTP 500
	Busy        Kind = "busy"         // the next writes are answered by "try again"
	PollFails   Kind = "poll-fails"   // slurmrestd gives no list for some cycles
	RereadFails Kind = "reread-fails" // nor a single job

	// What lists show.
	EmptyList    Kind = "empty-list"    // no jobs
	FilteredList Kind = "filtered-list" // the jobs of one user, in the list only
	Private      Kind = "private"       // the jobs of one user, everywhere: our rights are gone
	OneMissing   Kind = "one-missing"   // one job is not in the list
	NodesCut     Kind = "nodes-cut"     // a part of the nodes
	NoPartitions Kind = "no-partitions" // slurmdbd or the partition list fails

	// Clocks.
	ClockAhead  Kind = "clock-ahead"  // slurmctld's clock is seconds to a month ahead
	ClockBehind Kind = "clock-behind" // or behind
	OurClock    Kind = "our-clock"    // the daemon's host is off

	// Slurm itself.
	Restart   Kind = "ctld-restart" // slurmctld restarts and forgets the last seconds
	NodeDown  Kind = "node-down"
	NodeDrain Kind = "node-drain"
	NodeUp    Kind = "node-up"
	Queue     Kind = "partition" // an administrator closes the partition for a while

	// Reservations and maintenance.
	Aside          Kind = "reservation"      // nodes are set aside, now or hours ahead
	AsideEnds      Kind = "reservation-ends" // or not any more
	NoReservations Kind = "no-reservations"  // slurmctld does not say what is set aside

	// People: owners, then administrators.
	OwnHold    Kind = "owner-hold"
	OwnRelease Kind = "owner-release"
	OwnNow     Kind = "owner-begin-now"
	OwnLater   Kind = "owner-begin-later"
	OwnNice    Kind = "owner-nice"
	OwnLimit   Kind = "owner-limit"
	OwnNodes   Kind = "owner-nodes"
	OwnCancel  Kind = "owner-cancel"
	OwnTop     Kind = "owner-top"
	OwnRequeue Kind = "owner-requeue"
	AdmHold    Kind = "admin-hold"
	AdmRelease Kind = "admin-release"
	AdmPrio    Kind = "admin-priority"
	AdmNice    Kind = "admin-nice"
	AdmNow     Kind = "admin-begin-now"
	AdmLimit   Kind = "admin-limit"

	// Our processes.
	Kill    Kind = "kill"     // kill -9 in the middle of a step, and a new start
	Freeze  Kind = "freeze"   // the leader stands still for minutes
	Stop    Kind = "stop"     // the STOP file, for some cycles
	Release Kind = "release"  // fairbridge release, then a new start
	NoTimer Kind = "no-timer" // what the timer runs outside the daemon does not run

	// The database.
	NoDatabase Kind = "no-database" // nothing works for some cycles
	CommitLost Kind = "commit-lost" // the next transaction is done, and says it is not
	Restored   Kind = "restored"    // put back as it was minutes ago

	// Policies.
	Panic Kind = "policy-panic"
	Error Kind = "policy-error"
	Flap  Kind = "policy-flap"  // turns its order over, cycle by cycle
	Wild  Kind = "policy-wild"  // stops what it can and holds the rest
	Wrong Kind = "policy-wrong" // a plan that is not sound
)

// kindOf is a kind with how often it happens in a cycle, of a thousand.
type kindOf struct {
	kind     Kind
	permille int
}

var kinds = []kindOf{
	{Submit, 350},
	{Unreachable, 40}, {LostBefore, 40}, {LostAfter, 40}, {Late, 40}, {Broken, 40}, {Busy, 40}, {PollFails, 30}, {RereadFails, 30},
	{EmptyList, 15}, {FilteredList, 15}, {Private, 10}, {OneMissing, 30}, {NodesCut, 15}, {NoPartitions, 10},
	{ClockAhead, 12}, {ClockBehind, 12}, {OurClock, 8},
	{Restart, 15}, {NodeDown, 20}, {NodeDrain, 20}, {NodeUp, 60}, {Queue, 8},
	{OwnHold, 40}, {OwnRelease, 40}, {OwnNow, 60}, {OwnLater, 40}, {OwnNice, 60}, {OwnLimit, 40}, {OwnNodes, 30}, {OwnCancel, 20}, {OwnTop, 30}, {OwnRequeue, 15},
	{AdmHold, 30}, {AdmRelease, 40}, {AdmPrio, 20}, {AdmNice, 30}, {AdmNow, 30}, {AdmLimit, 30},
	{Kill, 40}, {Freeze, 12}, {Stop, 10}, {Release, 5}, {NoTimer, 10},
	{NoDatabase, 12}, {CommitLost, 15}, {Restored, 6},
	{Panic, 12}, {Error, 12}, {Flap, 15}, {Wild, 15}, {Wrong, 10},
	{Aside, 15}, {AsideEnds, 15}, {NoReservations, 8},
}
