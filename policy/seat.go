package policy

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// gang identifies all asks that find room or find none together.
type gang struct {
	partition               string
	gpus                    GPUs
	nodes, most, each, cpus int
	mem                     int64
	names                   string
}

func (e *Entry) key() gang {
	a := e.Gang()
	g := gang{e.Partition, a.GPUs, a.Nodes, a.MaxNodes, a.PerNode, a.CPUs, a.MemMB, ""}
	if len(a.Require)+len(a.Exclude)+len(a.Features) > 0 {
		lists := []string{strings.Join(a.Require, ","), strings.Join(a.Exclude, ","), strings.Join(a.Features, ",")}
		g.names = strings.Join(lists, ";")
	}
	return g
}

// memo remembers why a gang found no room.
type memo map[gang]error

// Possible says why the gang could not even start if nobody ran; nil when it
// could.
func (r *Round) Possible(e *Entry) error {
	if r.empty == nil {
		r.empty, r.never = newEmptyPool(r.Snapshot), memo{}
	}
	k := e.key()
	err, ok := r.never[k]
	if !ok && !r.empty.fits(e.Partition, e.Gang()) {
		_, err = Fit(r.empty, e.Partition, e.Gang())
	}
	r.never[k] = err
	return err
}

// place finds free devices, as the Placer likes them.
func (w *walk) place(e *Entry) (Alloc, error) {
	k := e.key()
	if err := w.full[k]; err != nil {
		return nil, err
	}
	on, err := Fit(w.Free, e.Partition, e.Gang())
	if err != nil {
		w.full[k] = err
	} else if w.p.Place != nil {
		return w.p.Place.Place(w.Round, e)
	}
	return on, err
}

// seat finds free devices that no judge objects to, and takes them.
func (w *walk) seat(e *Entry) (Alloc, error) {
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
func (e *Entry) off(on Alloc) *Entry {
	c, j := *e, *e.Job
	j.Ask.Exclude = append(slices.Clone(j.Ask.Exclude), on.Nodes()...)
	slices.Sort(j.Ask.Exclude)
	c.Job = &j
	return &c
}

// judged returns the first objection of a blocked job's guard.
func (w *walk) judged(e *Entry, on Alloc) error {
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

func (w *walk) take(e *Entry, on Alloc) error {
	a := e.Gang()
	return w.Free.Take(on, a.CPUs, a.MemMB)
}
