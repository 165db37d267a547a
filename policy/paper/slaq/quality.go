package slaq

import (
	"fmt"
	"math"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/sizing"
)

// quality chooses the sizes of jobs by how their losses fall.
type quality struct{ *Policy }

// Allocate implements engine.Allocator.
func (q quality) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	line, err := order.ByArrival{}.Order(r)
	if err != nil {
		return nil, err
	}
	d := sizing.NewDraft(r)
	forecasts := forecastAll(line)
	q.divide(d, line, forecasts)
	if !d.Holds(line) { // the engine would find other places: better change no job that runs
		d.StartWaiting(line, sizeToStart(forecasts))
	}
	if !r.OmitReasons {
		q.explain(d, line, forecasts)
	}
	assigned := d.Assignments(line)
	for i := range assigned {
		if e := assigned[i].Entry; d.Size(e) == 0 && forecasts[e.Index] == nil {
			assigned[i].DeviceCount = e.DeviceCount()
		}
	}
	d.Close()
	return assigned, nil
}

// forecastAll returns what is foretold of each entry's loss, by Entry.Index; nil: it does not
// take part.
func forecastAll(line []*engine.Entry) []*forecast {
	all := make([]*forecast, len(line))
	for _, e := range line {
		if sizing.HasRange(e) {
			all[e.Index] = newForecast(e)
		}
	}
	return all
}

// divide lets those that take part begin with their least size, admits the jobs that wait, and
// gives what is left device by device to where losses fall most.
func (q quality) divide(d *sizing.Draft, line []*engine.Entry, forecasts []*forecast) {
	var part []*engine.Entry
	for _, e := range line {
		if forecasts[e.Index] != nil && sizing.MayResize(e) {
			d.TrySize(e, e.MinGPUs, nil)
			part = append(part, e)
		}
	}
	d.StartWaiting(line, sizeToStart(forecasts))
	for _, e := range line {
		if forecasts[e.Index] != nil && !e.HoldsGPUs() && d.Size(e) > 0 {
			part = append(part, e)
		}
	}
	q.growth(d, forecasts).Run(d, part)
	sizing.KeepUnlessWorth(d, part, func(e *engine.Entry, devices int) bool { return q.worthRestart(e, forecasts[e.Index], devices) })
}

// sizeToStart is the size on which a job that waits starts, in order of arrival: one that takes part
// with its least, any other with what it asks.
func sizeToStart(forecasts []*forecast) func(*engine.Entry) int {
	return func(e *engine.Entry) int {
		if forecasts[e.Index] != nil {
			return e.MinGPUs
		}
		return e.Ask.GPUs.Count
	}
}

// growth gives devices by the fall of the loss that each brings.
func (q quality) growth(d *sizing.Draft, forecasts []*forecast) sizing.Growth {
	return sizing.Growth{
		Gain: func(e *engine.Entry, devices int) float64 {
			has := d.Size(e)
			return (q.fall(e, forecasts[e.Index], devices) - q.fall(e, forecasts[e.Index], has)) / float64(devices-has)
		},
		Next: func(_ *engine.Entry, devices int) int { return devices + 1 },
	}
}

// fall is how much the loss falls within the round on so many devices.
func (q quality) fall(e *engine.Entry, f *forecast, devices int) float64 {
	return f.fall(e, devices, q.Round.Seconds())
}

// worthRestart reports whether a running job grows enough, and its loss falls further within
// the round although it is started again.
func (q quality) worthRestart(e *engine.Entry, f *forecast, devices int) bool {
	rule := sizing.RestartRule{MinStep: q.Step}
	runs := max((q.Round - rule.CostOf(e.Job)).Seconds(), 0)
	return rule.IsWorthGrowing(e, devices, math.Inf(1)) && f.fall(e, devices, runs) > q.fall(e, f, e.On.Count())
}

// explain notes what is foretold.
func (q quality) explain(d *sizing.Draft, line []*engine.Entry, forecasts []*forecast) {
	for _, e := range line {
		f, n := forecasts[e.Index], d.Size(e)
		switch {
		case f != nil && f.isNew:
			e.Note = "it has not reported enough losses yet to foretell the next, and may have what it asks"
		case f != nil && n > 0:
			e.Note = fmt.Sprintf("on %s its loss falls by %.2g %% of what it fell so far within %s", policy.FormatCount(n, "GPU"), 100*q.fall(e, f, n), policy.FormatDuration(q.Round))
		case f == nil:
			e.Note = "by arrival: it gets what it asks, since it does not take part with losses and a range"
		}
	}
}
