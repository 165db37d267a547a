package sim

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// entry is a job in the line of one of its partitions.
type entry struct {
	j *job
	p *partition
}

// wake asks for a main pass soon: at once when there was none for a while,
// else when BatchDelay has passed since the last.
func (w *World) wake() {
	w.dirty = w.Now()
	at := w.Now().Add(200 * time.Millisecond)
	if t := w.lastPass.Add(w.cfg.BatchDelay); t.After(at) {
		at = t
	}
	if !w.passAt.IsZero() {
		return
	}
	w.passAt = at
	w.At(at, func() {
		w.passAt = time.Time{}
		w.pass(w.cfg.QueueDepth)
	})
}

// line returns the jobs that could start, in Slurm's order: tier, priority,
// job id. The others learn why they wait.
func (w *World) line() []entry {
	var out []entry
	for _, j := range w.order {
		if j.state != pending || j.completing {
			continue
		}
		if r := w.keeps(j); r != "" {
			j.reason = r
			continue
		}
		w.accrue(j)
		for _, name := range strings.Split(j.spec.Partition, ",") {
			p := w.part(name)
			switch {
			case p == nil || p.Down:
				j.reason = "PartitionDown"
			case p.MaxTime > 0 && j.spec.Limit > p.MaxTime:
				j.reason = "PartitionTimeLimit"
			default:
				out = append(out, entry{j, p})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y entry) int {
		return cmp.Or(cmp.Compare(y.p.Tier, x.p.Tier), cmp.Compare(y.j.priority, x.j.priority), cmp.Compare(x.j.id, y.j.id))
	})
	return out
}

// keeps says what other than resources and order keeps a pending job waiting.
func (w *World) keeps(j *job) string {
	switch {
	case j.held():
		return j.hold
	case j.begin.After(w.Now()):
		return "BeginTime"
	}
	if r := w.waitsFor(j); r != "" {
		return r
	}
	if w.atLimit(j) {
		return "JobArrayTaskLimit"
	}
	return w.reserved(j)
}

// pass is Slurm's main scheduler: strictly in order, and the first job of a
// partition that finds no place ends the partition's turn. A job that waits
// for particular nodes blocks only those.
func (w *World) pass(depth int) {
	w.lastPass = w.Now()
	if depth == 0 && !w.news(w.lastFull) {
		return
	}
	if depth == 0 {
		w.lastFull = w.Now()
	}
	blocked, banned := map[*partition]bool{}, map[*node]bool{}
	for i, e := range w.line() {
		switch {
		case e.j.state != pending: // started in another of its partitions
		case depth > 0 && i >= depth || blocked[e.p]:
			e.j.reason = "Priority"
		case w.tryAll(e, banned):
		case len(e.j.spec.Required) > 0:
			for _, name := range e.j.spec.Required {
				banned[w.byName[name]] = true
			}
		default:
			blocked[e.p] = true
		}
	}
}

// tryAll starts the job, or as many tasks of an array as fit. It reports false
// when something was left over for lack of room.
func (w *World) tryAll(e entry, banned map[*node]bool) bool {
	for {
		list, ok := candidates(e.j, e.p)
		list = slices.DeleteFunc(list, func(n *node) bool { return banned[n] && !contains(e.j.spec.Required, n.Name) })
		if !ok {
			e.j.reason = "ReqNodeNotAvail"
			return false
		}
		list, why, ok := w.openTo(e.j, e.p, w.within(e.j, list))
		if !ok {
			e.j.reason = why
			return false
		}
		slots := e.j.ask().fit(list, (*node).room)
		if slots == nil {
			e.j.reason = "Resources"
			return false
		}
		if w.start(e.j, e.p, slots, "main") == e.j || w.atLimit(e.j) {
			return true
		}
	}
}

// news reports whether anything happened since t that could let a job start: a
// change, or a begin time that came.
func (w *World) news(t time.Time) bool {
	if t.IsZero() || !w.dirty.Before(t) {
		return true
	}
	for _, j := range w.order {
		if j.state == pending && j.begin.After(t) && !j.begin.After(w.Now()) {
			return true
		}
	}
	return false
}
