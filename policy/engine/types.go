package engine

import (
	"cmp"
	"slices"

	"fairbridge/policy"
)

// Has reports whether the cluster has GPUs of the type; where no cluster is
// given, it may have any.
func (r *Round) Has(typ string) bool { return r == nil || r.Free == nil || r.Free.HasType(typ) }

// types returns the types of GPU to try for a job that takes any, in their
// order: the fastest for it first. A type that waiting jobs insist on, and of
// which they leave it too few, comes after those that serve it as well. nil: as
// the pool has them.
func (w *walk) types(e *Entry) []string {
	whole := w.Free.WholeTypes()
	if len(whole) < 2 || e.Gang().GPUs.Type != "" {
		return nil
	}
	order := slices.Clone(whole)
	w.Fastest(e.Job, order)
	w.wanted()
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(w.scarce(e, a), w.scarce(e, b)) })
	return order
}

// scarce is 1 where waiting jobs that insist on the type leave too few for e.
func (w *walk) scarce(e *Entry, typ string) int {
	if n := w.insist[typ]; n > 0 && w.Free.TotalFree(typ)-n < e.Want {
		return 1
	}
	return 0
}

// wanted counts, by type, the devices that waiting jobs insist on.
func (w *walk) wanted() {
	if w.insist != nil {
		return
	}
	w.insist = map[string]int{}
	for _, e := range w.line {
		if typ := e.Ask.GPUs.Type; typ != "" && e.Want > 0 && !e.Active() && e.verdict.verb != policy.Start && w.Startable(e) && w.Possible(e) == nil {
			w.insist[typ] += e.Want
		}
	}
}
