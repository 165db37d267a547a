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

// maxSamples bounds how many finished jobs a snapshot carries.
const maxSamples = 2000

// history is what views showed of runs.
type history struct {
	usage    usage
	jobs     map[int64]*jobHistory
	unlisted map[int64]*jobHistory // no longer listed
	accounts []policy.Account
	samples  []policy.FinishedJob
	at       time.Time // of the last view recorded
	views    int       // recorded
}

// jobHistory is one job through all its runs.
type jobHistory struct {
	run        slurm.Run
	arrive     time.Time
	firstStart time.Time
	lastStop   time.Time
	attained   policy.GPUSeconds // of closed runs
	ran        time.Duration     // likewise
	openSpan   usageSpan         // the run under way
	runs       bool
	ended      bool        // for good
	view       int         // the last one that listed it
	seen       time.Time   // when that was
	lost       *jobHistory // as it was when it was last listed, if it ran then; nil: it did not
}

func newHistory(accounts []policy.Account, halfLife time.Duration) history {
	known := make([]policy.Account, len(accounts))
	for i, a := range accounts {
		known[i] = policy.Account{Name: a.Name, Parent: a.Parent, Weight: a.Weight}
	}
	slices.SortFunc(known, func(a, b policy.Account) int { return cmp.Compare(a.Name, b.Name) })
	return history{
		usage: usage{halfLife: halfLife},
		jobs:  map[int64]*jobHistory{}, unlisted: map[int64]*jobHistory{}, accounts: known,
	}
}

// wrongClock is how far after a believed view the last one may be dated without
// being wrong, as in accounting/runs.
const wrongClock = 5 * time.Minute

// record takes in what a view shows of runs. What a list leaves out ended when it was
// last seen, until it shows up again.
func (h *history) record(v *slurm.View) error {
	before := h.at
	switch {
	case before.Sub(v.At) > wrongClock:
		before = v.At
	case v.At.Before(before):
		return fmt.Errorf("recording runs: %w: it is of %v, the last of %v", bridge.ErrOlderView, v.At, before)
	}
	h.views++
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if j.ID != 0 && j.UntrustedReason == "" {
			h.observeJob(j, v.At, before)
		}
		if l := h.jobs[j.ID]; l != nil {
			l.view = h.views
		}
	}
	h.at = v.At
	for _, id := range slices.Sorted(maps.Keys(h.jobs)) {
		if l := h.jobs[id]; l.view != h.views {
			h.closeUnlisted(l, before)
			h.unlisted[id] = l
			delete(h.jobs, id)
		}
	}
	maps.DeleteFunc(h.unlisted, func(_ int64, l *jobHistory) bool { return v.At.Sub(l.seen) > unlistedFor })
	return nil
}

func (h *history) observeJob(j *slurm.Job, at, before time.Time) {
	l := h.jobFor(j)
	run := j.CurrentRun()
	switch {
	case l == nil:
		l = &jobHistory{run: run, arrive: j.Submit}
		h.jobs[j.ID] = l
	case l.run.IsSameRun(run):
	case run.Restarts > l.run.Restarts:
		h.stopRun(l, j.Submit)
		l.run, l.ended = run, false
	default: // the id belongs to another job now
		h.stopRun(l, before)
		l = &jobHistory{run: run, arrive: j.Submit}
		h.jobs[j.ID] = l
	}
	l.seen = at
	switch {
	case j.IsRunning() && !l.runs && !j.Start.IsZero():
		h.startRun(l, j)
	case j.IsDone() && !l.ended:
		h.endJob(l, j)
	}
}

// unlistedFor is how long a job must not have been listed to be no more than past.
const unlistedFor = time.Hour

// closeUnlisted closes the run of a job that is not listed. The list may have been short: the
// job may come back.
func (h *history) closeUnlisted(l *jobHistory, before time.Time) {
	l.lost = nil
	was := *l
	if h.stopRun(l, before); was.runs {
		l.lost = &was
	}
}

// jobFor returns what is known of a listed job. One that was not listed for a while
// and is still in the same run never stopped.
func (h *history) jobFor(j *slurm.Job) *jobHistory {
	l, back := h.unlisted[j.ID]
	if !back {
		return h.jobs[j.ID]
	}
	delete(h.unlisted, j.ID)
	h.jobs[j.ID] = l
	if l.lost == nil || !l.run.IsSameRun(j.CurrentRun()) {
		return l
	}
	ended := l.openSpan
	ended.stop = policy.Later(l.lastStop, ended.start)
	if i := slices.Index(h.usage.spans, ended); i >= 0 {
		h.usage.spans = slices.Delete(h.usage.spans, i, i+1)
	}
	*l = *l.lost
	return l
}

// startRun opens a run.
func (h *history) startRun(l *jobHistory, j *slurm.Job) {
	l.runs, l.openSpan = true, usageSpan{userAccount{j.User, j.Account}, j.GPUCount(), j.Start, time.Time{}}
	if l.firstStart.IsZero() {
		l.firstStart = j.Start
	}
}

// stopRun closes the run under way.
func (h *history) stopRun(l *jobHistory, at time.Time) {
	if !l.runs {
		return
	}
	s := l.openSpan
	s.stop = policy.Later(at, s.start)
	h.usage.spans = append(h.usage.spans, s)
	l.attained += policy.ServiceForTime(float64(s.gpus), s.stop.Sub(s.start))
	l.ran += s.stop.Sub(s.start)
	l.lastStop, l.runs = s.stop, false
}

// endJob closes a job for good and remembers how long it was.
func (h *history) endJob(l *jobHistory, j *slurm.Job) {
	l.ended = true
	if !l.runs && j.Nodes.Text != "" && !j.Start.IsZero() { // it came and went between two views
		h.startRun(l, j)
	}
	h.stopRun(l, j.End)
	if l.ran <= 0 || !sampledStates[j.State] {
		return
	}
	h.samples = append(h.samples, policy.FinishedJob{GPUs: l.openSpan.gpus, Ran: l.ran, Service: l.attained})
	if over := len(h.samples) - maxSamples; over > 0 {
		h.samples = slices.Clone(h.samples[over:])
	}
}

// sampledStates are the ends that say something about how long jobs take.
var sampledStates = map[string]bool{"COMPLETED": true, "FAILED": true, "TIMEOUT": true, "OUT_OF_MEMORY": true, "DEADLINE": true}

// buildPast returns use and the history of jobs as of now; stops are our requeues.
func (h *history) buildPast(now time.Time, stops func(job int64, arrive time.Time) []time.Time) *bridge.Past {
	out := &bridge.Past{Jobs: map[int64]bridge.JobPast{}, Samples: slices.Clone(h.samples)}
	var open []usageSpan
	for _, id := range slices.Sorted(maps.Keys(h.jobs)) {
		l := h.jobs[id]
		if l.runs {
			s := l.openSpan
			s.stop = now
			open = append(open, s)
		}
		if l.run.Restarts > 0 && !l.ended {
			out.Jobs[id] = bridge.JobPast{
				Arrive: l.arrive, FirstStart: l.firstStart, LastStop: l.lastStop, Attained: l.attained,
				RequeueTimes: stops(id, l.arrive),
			}
		}
	}
	users, recent := h.usage.totals(open, now)
	out.Users = users
	out.Accounts = h.sumAccounts(users, recent)
	return out
}

// sumAccounts adds up the use of the users of each account.
func (h *history) sumAccounts(users []policy.User, recent map[string]policy.GPUSeconds) []policy.Account {
	all := slices.Clone(h.accounts)
	for i := range users {
		u := &users[i]
		k, ok := slices.BinarySearchFunc(all, u.Account, func(a policy.Account, name string) int { return cmp.Compare(a.Name, name) })
		if !ok {
			all = slices.Insert(all, k, policy.Account{Name: u.Account, Weight: 1})
		}
		all[k].UsedService += u.UsedService
		all[k].RecentService = recent[u.Account]
	}
	return all
}

func (h *history) clone() history {
	c := *h
	c.jobs, c.unlisted, c.samples = cloneJobs(h.jobs), cloneJobs(h.unlisted), slices.Clone(h.samples)
	c.usage.spans, c.usage.folded, c.usage.index = slices.Clone(h.usage.spans), slices.Clone(h.usage.folded), maps.Clone(h.usage.index)
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
