package engine

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/pool"
)

// gang identifies all asks that find room or find none together.
type gang struct {
	partition               string
	gpus                    policy.GPUs
	nodes, most, each, cpus int
	mem                     int64
	names                   string
	reach                   int // see Pool.reach
}

func gangOf(partition string, a *policy.Ask) gang {
	g := gang{partition: partition, gpus: a.GPUs, nodes: a.Nodes, most: a.MaxNodes, each: a.PerNode, cpus: a.CPUs, mem: a.MemMB}
	if len(a.Require)+len(a.Exclude)+len(a.Features) > 0 {
		lists := []string{strings.Join(a.Require, ","), strings.Join(a.Exclude, ","), strings.Join(a.Features, ",")}
		g.names = strings.Join(lists, ";")
	}
	return g
}

// kind is what is found out about a gang in the course of a round.
type kind struct {
	asked bool              // whether it could start if nobody ran
	never error             // why not
	tried bool              // whether it could start so before nodes are set aside
	shut  *pool.WindowError // why not, but for the limit, which another job may have shorter

	full  error // why it has no room; of no use once devices were given back
	given int   // walk.given when full was found

	failed bool // stopping jobs of a tier larger than this one made no room
	tier   int
}

// sought is a kind, and what of an entry it was found for.
type sought struct {
	*kind
	job  *policy.Job
	want int
	typ  string
}

// kind returns what is known of the entry's gang.
func (r *Round) kind(e *Entry) *kind {
	typ := ""
	if e.Grant.Run {
		typ = e.Grant.Type
	}
	if s := &e.sought; s.kind != nil && s.job == e.Job && s.want == e.Want && s.typ == typ {
		return s.kind
	}
	a := e.Gang()
	g := gangOf(e.Partition, &a)
	g.reach = r.none().WindowsReached(a.Limit)
	k := r.kinds[g]
	if k == nil {
		if r.kinds == nil {
			r.kinds = map[gang]*kind{}
		}
		k = &kind{}
		r.kinds[g] = k
	}
	e.sought = sought{k, e.Job, e.Want, typ}
	return k
}

// Possible says why the gang could not even start if nobody ran; nil when it
// could.
func (r *Round) Possible(e *Entry) error {
	k := r.kind(e)
	if k.asked {
		return k.never
	}
	p := r.ever()
	if a := e.Gang(); !p.Fits(e.Partition, a) {
		_, k.never = pool.Fit(p, e.Partition, a)
	}
	k.asked = true
	return k.never
}

// ever returns the pool as if no job ran, whenever.
func (r *Round) ever() *pool.Pool {
	if now := r.none(); !now.HasWindows() {
		return now
	}
	if r.empty == nil {
		r.empty = pool.Empty(r.Nodes, time.Time{})
	}
	return r.empty
}

// none returns the pool as if no job ran now.
func (r *Round) none() *pool.Pool {
	if r.before == nil {
		r.before = pool.Empty(r.Nodes, r.Now)
	}
	return r.before
}

// WindowError says why the gang could not start now even if no job ran, although it
// could at another time: its time limit reaches into windows in which nodes are
// set aside. nil where that keeps it from nothing.
func (r *Round) WindowError(e *Entry) error {
	p := r.none()
	if !p.HasWindows() {
		return nil
	}
	k := r.kind(e)
	if a := e.Gang(); !k.tried && !p.Fits(e.Partition, a) && r.Possible(e) == nil {
		k.shut = p.ExplainWindows(e.Partition, a)
	}
	k.tried = true
	if k.shut == nil {
		return nil
	}
	why := *k.shut
	why.Limit = e.Limit
	return &why
}

// place is find, and remembers what has no room.
func (w *walk) place(e *Entry) (policy.Alloc, error) {
	if err := w.full(e); err != nil {
		return nil, err
	}
	on, err, full := w.find(e)
	if full {
		k := w.kind(e)
		k.full, k.given = err, w.given
	}
	return on, err
}

// find finds free devices, as the Placer likes them. It reports whether there
// are none at all.
func (w *walk) find(e *Entry) (on policy.Alloc, err error, full bool) {
	e.types = w.types(e)
	on, err = pool.Fit(w.Free, e.Partition, e.Gang())
	if err == nil && w.p.Place != nil {
		on, err = w.p.Place.Place(w.Round, e)
		return on, err, false
	}
	return on, err, err != nil
}

// full says why the gang is known to have no room; nil when nobody looked since
// devices were last given back.
func (w *walk) full(e *Entry) error {
	if k := w.kind(e); k.given == w.given {
		return k.full
	}
	return nil
}

// seat finds free devices that no judge objects to, and takes them.
func (w *walk) seat(e *Entry) (policy.Alloc, error) {
	var objection error
	at := e
	for {
		on, err := w.place(at)
		if err != nil {
			return nil, cmp.Or(objection, err)
		}
		if objection = w.judged(e, on); objection == nil {
			return on, w.take(e, on)
		}
		if !errors.Is(objection, ErrPlace) || len(at.Ask.Exclude) > len(e.Ask.Exclude)+8 || w.tries.nodes >= w.rules.Tries {
			return nil, objection
		}
		w.tries.nodes++
		at = at.off(on)
	}
}

// off returns a copy of the entry that excludes the nodes of on too.
func (e *Entry) off(on policy.Alloc) *Entry {
	c, j := *e, *e.Job
	j.Ask.Exclude = append(slices.Clone(j.Ask.Exclude), on.Nodes()...)
	slices.Sort(j.Ask.Exclude)
	c.Job = &j
	return &c
}

// judged returns the first objection of a blocked job's guard.
func (w *walk) judged(e *Entry, on policy.Alloc) error {
	for _, j := range w.judges {
		if j.pass == nil {
			continue // strict: its lane was turned away before
		}
		if err := j.pass(e, on); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) take(e *Entry, on policy.Alloc) error {
	a := e.Gang()
	return w.Free.Take(on, a.CPUs, a.MemMB)
}
