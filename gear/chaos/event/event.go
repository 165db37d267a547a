// Package event lists what may go wrong in a trial of package chaos, and draws
// when it does, by a seed. It does nothing itself.
package event

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Event is one thing that goes wrong, or that a person does, in a cycle.
type Event struct {
	Cycle      int
	Kind       Kind
	RandomSeed uint64 // its part of chance: which job, which moment, how long
}

// String prints "12 freeze 9f31c2".
func (e Event) String() string { return fmt.Sprintf("%d %s %x", e.Cycle, e.Kind, e.RandomSeed) }

// NewRand returns the event's own source of chance.
func (e Event) NewRand() *rand.Rand { return rand.New(rand.NewPCG(e.RandomSeed, 0xc4a05)) }

// DrawEvents returns what happens in the cycles of a seed. Each seed switches a part of
// the kinds on, so that some runs see few kinds often. Submissions always happen.
func DrawEvents(seed uint64, cycles int) []Event {
	r := rand.New(rand.NewPCG(seed, 1))
	var on []kindFrequency
	for _, k := range kindFrequencies {
		if r.IntN(100) < 45 || k.kind == SubmitJob {
			on = append(on, k)
		}
	}
	var out []Event
	for range 8 {
		out = append(out, Event{0, SubmitJob, r.Uint64()})
	}
	for c := range cycles {
		for _, k := range on {
			if r.IntN(1000) < k.permillePerCycle {
				out = append(out, Event{c, k.kind, r.Uint64()})
			}
		}
	}
	return out
}

// adminCommentPermille is how often somebody writes an admin_comment in a cycle, of a thousand.
const adminCommentPermille = 150

// WithAdminComments adds that administrators write into jobs' admin_comment. It is drawn by itself, so that all
// else of a seed stays as it was.
func WithAdminComments(events []Event, seed uint64, cycles int) []Event {
	r := rand.New(rand.NewPCG(seed, 3))
	for c := range cycles {
		if r.IntN(1000) < adminCommentPermille {
			events = append(events, Event{c, AdminComments, r.Uint64()})
		}
	}
	slices.SortStableFunc(events, func(a, b Event) int { return a.Cycle - b.Cycle })
	return events
}

// FormatEvents lists events, one a line.
func FormatEvents(events []Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintln(&b, " ", e)
	}
	return b.String()
}

// Kind is a kind of event.
type Kind string

// The kinds of events. Times are drawn by the event.
const (
	SubmitJob Kind = "submit" // a job comes

	// Calls to Slurm.
	SlurmUnreachable Kind = "unreachable"  // the next writes make no connection
	WriteRequestLost Kind = "lost-before"  // the next writes are not done, and no answer comes
	WriteAnswerLost  Kind = "lost-after"   // the next writes are done, and no answer comes
	WriteLate        Kind = "late"         // the next writes are given up, and done minutes later
	WriteServerError Kind = "broken"       // the next writes are answered by HTTP 500
	WriteBusy        Kind = "busy"         // the next writes are answered by "try again"
	PollFails        Kind = "poll-fails"   // slurmrestd gives no list for some cycles
	RereadFails      Kind = "reread-fails" // nor a single job

	// What lists show.
	EmptyJobList      Kind = "empty-list"    // no jobs
	FilteredJobList   Kind = "filtered-list" // the jobs of one user, in the list only
	UserJobsPrivate   Kind = "private"       // the jobs of one user, everywhere: our rights are gone
	JobMissing        Kind = "one-missing"   // one job is not in the list
	NodesMissing      Kind = "nodes-cut"     // a part of the nodes
	PartitionsMissing Kind = "no-partitions" // slurmdbd or the partition list fails

	// Clocks.
	SlurmClockAhead  Kind = "clock-ahead"  // slurmctld's clock is seconds to a month ahead
	SlurmClockBehind Kind = "clock-behind" // or behind
	DaemonClockOff   Kind = "our-clock"    // the daemon's host is off

	// Slurm itself.
	SlurmRestart    Kind = "ctld-restart" // slurmctld restarts and forgets the last seconds
	NodeDown        Kind = "node-down"
	NodeDrain       Kind = "node-drain"
	NodeUp          Kind = "node-up"
	PartitionClosed Kind = "partition" // an administrator closes the partition for a while

	// Reservations and maintenance.
	ReservationMade    Kind = "reservation"      // nodes are set aside, now or hours ahead
	ReservationEnds    Kind = "reservation-ends" // or not any more
	ReservationsUnread Kind = "no-reservations"  // slurmctld does not say what is set aside

	// People: owners, then administrators.
	OwnerHold       Kind = "owner-hold"
	OwnerRelease    Kind = "owner-release"
	OwnerBeginNow   Kind = "owner-begin-now"
	OwnerBeginLater Kind = "owner-begin-later"
	OwnerNice       Kind = "owner-nice"
	OwnerTimeLimit  Kind = "owner-limit"
	OwnerNodeList   Kind = "owner-nodes"
	OwnerCancel     Kind = "owner-cancel"
	OwnerMoveToTop  Kind = "owner-top"
	OwnerRequeue    Kind = "owner-requeue"
	AdminHold       Kind = "admin-hold"
	AdminRelease    Kind = "admin-release"
	AdminPriority   Kind = "admin-priority"
	AdminNice       Kind = "admin-nice"
	AdminBeginNow   Kind = "admin-begin-now"
	AdminTimeLimit  Kind = "admin-limit"
	AdminComments   Kind = "admin-comment" // an administrator or a plugin writes a job's admin_comment, or clears it

	// Our processes.
	DaemonKilled       Kind = "kill"     // kill -9 in the middle of a step, and a new start
	DaemonFrozen       Kind = "freeze"   // the leader stands still for minutes
	StopFileWritten    Kind = "stop"     // the STOP file, for some cycles
	ReleaseCommand     Kind = "release"  // fairbridge release, then a new start
	ExpireTimerStopped Kind = "no-timer" // what the timer runs outside the daemon does not run

	// The database.
	DatabaseUnreachable Kind = "no-database" // nothing works for some cycles
	CommitAnswerLost    Kind = "commit-lost" // the next transaction is done, and says it is not
	DatabaseRestored    Kind = "restored"    // put back as it was minutes ago

	// Policies.
	PolicyPanics          Kind = "policy-panic"
	PolicyFails           Kind = "policy-error"
	PolicyReversesOrder   Kind = "policy-flap"  // turns its order over, cycle by cycle
	PolicyStopsEverything Kind = "policy-wild"  // stops what it can and holds the rest
	PolicyDropsDecision   Kind = "policy-wrong" // a plan that is not sound
)

// kindFrequency is a kind with how often it happens in a cycle, of a thousand.
type kindFrequency struct {
	kind             Kind
	permillePerCycle int
}

var kindFrequencies = []kindFrequency{
	{SubmitJob, 350},
	{SlurmUnreachable, 40}, {WriteRequestLost, 40}, {WriteAnswerLost, 40}, {WriteLate, 40}, {WriteServerError, 40}, {WriteBusy, 40}, {PollFails, 30}, {RereadFails, 30},
	{EmptyJobList, 15}, {FilteredJobList, 15}, {UserJobsPrivate, 10}, {JobMissing, 30}, {NodesMissing, 15}, {PartitionsMissing, 10},
	{SlurmClockAhead, 12}, {SlurmClockBehind, 12}, {DaemonClockOff, 8},
	{SlurmRestart, 15}, {NodeDown, 20}, {NodeDrain, 20}, {NodeUp, 60}, {PartitionClosed, 8},
	{OwnerHold, 40}, {OwnerRelease, 40}, {OwnerBeginNow, 60}, {OwnerBeginLater, 40}, {OwnerNice, 60}, {OwnerTimeLimit, 40}, {OwnerNodeList, 30}, {OwnerCancel, 20}, {OwnerMoveToTop, 30}, {OwnerRequeue, 15},
	{AdminHold, 30}, {AdminRelease, 40}, {AdminPriority, 20}, {AdminNice, 30}, {AdminBeginNow, 30}, {AdminTimeLimit, 30},
	{DaemonKilled, 40}, {DaemonFrozen, 12}, {StopFileWritten, 10}, {ReleaseCommand, 5}, {ExpireTimerStopped, 10},
	{DatabaseUnreachable, 12}, {CommitAnswerLost, 15}, {DatabaseRestored, 6},
	{PolicyPanics, 12}, {PolicyFails, 12}, {PolicyReversesOrder, 15}, {PolicyStopsEverything, 15}, {PolicyDropsDecision, 10},
	{ReservationMade, 15}, {ReservationEnds, 15}, {ReservationsUnread, 8},
}
