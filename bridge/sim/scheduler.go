package sim

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/sim/backfill"
	"fairbridge/bridge/sim/inventory"
	"fairbridge/bridge/sim/reservation"
)

// scheduler starts jobs: Slurm's main scheduler, event-driven and periodic, and
// its backfill.
type scheduler struct {
	*daemon
	nodes        *inventory.Inventory
	jobs         *jobTable
	prio         *priorities
	runs         *lifecycle
	reservations *reservation.Book

	passAt       time.Time // when the next event-driven pass is due; zero: none
	lastPass     time.Time // main pass
	lastFull     time.Time // main pass over all jobs
	lastBackfill time.Time // zero before the first
	changedAt    time.Time // last time something happened that could let a job start
	plan         planner   // of the last backfill pass, kept for its memory
}

// planner lays out a backfill pass and finds places in it; see backfill.Plan.
type planner interface {
	Begin(now time.Time, window time.Duration, nodes []*inventory.Node, held iter.Seq2[inventory.Slots, time.Time], closed []backfill.Closure)
	Reserve(backfill.Task) (inventory.Slots, time.Time)
}

// queueEntry is a job in the line of one of its partitions.
type queueEntry struct {
	job       *job
	partition *inventory.Partition
}

// requestPass asks for a main pass soon: at once when there was none for a while,
// else when BatchDelay has passed since the last.
func (s *scheduler) requestPass() {
	s.changedAt = s.Now()
	at := s.Now().Add(200 * time.Millisecond)
	if t := s.lastPass.Add(s.cfg.BatchDelay); t.After(at) {
		at = t
	}
	if !s.passAt.IsZero() {
		return
	}
	s.passAt = at
	s.At(at, func() {
		s.passAt = time.Time{}
		s.runPass(s.cfg.QueueDepth)
	})
}

// changedSince reports whether anything happened since t that could let a job start: a
// change, or a begin time that came.
func (s *scheduler) changedSince(t time.Time) bool {
	return t.IsZero() || !s.changedAt.Before(t) || s.jobs.hasBeginBetween(t, s.Now())
}

// queue returns the jobs that could start, in Slurm's order: tier, priority,
// job id. The others learn why they wait.
func (s *scheduler) queue() []queueEntry {
	var out []queueEntry
	for _, j := range s.jobs.list {
		if j.state != pending || j.completing {
			continue
		}
		if r := s.waitReason(j); r != "" {
			j.reason = r
			continue
		}
		s.prio.startAge(j)
		for _, name := range strings.Split(j.spec.Partition, ",") {
			p := s.nodes.Partition(name)
			switch {
			case p == nil || p.Down:
				j.reason = "PartitionDown"
			case p.MaxTime > 0 && j.spec.Limit > p.MaxTime:
				j.reason = "PartitionTimeLimit"
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

// waitReason says what other than resources and order keeps a pending job waiting.
func (s *scheduler) waitReason(j *job) string {
	switch {
	case j.isHeld():
		return j.hold
	case j.begin.After(s.Now()):
		return "BeginTime"
	}
	if r := s.jobs.dependencyReason(j); r != "" {
		return r
	}
	switch {
	case s.jobs.isArrayAtLimit(j):
		return "JobArrayTaskLimit"
	case s.reservations.IsAhead(j.spec.Reservation, s.Now()):
		return "Reservation"
	}
	return ""
}

// fullPass is the periodic main pass, over all jobs.
func (s *scheduler) fullPass() {
	s.lastPass = s.Now()
	if s.changedSince(s.lastFull) {
		s.lastFull = s.Now()
		s.runPass(0)
	}
}

// runPass is Slurm's main scheduler: strictly in order, and the first job of a
// partition that finds no place ends the partition's turn. A job that waits
// for particular nodes blocks only those. It tries so many jobs; 0: all.
func (s *scheduler) runPass(depth int) {
	s.lastPass = s.Now()
	blocked, banned := map[*inventory.Partition]bool{}, map[*inventory.Node]bool{}
	for i, e := range s.queue() {
		switch {
		case e.job.state != pending: // started in another of its partitions
		case depth > 0 && i >= depth || blocked[e.partition]:
			e.job.reason = "Priority"
		case s.startAll(e, banned):
		case len(e.job.spec.Required) > 0:
			for _, name := range e.job.spec.Required {
				banned[s.nodes.Node(name)] = true
			}
		default:
			blocked[e.partition] = true
		}
	}
}

// startAll starts the job, or as many tasks of an array as fit. It reports false
// when something was left over for lack of room.
func (s *scheduler) startAll(e queueEntry, banned map[*inventory.Node]bool) bool {
	for {
		slots, why := s.placeNow(e, banned)
		if slots == nil {
			e.job.reason = why
			return false
		}
		if s.runs.start(e.job, e.partition, slots, "main") == e.job || s.jobs.isArrayAtLimit(e.job) {
			return true
		}
	}
}

// placeNow finds room for one task now; nil, and Slurm's reason, where there is
// none.
func (s *scheduler) placeNow(e queueEntry, banned map[*inventory.Node]bool) (slots inventory.Slots, why string) {
	list, ok := e.partition.Candidates(e.job.nodeChoice())
	if !ok {
		return nil, "ReqNodeNotAvail"
	}
	if len(banned) > 0 {
		list = slices.DeleteFunc(list, func(n *inventory.Node) bool { return banned[n] && !slices.Contains(e.job.spec.Required, n.Name) })
	}
	wants := e.job.reservationJob()
	list, why, ok = s.reservations.OpenNodes(wants, e.partition, s.reservations.OwnNodes(wants, list), s.Now(), s.Now().Add(e.job.timeLimit()))
	if !ok {
		return nil, why
	}
	return e.job.resources().Fit(list, (*inventory.Node).Room), "Resources"
}

// backfill starts jobs out of order where that delays no job ahead of them:
// every tested job gets a reservation (conservative backfill).
func (s *scheduler) backfill() {
	news := s.changedSince(s.lastBackfill)
	s.lastBackfill = s.Now()
	if !news {
		return
	}
	s.startPlan()
	for _, j := range s.jobs.list {
		j.expectedStart, j.expectedSlots = time.Time{}, nil
	}
	for i, e := range s.queue() {
		if i >= s.cfg.BackfillDepth {
			break
		}
		if e.job.spec.Reservation != "" {
			continue // the main pass sees to those
		}
		for n := 0; n < 20 && e.job.state == pending && !s.jobs.isArrayAtLimit(e.job); n++ { // bf_max_job_array_resv
			if !s.reserve(e) || !e.job.isUnsplit() {
				break
			}
		}
	}
}

// startPlan begins a plan in which every running job uses its limit.
func (s *scheduler) startPlan() {
	var closed []backfill.Closure
	for _, r := range *s.reservations {
		closed = append(closed, backfill.Closure{Nodes: r.Nodes, From: r.From, To: r.To})
	}
	s.plan.Begin(s.Now(), s.cfg.BackfillWindow, s.nodes.Nodes, s.heldSlots, closed)
}

// heldSlots goes through what jobs have, and until when at most.
func (s *scheduler) heldSlots(yield func(inventory.Slots, time.Time) bool) {
	for _, j := range s.jobs.list {
		if len(j.slots) == 0 || j.isDone() && !j.completing { // a listed job that ended has given back what it shows
			continue
		}
		if !yield(j.slots, j.latestEnd(s.Now())) {
			return
		}
	}
}

// reserve plans the job, and starts it if it can start now. It reports whether
// a place was found for a task and another task may ask for one.
func (s *scheduler) reserve(e queueEntry) bool {
	slots, at := s.plan.Reserve(backfill.Task{Ask: e.job.resources(), Choice: e.job.nodeChoice(), Partition: e.partition, Limit: e.job.timeLimit()})
	switch {
	case slots == nil:
		return false
	case at.Equal(s.Now()):
		s.runs.start(e.job, e.partition, slots, "backfill")
		return true
	}
	e.job.noteExpectedStart(at, slots)
	return !e.job.isUnsplit() // one reservation stands for the array
}
