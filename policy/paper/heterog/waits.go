package heterog

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy/engine"
)

// waits are how long GPUs of a type take to come free, as running jobs are predicted to end. It
// counts GPUs wherever they are.
type waits struct {
	round          *engine.Round
	releasesByType map[string][]release // sooner ones first
}

type release struct {
	after   time.Duration
	devices int
}

func newWaits(r *engine.Round) *waits {
	w := &waits{r, map[string][]release{}}
	for _, e := range r.RunningEntries() {
		after, ok := engine.RunLengthByEstimate(r, e)
		if !ok {
			continue
		}
		for _, slot := range e.On {
			w.releasesByType[slot.Type] = append(w.releasesByType[slot.Type], release{after, slot.Count})
		}
	}
	for _, all := range w.releasesByType {
		slices.SortStableFunc(all, func(a, b release) int { return cmp.Compare(a.after, b.after) })
	}
	return w
}

// until returns after how long as many devices of the type are free; ok is false when that is not known.
func (w *waits) until(gpuType string, devices int) (after time.Duration, ok bool) {
	free := w.round.FreePool.TotalFree(gpuType)
	for _, r := range w.releasesByType[gpuType] {
		if free >= devices {
			break
		}
		free, after = free+r.devices, r.after
	}
	return after, free >= devices
}
