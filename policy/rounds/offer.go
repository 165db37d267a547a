package rounds

import (
	"cmp"
	"slices"

	"fairbridge/policy/engine"
)

// jobOnType is a job on a type.
type jobOnType struct {
	jobIndex, typeIndex         int
	typePreference              int // place of the type among those of the job, the fastest for it first
	priority, deficit, fraction float64
}

// listJobsOnTypes returns every job on every type, first served first. A job that is due as
// much on several types begins with the one that is fastest for it.
func (s *AllocatorState) listJobsOnTypes(r *engine.Round) []jobOnType {
	w := len(s.Types)
	all, order := make([]jobOnType, 0, w*len(r.Entries)), make([]string, w)
	for i, e := range r.Entries {
		copy(order, s.Types)
		r.SortFastestFirst(e.Job, order)
		for k, typ := range s.Types {
			at := i*w + k
			x := max(s.Fractions[at], 0)
			all = append(all, jobOnType{i, k, slices.Index(order, typ), priorityOf(x, s.ReceivedSinceComputed[at], s.TotalReceivedByType[k]), s.DeficitSeconds[at], x})
		}
	}
	slices.SortFunc(all, jobOnType.compare)
	return all
}

// priorityOf is the fraction due over the fraction received.
func priorityOf(x, time, total float64) float64 {
	switch {
	case x == 0:
		return 0
	case total <= 0 || time/total == 0:
		return x * 1e9
	}
	return x / (time / total)
}

// compare puts first what is served first.
func (o jobOnType) compare(p jobOnType) int {
	switch {
	case o.priority != p.priority:
		return cmp.Compare(p.priority, o.priority)
	case o.deficit != p.deficit:
		return cmp.Compare(p.deficit, o.deficit)
	case o.fraction != p.fraction:
		return cmp.Compare(p.fraction, o.fraction)
	case o.jobIndex != p.jobIndex:
		return cmp.Compare(o.jobIndex, p.jobIndex)
	}
	return cmp.Compare(o.typePreference, p.typePreference)
}

// MayRunOnType reports whether the job may start, or run on, on GPUs of the type, and
// the cluster could hold it there.
func MayRunOnType(r *engine.Round, e *engine.Entry, typ string) bool {
	if want := e.Ask.GPUs.Type; want != typ && (want != "" || !slices.Contains(r.FreePool.WholeGPUTypes(), typ)) || !r.MayRun(e) {
		return false
	}
	if e.Training != nil && len(e.Training.Rates) > 0 {
		if rate, known := e.Training.Rate(typ); !known || rate <= 0 {
			return false
		}
	}
	if e.HoldsGPUs() && e.On.FirstType() == typ {
		return true
	}
	was := e.Grant
	e.Grant = engine.Grant{HasLease: true, GPUType: typ}
	ok := r.CheckEverFits(e) == nil && r.WindowError(e) == nil
	e.Grant = was
	return ok
}
