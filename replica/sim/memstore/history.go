package memstore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// maxFinishedJobs bounds how many finished jobs a snapshot carries.
const maxFinishedJobs = 2000

// history is what views showed of runs.
type history struct {
	usage        usage
	jobsByID     map[int64]*jobHistory
	unlistedByID map[int64]*jobHistory // no longer listed
	accounts     []policy.Account
	finishedJobs []finishedJob // by end
	lastViewTime time.Time     // of the last view recorded
	viewCount    int           // recorded
	lastList     []slurm.Job   // of that view
}

// jobHistory is one job through all its runs.
type jobHistory struct {
	currentRun      slurm.Run
	arrivalTime     time.Time
	firstStart      time.Time
	lastStop        time.Time
	attainedService policy.GPUSeconds // of closed runs
	closedRunTime   time.Duration     // likewise
	openSpan        usageSpan         // the run under way
	isRunning       bool
	hasEnded        bool        // for good
	lastViewNumber  int         // the last one that listed it
	lastSeen        time.Time   // when that was
	beforeUnlisted  *jobHistory // as it was when it was last listed, if it ran then; nil: it did not
}

func newHistory(accounts []policy.Account, halfLife time.Duration) history {
	known := make([]policy.Account, len(accounts))
	for i, a := range accounts {
		known[i] = policy.Account{Name: a.Name, Parent: a.Parent, Weight: a.Weight}
	}
	slices.SortFunc(known, func(a, b policy.Account) int { return cmp.Compare(a.Name, b.Name) })
	return history{
		usage:    usage{halfLife: halfLife},
		jobsByID: map[int64]*jobHistory{}, unlistedByID: map[int64]*jobHistory{}, accounts: known,
	}
}

// maxClockError is how far after a believed view the last one may be dated without
// being wrong, as in accounting/runs.
const maxClockError = 5 * time.Minute

// recordView takes in what a view shows of runs. What a list leaves out ended when it was
// last seen, until it shows up again.
func (h *history) recordView(v *slurm.View) error {
	before := h.lastViewTime
	switch {
	case before.Sub(v.At) > maxClockError:
		before = v.At
	case v.At.Before(before):
		return fmt.Errorf("recording runs: %w: it is of %v, the last of %v", bridge.ErrOlderView, v.At, before)
	}
	if n := len(v.Jobs); n > 0 && n == len(h.lastList) && &v.Jobs[0] == &h.lastList[0] { // nothing has changed
		h.lastViewTime = v.At
		return nil
	}
	h.lastList = v.Jobs
	h.viewCount++
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if j.ID != 0 && j.UntrustedReason == "" {
			h.observeJob(j, v.At, before)
		}
		if l := h.jobsByID[j.ID]; l != nil {
			l.lastViewNumber = h.viewCount
		}
	}
	h.lastViewTime = v.At
	for _, id := range h.sortedIDs(func(l *jobHistory) bool { return l.lastViewNumber != h.viewCount }) {
		l := h.jobsByID[id]
		h.closeUnlisted(l, before)
		h.unlistedByID[id] = l
		delete(h.jobsByID, id)
	}
	maps.DeleteFunc(h.unlistedByID, func(_ int64, l *jobHistory) bool { return v.At.Sub(l.lastSeen) > unlistedKeepTime })
	return nil
}

// sortedIDs returns the ids of the listed jobs that are wanted, sorted.
func (h *history) sortedIDs(isWanted func(*jobHistory) bool) []int64 {
	var ids []int64
	for id, l := range h.jobsByID {
		if isWanted(l) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (h *history) observeJob(j *slurm.Job, at, before time.Time) {
	l := h.findListedJob(j)
	run := j.CurrentRun()
	switch {
	case l == nil:
		l = &jobHistory{currentRun: run, arrivalTime: j.Submit}
		h.jobsByID[j.ID] = l
	case l.currentRun.IsSameRun(run):
	case run.Restarts > l.currentRun.Restarts:
		h.stopRun(l, j.Submit)
		l.currentRun, l.hasEnded = run, false
	default: // the id belongs to another job now
		h.stopRun(l, before)
		l = &jobHistory{currentRun: run, arrivalTime: j.Submit}
		h.jobsByID[j.ID] = l
	}
	l.lastSeen = at
	switch {
	case j.IsRunning() && !l.isRunning && !j.Start.IsZero():
		h.startRun(l, j)
	case j.IsDone() && !l.hasEnded:
		h.endJob(l, j)
	}
}

// unlistedKeepTime is how long a job must not have been listed to be no more than past.
const unlistedKeepTime = time.Hour

// closeUnlisted closes the run of a job that is not listed. The list may have been short: the
// job may come back.
func (h *history) closeUnlisted(l *jobHistory, before time.Time) {
	l.beforeUnlisted = nil
	was := *l
	if h.stopRun(l, before); was.isRunning {
		l.beforeUnlisted = &was
	}
}

// findListedJob returns what is known of a listed job. One that was not listed for a while
// and is still in the same run never stopped.
func (h *history) findListedJob(j *slurm.Job) *jobHistory {
	l, back := h.unlistedByID[j.ID]
	if !back {
		return h.jobsByID[j.ID]
	}
	delete(h.unlistedByID, j.ID)
	h.jobsByID[j.ID] = l
	if l.beforeUnlisted == nil || !l.currentRun.IsSameRun(j.CurrentRun()) {
		return l
	}
	ended := l.openSpan
	ended.stop = policy.Later(l.lastStop, ended.start)
	if i := slices.Index(h.usage.spans, ended); i >= 0 {
		h.usage.spans = slices.Delete(h.usage.spans, i, i+1)
	}
	*l = *l.beforeUnlisted
	return l
}

// startRun opens a run.
func (h *history) startRun(l *jobHistory, j *slurm.Job) {
	l.isRunning, l.openSpan = true, usageSpan{userAccount{j.User, j.Account}, j.GPUCount(), h.usage.chargedGPUs(j), j.Start, time.Time{}}
	if l.firstStart.IsZero() {
		l.firstStart = j.Start
	}
}

// stopRun closes the run under way.
func (h *history) stopRun(l *jobHistory, at time.Time) {
	if !l.isRunning {
		return
	}
	s := l.openSpan
	s.stop = policy.Later(at, s.start)
	h.usage.spans = append(h.usage.spans, s)
	l.attainedService += policy.ServiceForTime(float64(s.gpuCount), s.stop.Sub(s.start))
	l.closedRunTime += s.stop.Sub(s.start)
	l.lastStop, l.isRunning = s.stop, false
}

// finishedJob is a job that ended, and when.
type finishedJob struct {
	policy.FinishedJob
	ended time.Time
}

// endJob closes a job for good and remembers how long it was.
func (h *history) endJob(l *jobHistory, j *slurm.Job) {
	l.hasEnded = true
	if !l.isRunning && j.Nodes.Text != "" && !j.Start.IsZero() { // it came and went between two views
		h.startRun(l, j)
	}
	h.stopRun(l, j.End)
	if l.closedRunTime <= 0 || !countedEndStates[j.State] {
		return
	}
	i := len(h.finishedJobs)
	for i > 0 && h.finishedJobs[i-1].ended.After(l.lastStop) {
		i-- // a list is by id: of its jobs, some ended before others
	}
	h.finishedJobs = slices.Insert(h.finishedJobs, i, finishedJob{policy.FinishedJob{GPUs: l.openSpan.gpuCount, Ran: l.closedRunTime, Service: l.attainedService}, l.lastStop})
	if over := len(h.finishedJobs) - maxFinishedJobs; over > 0 {
		h.finishedJobs = slices.Clone(h.finishedJobs[over:])
	}
}

// countedEndStates are the ends that say something about how long jobs take.
var countedEndStates = map[string]bool{"COMPLETED": true, "FAILED": true, "TIMEOUT": true, "OUT_OF_MEMORY": true, "DEADLINE": true}

// buildPast returns use and the history of jobs as of now; stops are our requeues.
func (h *history) buildPast(now time.Time, stops func(job int64, arrive time.Time) []time.Time) *bridge.Past {
	out := &bridge.Past{PastByJob: map[int64]bridge.JobPast{}}
	out.FinishedJobs = slices.Grow(out.FinishedJobs, len(h.finishedJobs))
	for i := range h.finishedJobs {
		out.FinishedJobs = append(out.FinishedJobs, h.finishedJobs[i].FinishedJob)
	}
	var open []usageSpan
	for _, id := range h.sortedIDs(func(l *jobHistory) bool { return l.isRunning || l.currentRun.Restarts > 0 && !l.hasEnded }) {
		l := h.jobsByID[id]
		if l.isRunning {
			s := l.openSpan
			s.stop = now
			open = append(open, s)
		}
		if l.currentRun.Restarts > 0 && !l.hasEnded {
			out.PastByJob[id] = bridge.JobPast{
				Arrive: l.arrivalTime, FirstStart: l.firstStart, LastStop: l.lastStop, Attained: l.attainedService,
				RequeueTimes: stops(id, l.arrivalTime),
			}
		}
	}
	users, recent := h.usage.sumUse(open, now)
	out.Users = users
	out.Accounts = h.sumUseByAccount(users, recent)
	return out
}

// sumUseByAccount adds up the use of the users of each account.
func (h *history) sumUseByAccount(users []policy.User, recent map[string]policy.GPUSeconds) []policy.Account {
	all := slices.Clone(h.accounts)
	for i := range users {
		u := &users[i]
		k, ok := slices.BinarySearchFunc(all, u.Account, func(a policy.Account, name string) int { return cmp.Compare(a.Name, name) })
		if !ok {
			all = slices.Insert(all, k, policy.Account{Name: u.Account, Weight: 1})
		}
		held := cmp.Or(all[k].HeldService, all[k].UsedService) + cmp.Or(u.HeldService, u.UsedService)
		all[k].UsedService += u.UsedService
		all[k].HeldService = policy.ServiceHeld(held, all[k].UsedService)
		all[k].RecentService = recent[u.Account]
	}
	return all
}

func (h *history) clone() history {
	c := *h
	c.jobsByID, c.unlistedByID, c.finishedJobs = cloneJobs(h.jobsByID), cloneJobs(h.unlistedByID), slices.Clone(h.finishedJobs)
	c.usage.spans, c.usage.foldedUsers, c.usage.indexByUser = slices.Clone(h.usage.spans), slices.Clone(h.usage.foldedUsers), maps.Clone(h.usage.indexByUser)
	return c
}

func cloneJobs(lives map[int64]*jobHistory) map[int64]*jobHistory {
	out := make(map[int64]*jobHistory, len(lives))
	for id, l := range lives {
		kept := *l
		out[id] = &kept
	}
	return out
}
