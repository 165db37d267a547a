package memory

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
	jobs     map[int64]*life
	gone     map[int64]*life // no longer listed
	accounts []policy.Account
	samples  []policy.Sample
	at       time.Time // of the last view recorded
	views    int       // recorded
}

// life is one job through all its runs.
type life struct {
	run        slurm.Run
	arrive     time.Time
	firstStart time.Time
	lastStop   time.Time
	attained   policy.GPUSeconds // of closed runs
	ran        time.Duration     // likewise
	open       span              // the run under way
	runs       bool
	ended      bool      // for good
	view       int       // the last one that listed it
	seen       time.Time // when that was
	lost       *life     // as it was when it was last listed, if it ran then; nil: it did not
}

func newHistory(accounts []policy.Account, halfLife time.Duration) history {
	known := make([]policy.Account, len(accounts))
	for i, a := range accounts {
		known[i] = policy.Account{Name: a.Name, Parent: a.Parent, Weight: a.Weight}
	}
	slices.SortFunc(known, func(a, b policy.Account) int { return cmp.Compare(a.Name, b.Name) })
	return history{
		usage: usage{half: halfLife},
		jobs:  map[int64]*life{}, gone: map[int64]*life{}, accounts: known,
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
		return fmt.Errorf("recording runs: %w: it is of %v, the last of %v", bridge.ErrOlder, v.At, before)
	}
	h.views++
	for i := range v.Jobs {
		j := &v.Jobs[i]
		if j.ID != 0 && j.Opaque == "" {
			h.see(j, v.At, before)
		}
		if l := h.jobs[j.ID]; l != nil {
			l.view = h.views
		}
	}
	h.at = v.At
	for _, id := range slices.Sorted(maps.Keys(h.jobs)) {
		if l := h.jobs[id]; l.view != h.views {
			h.lose(l, before)
			h.gone[id] = l
			delete(h.jobs, id)
		}
	}
	maps.DeleteFunc(h.gone, func(_ int64, l *life) bool { return v.At.Sub(l.seen) > forgotten })
	return nil
}

func (h *history) see(j *slurm.Job, at, before time.Time) {
	l := h.found(j)
	run := j.Run()
	switch {
	case l == nil:
		l = &life{run: run, arrive: j.Submit}
		h.jobs[j.ID] = l
	case l.run.Same(run):
	case run.Restarts > l.run.Restarts:
		h.stop(l, j.Submit)
		l.run, l.ended = run, false
	default: // the id belongs to another job now
		h.stop(l, before)
		l = &life{run: run, arrive: j.Submit}
		h.jobs[j.ID] = l
	}
	l.seen = at
	switch {
	case j.Running() && !l.runs && !j.Start.IsZero():
		h.start(l, j)
	case j.Done() && !l.ended:
		h.end(l, j)
	}
}

// forgotten is how long a job must not have been listed to be no more than past.
const forgotten = time.Hour

// lose closes the run of a job that is not listed. The list may have been short: the
// job may come back.
func (h *history) lose(l *life, before time.Time) {
	l.lost = nil
	was := *l
	if h.stop(l, before); was.runs {
		l.lost = &was
	}
}

// found returns what is known of a listed job. One that was not listed for a while
// and is still in the same run never stopped.
func (h *history) found(j *slurm.Job) *life {
	l, back := h.gone[j.ID]
	if !back {
		return h.jobs[j.ID]
	}
	delete(h.gone, j.ID)
	h.jobs[j.ID] = l
	if l.lost == nil || !l.run.Same(j.Run()) {
		return l
	}
	ended := l.open
	ended.stop = latest(l.lastStop, ended.start)
	if i := slices.Index(h.usage.spans, ended); i >= 0 {
		h.usage.spans = slices.Delete(h.usage.spans, i, i+1)
	}
	*l = *l.lost
	return l
}

// start opens a run.
func (h *history) start(l *life, j *slurm.Job) {
	l.runs, l.open = true, span{who{j.User, j.Account}, j.GPUs(), j.Start, time.Time{}}
	if l.firstStart.IsZero() {
		l.firstStart = j.Start
	}
}

// stop closes the run under way.
func (h *history) stop(l *life, at time.Time) {
	if !l.runs {
		return
	}
	s := l.open
	s.stop = latest(at, s.start)
	h.usage.spans = append(h.usage.spans, s)
	l.attained += policy.Service(float64(s.gpus), s.stop.Sub(s.start))
	l.ran += s.stop.Sub(s.start)
	l.lastStop, l.runs = s.stop, false
}

// end closes a job for good and remembers how long it was.
func (h *history) end(l *life, j *slurm.Job) {
	l.ended = true
	if !l.runs && j.Nodes.Text != "" && !j.Start.IsZero() { // it came and went between two views
		h.start(l, j)
	}
	h.stop(l, j.End)
	if l.ran <= 0 || !kept[j.State] {
		return
	}
	h.samples = append(h.samples, policy.Sample{GPUs: l.open.gpus, Ran: l.ran, Service: l.attained})
	if over := len(h.samples) - maxSamples; over > 0 {
		h.samples = slices.Clone(h.samples[over:])
	}
}

// kept are the ends that say something about how long jobs take.
var kept = map[string]bool{"COMPLETED": true, "FAILED": true, "TIMEOUT": true, "OUT_OF_MEMORY": true, "DEADLINE": true}

// past returns use and the history of jobs as of now; stops are our requeues.
func (h *history) past(now time.Time, stops func(job int64, arrive time.Time) []time.Time) *bridge.Past {
	out := &bridge.Past{Jobs: map[int64]bridge.JobPast{}, Samples: slices.Clone(h.samples)}
	var open []span
	for _, id := range slices.Sorted(maps.Keys(h.jobs)) {
		l := h.jobs[id]
		if l.runs {
			s := l.open
			s.stop = now
			open = append(open, s)
		}
		if l.run.Restarts > 0 && !l.ended {
			out.Jobs[id] = bridge.JobPast{
				Arrive: l.arrive, FirstStart: l.firstStart, LastStop: l.lastStop, Attained: l.attained,
				Preempted: stops(id, l.arrive),
			}
		}
	}
	users, recent := h.usage.sum(open, now)
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
		all[k].Used += u.Used
		all[k].Recent = recent[u.Account]
	}
	return all
}

func (h *history) clone() history {
	c := *h
	c.jobs, c.gone, c.samples = copied(h.jobs), copied(h.gone), slices.Clone(h.samples)
	c.usage.spans, c.usage.old, c.usage.place = slices.Clone(h.usage.spans), slices.Clone(h.usage.old), maps.Clone(h.usage.place)
	return c
}

func copied(lives map[int64]*life) map[int64]*life {
	out := make(map[int64]*life, len(lives))
	for id, l := range lives {
		kept := *l
		out[id] = &kept
	}
	return out
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
