package sizing

import (
	"cmp"
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/scaling"
)

// Speed is how fast the job goes on so many devices, relative to what it asks.
func Speed(e *engine.Entry, devices int) float64 {
	return scaling.New(e.Job).Speed(scaling.Size{Type: TypeOf(e), Devices: devices})
}

// SortFastestFirst sorts types of whole GPUs, which have the order of Round.GPUTypes, as the job
// would best have them: by its curve on what it asks where that tells of them all, else by what it
// reports, as the engine sorts them for all jobs. The engine does not know curves.
func SortFastestFirst(r *engine.Round, e *engine.Entry, types []string) {
	r.SortFastestFirst(e.Job, types)
	curve := scaling.New(e.Job)
	if len(types) < 2 || slices.ContainsFunc(types, func(t string) bool { return !curve.TellsType(t) }) {
		return
	}
	speeds := make(map[string]float64, len(types))
	for _, t := range types {
		speeds[t] = curve.Speed(scaling.Size{Type: t, Devices: e.Ask.GPUs.Count})
	}
	slices.SortStableFunc(types, func(a, b string) int { return cmp.Compare(speeds[b], speeds[a]) })
}
