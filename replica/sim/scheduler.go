package sim

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"fairbridge/replica/sim/backfill"
	"fairbridge/replica/sim/inventory"
	"fairbridge/replica/sim/reservation"
)

// scheduler starts jobs: Slurm's main scheduler, event-driven and periodic, and
// its backfill.
type scheduler struct {
	*daemon
	inventory    *inventory.Inventory
	jobs         *jobTable
	priorities   *priorities
	lifecycle    *lifecycle
	reservations *reservation.Book

	isPassQueued       bool            // something asked for a pass that the background thread makes
	isPassDue          bool            // a pass follows at once
	lastQueuedPass     time.Time       // main pass of the background thread, be it a full one
	lastEventPass      time.Time       // main pass for a job that freed its nodes
	lastFullPass       time.Time       // main pass over all jobs
	lastBackfill       time.Time       // zero before the first
	backfillTurn       int             // number of the turn of backfill that is scheduled
	backgroundPhase    time.Duration   // of the background thread, which looks every second
	isBackfillIdle     bool            // its last turn found nothing new
	lastRelevantChange time.Time       // last time something happened that could let a job start
	backfillPlan       backfillPlanner // of the last backfill pass, kept for its memory
}

// The passes that start jobs, as the log names them.
const (
	mainPass     = "main"
	backfillPass = "backfill"
)

// backfillPlanner lays out a backfill pass and finds places in it; see backfill.Plan.
type backfillPlanner interface {
	BeginPass(now time.Time, ahead backfill.Lookahead, nodes []*inventory.Node, held iter.Seq2[inventory.Slots, time.Time], closed []backfill.BlockedPeriod)
	ReservePlace(backfill.Task) (inventory.Slots, time.Time)
}

// queueEntry is a job in the line of one of its partitions.
type queueEntry struct {
	job       *job
	partition *inventory.Partition
}

// queueMainPass asks for a main pass after a submission or a change: the background thread, which
// looks every second, makes it once its last pass is MinPassInterval away.
func (s *scheduler) queueMainPass() {
	s.noteRelevantChange()
	if s.isPassQueued {
		return
	}
	s.isPassQueued = true
	wait := max(s.lastQueuedPass.Add(s.config.MinPassInterval).Sub(s.Now()), 0)
	late := (s.Now().Sub(s.config.Start) + wait - s.backgroundPhase) % time.Second // since it last looked
	s.ScheduleAfter(wait+(time.Second-late)%time.Second, func() {
		if s.isPassQueued {
			s.lastQueuedPass, s.isPassQueued = s.Now(), false
			s.runMainPass(s.config.EventPassDepth)
		}
	})
}

// startMainPass makes a main pass, as slurmctld does where a job has freed its nodes: at once, or MinEventInterval after the last.
func (s *scheduler) startMainPass() {
	s.noteRelevantChange()
	if s.isPassDue {
		return
	}
	s.isPassDue = true
	wait := max(s.lastEventPass.Add(s.config.MinEventInterval).Sub(s.Now()), 0)
	s.ScheduleAfter(wait, func() {
		s.isPassDue, s.lastEventPass = false, s.Now()
		s.runMainPass(s.config.EventPassDepth)
	})
}

// noteRelevantChange notes that a job might start now; idle backfill sees it within a second.
func (s *scheduler) noteRelevantChange() {
	s.lastRelevantChange = s.Now()
	if s.isBackfillIdle {
		s.isBackfillIdle = false
		s.scheduleBackfill(time.Second)
	}
}

// changedSince reports whether anything happened since t that could let a job start: a
// change, or a begin time that came.
func (s *scheduler) changedSince(t time.Time) bool {
	return t.IsZero() || !s.lastRelevantChange.Before(t) || s.jobs.hasBeginTimeBetween(t, s.Now())
}

// listStartable returns the jobs that could start, in Slurm's order: tier, priority,
// job id. The others learn why they wait.
func (s *scheduler) listStartable() []queueEntry {
	var out []queueEntry
	for _, j := range s.jobs.sortedJobs {
		if j.state != statePending || j.isCompleting {
			continue
		}
		if r := s.waitReason(j); r != "" {
			s.setReason(j, r)
			continue
		}
		s.priorities.startAging(j)
		for _, name := range strings.Split(j.spec.Partition, ",") {
			p := s.inventory.Partition(name)
			switch {
			case p == nil || p.IsDown:
				s.setReason(j, "PartitionDown")
			case p.MaxTime > 0 && j.spec.TimeLimit > p.MaxTime:
				s.setReason(j, "PartitionTimeLimit")
			default:
				out = append(out, queueEntry{j, p})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y queueEntry) int {
		return cmp.Or(cmp.Compare(y.partition.Tier, x.partition.Tier), cmp.Compare(y.job.priority, x.job.priority), cmp.Compare(x.job.id, y.job.id))
	})
	return out
}

// setReason says why the job waits.
func (s *scheduler) setReason(j *job, reason string) {
	if j.reason != reason {
		j.reason, s.lastShownChange = reason, s.Now()
	}
}

// waitReason says what other than resources and order keeps a pending job waiting.
func (s *scheduler) waitReason(j *job) string {
	switch {
	case j.isHeld():
		return j.holdReason
	case j.beginTime.After(s.Now()):
		return "BeginTime"
	}
	if r := s.jobs.dependencyReason(j); r != "" {
		return r
	}
	switch {
	case s.jobs.isArrayAtLimit(j):
		return arrayAtLimit
	case s.reservations.IsUpcoming(j.spec.Reservation, s.Now()):
		return "Reservation"
	}
	return ""
}

// runFullPass is the periodic main pass, over all jobs.
func (s *scheduler) runFullPass() {
	s.lastQueuedPass, s.isPassQueued = s.Now(), false
	if s.changedSince(s.lastFullPass) {
		s.lastFullPass = s.Now()
		s.runMainPass(0)
	}
}

// runMainPass is Slurm's main scheduler: strictly in order, and the first job of a
// partition that finds no place ends the partition's turn. A job that waits
// for particular nodes blocks only those. It tries so many jobs; 0: all.
func (s *scheduler) runMainPass(depth int) {
	blocked, banned := map[*inventory.Partition]bool{}, map[*inventory.Node]bool{}
	for i, e := range s.listStartable() {
		switch {
		case e.job.state != statePending: // started in another of its partitions
		case depth > 0 && i >= depth || blocked[e.partition]:
			s.setReason(e.job, "Priority")
		case s.startTasks(e, banned):
		case len(e.job.spec.RequiredNodes) > 0:
			for _, name := range e.job.spec.RequiredNodes {
				banned[s.inventory.Node(name)] = true
			}
		default:
			blocked[e.partition] = true
		}
	}
}

// startTasks starts the job, or as many tasks of an array as fit. It reports false
// when something was left over for lack of room.
func (s *scheduler) startTasks(e queueEntry, banned map[*inventory.Node]bool) bool {
	for {
		slots, why := s.placeNow(e, banned)
		if slots == nil {
			s.setReason(e.job, why)
			return false
		}
		if s.lifecycle.startRun(e.job, e.partition, slots, mainPass) == e.job {
			return true
		}
		if s.jobs.isArrayAtLimit(e.job) {
			s.setReason(e.job, arrayAtLimit)
			return true
		}
	}
}

// placeNow finds room for one task now; nil, and Slurm's reason, where there is
// none.
func (s *scheduler) placeNow(e queueEntry, banned map[*inventory.Node]bool) (slots inventory.Slots, why string) {
	list, ok := e.partition.CandidateNodes(e.job.nodeFilter())
	if !ok {
		return nil, "ReqNodeNotAvail"
	}
	if len(banned) > 0 {
		list = slices.DeleteFunc(list, func(n *inventory.Node) bool { return banned[n] && !slices.Contains(e.job.spec.RequiredNodes, n.Name) })
	}
	wants := e.job.reservationJob()
	list, why, ok = s.reservations.FilterOpenNodes(wants, e.partition, s.reservations.KeepOwnNodes(wants, list), s.Now(), s.Now().Add(e.job.timeLimit()))
	if !ok {
		return nil, why
	}
	return e.job.resourceRequest().FindSlots(list, (*inventory.Node).FreeResources), "Resources"
}

// scheduleBackfill schedules the next turn of backfill, in place of one that is scheduled already.
func (s *scheduler) scheduleBackfill(after time.Duration) {
	s.backfillTurn++
	turn := s.backfillTurn
	s.ScheduleAfter(after, func() {
		if turn == s.backfillTurn {
			s.takeBackfillTurn()
		}
	})
}

// takeBackfillTurn runs a pass where there is news. Then the next turn is an interval away; where
// there was none, backfill looks every second, so that the next change is seen at once.
func (s *scheduler) takeBackfillTurn() {
	next := s.config.BackfillInterval
	if s.isBackfillIdle = !s.changedSince(s.lastBackfill); !s.isBackfillIdle {
		s.lastBackfill = s.Now()
		s.runBackfill()
		next += s.config.BackfillPassTime
	}
	s.scheduleBackfill(next)
}

// runBackfill starts jobs out of order where that delays no job ahead of them:
// every tested job gets a reservation (conservative backfill).
func (s *scheduler) runBackfill() {
	s.beginBackfillPlan()
	before := make([]expectation, len(s.jobs.sortedJobs))
	for i, j := range s.jobs.sortedJobs {
		before[i], j.expectation = j.expectation, expectation{}
	}
	defer s.noteExpectations(slices.Clone(s.jobs.sortedJobs), before)
	for i, e := range s.listStartable() {
		if i >= s.config.BackfillDepth {
			break
		}
		if e.job.spec.Reservation != "" {
			continue // the main pass sees to those
		}
		s.backfillTasks(e)
	}
}

// noteExpectations notes whether a backfill pass expects something else of the jobs than was expected before.
func (s *scheduler) noteExpectations(jobs []*job, before []expectation) {
	for i, j := range jobs {
		was := &before[i]
		if !j.expectedStart.Equal(was.expectedStart) ||
			!slices.Equal(j.expectedSlots.NodeNames(), was.expectedSlots.NodeNames()) {
			s.lastShownChange = s.Now()
			return
		}
	}
}

// maxArrayReservations is bf_max_job_array_resv: for how many tasks of an array backfill keeps a
// place. As many as fit may start.
const maxArrayReservations = 20

// backfillTasks plans or starts a job, or one task of an array after the other: as many as may
// run at once.
func (s *scheduler) backfillTasks(e queueEntry) {
	for reserved := 0; e.job.state == statePending && !s.jobs.isArrayAtLimit(e.job); {
		slots, at := s.backfillPlan.ReservePlace(backfill.Task{Request: e.job.resourceRequest(), NodeFilter: e.job.nodeFilter(), Partition: e.partition, TimeLimit: e.job.timeLimit()})
		switch {
		case slots == nil:
			return
		case at.Equal(s.Now()) && slots.AreFree():
			s.lifecycle.startRun(e.job, e.partition, slots, backfillPass)
		default:
			e.job.noteExpectedStart(at, slots)
			if e.job.reason == "None" {
				s.setReason(e.job, "Resources")
			}
			reserved++
		}
		if !e.job.isUnsplit() || reserved >= min(maxArrayReservations, len(e.job.pendingTasks)) || reserved > 0 && s.jobs.isArrayFull(e.job, reserved) {
			return
		}
	}
}

// beginBackfillPlan begins a plan in which every running job uses its limit.
func (s *scheduler) beginBackfillPlan() {
	var closed []backfill.BlockedPeriod
	for _, r := range *s.reservations {
		closed = append(closed, backfill.BlockedPeriod{Nodes: r.Nodes, From: r.From, To: r.To})
	}
	ahead := backfill.Lookahead{Window: s.config.BackfillWindow, Resolution: s.config.BackfillResolution}
	s.backfillPlan.BeginPass(s.Now(), ahead, s.inventory.Nodes, s.allocatedSlots, closed)
}

// allocatedSlots goes through what jobs have, and until when at most.
func (s *scheduler) allocatedSlots(yield func(inventory.Slots, time.Time) bool) {
	for _, j := range s.jobs.sortedJobs {
		if len(j.slots) == 0 || j.isDone() && !j.isCompleting { // a listed job that ended has given back what it shows
			continue
		}
		if !yield(j.slots, j.latestEnd(s.Now())) {
			return
		}
	}
}
