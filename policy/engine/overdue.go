package engine

import (
	"cmp"
	"slices"
	"time"
)

// moveOverdueFirst moves the jobs that waited too long and could ever run to the front,
// the one that was due first before the others.
func (r *Round) moveOverdueFirst(rules Rules, line []*Entry) []*Entry {
	var overdue []*Entry
	for _, e := range line {
		if e.verdict.overdueBy = rules.OverdueBy(r, e); e.verdict.overdueBy > 0 && e.WantedDeviceCount > 0 && r.CheckEverFits(e) == nil {
			e.verdict.isOverdue = true
			overdue = append(overdue, e)
		}
	}
	if len(overdue) == 0 {
		return line
	}
	slices.SortFunc(overdue, func(a, b *Entry) int {
		return ThenArrival(cmp.Compare(b.verdict.overdueBy, a.verdict.overdueBy), a, b)
	})
	return appendMatching(overdue, line, func(e *Entry) bool { return !e.verdict.isOverdue })
}

// OverdueBy returns for how much longer than it may a pending job has waited since it
// could start; not more than 0: it may wait.
func (r Rules) OverdueBy(round *Round, e *Entry) time.Duration {
	if e.RefusedBecause != nil || !e.CanStart(round.Now) {
		return 0
	}
	if r = r.withDefaults(); r.MaxWait < 0 {
		return 0
	}
	return min(e.Waited(round.Now), round.Now.Sub(e.EligibleAt)) - r.allowedWait(round, e)
}

// ReservationRunLength says how long others are thought to run where a place is reserved for
// the job: RunLengthByForecast, and RunLengthByLimit where forecasts have cost it too much.
func (r Rules) ReservationRunLength(round *Round, e *Entry) RunLength {
	if r.DistrustsForecasts(round, e) {
		return RunLengthByLimit
	}
	return RunLengthByForecast
}

// DistrustsForecasts reports whether the job waited twice as long as it may, or more than MaxWait.
// Forecasts may be wrong, and must not be so at its cost for ever.
func (r Rules) DistrustsForecasts(round *Round, e *Entry) bool {
	late, waited := r.OverdueBy(round, e), min(e.Waited(round.Now), round.Now.Sub(e.EligibleAt))
	return 2*late > waited || late > 0 && waited > r.withDefaults().MaxWait
}

// allowedWait is MaxWait, or less by PatienceFactor for a job that stopping others could
// not help; the others' turn will come.
func (r Rules) allowedWait(round *Round, e *Entry) time.Duration {
	if r.PatienceFactor <= 0 || e.DeviceCount() <= round.countStoppableDevices(r, e) {
		return r.MaxWait
	}
	length, ok := RunLengthByForecast(round, e)
	if !ok || r.PatienceFactor*length.Seconds() >= r.MaxWait.Seconds() {
		return r.MaxWait
	}
	return min(max(time.Duration(r.PatienceFactor*float64(length)), r.MinPatience), r.MaxWait)
}

// countStoppableDevices counts the devices that the entry may use and that jobs hold that may
// be stopped now or later. Stopping a job of another GPU type makes no room for it.
func (r *Round) countStoppableDevices(rules Rules, e *Entry) (n int) {
	if r.stoppableDevicesByType == nil {
		r.stoppableDevicesByType = map[string]int{}
		for _, running := range r.RunningEntries() {
			for _, slot := range running.On {
				if rules.IsEverStoppable(running.Job) {
					r.stoppableDevicesByType[slot.Type] += slot.Count
				}
			}
		}
	}
	if typ := e.Ask.GPUs.Type; typ != "" {
		return r.stoppableDevicesByType[typ]
	}
	for _, typ := range r.FreePool.WholeGPUTypes() {
		n += r.stoppableDevicesByType[typ]
	}
	return n
}
