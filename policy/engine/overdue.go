package engine

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
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

// Rules are what every Pipeline keeps, whatever its stages say.
type Rules struct {
	// MinRun is the shortest run before a job may be stopped or resized; 0: 10
	// minutes. A job whose CheckpointCost is known runs at least MinRunCheckpoints times that.
	MinRun            time.Duration
	MinRunCheckpoints int // 0: 20; negative: they do not count
	// MaxStops is how often a job may be stopped in its life; 0: 3, negative:
	// without limit.
	MaxStops int
	// MaxWait is how long a job may wait before it goes to the front of the line
	// and gets a reservation that no job may delay; 0: 24 hours, negative: for ever, and then
	// sizes that are chosen for others may delay it too (sizeTurns).
	MaxWait time.Duration
	// PatienceFactor is how many times its own length (RunLengthByForecast) a job waits, and
	// MinPatience what it waits at least, before it goes to the front likewise, if
	// stopping others could never make room for it; PatienceFactor 0: only MaxWait
	// counts. Without MaxWait there is none either.
	PatienceFactor float64
	MinPatience    time.Duration // 0: 2 hours
	// MaxFruitlessSearches bounds the fruitless searches of one round: for victims, and for
	// other nodes after a check objected; 0: 256 of each.
	MaxFruitlessSearches int
}

// Defaults that are asked for often.
const (
	defaultMinRun            = 10 * time.Minute
	defaultMinRunCheckpoints = 20
	defaultMaxStops          = 3
)

func (r Rules) withDefaults() Rules {
	r.MinRun = cmp.Or(r.MinRun, defaultMinRun)
	r.MinRunCheckpoints = cmp.Or(r.MinRunCheckpoints, defaultMinRunCheckpoints)
	r.MaxStops = cmp.Or(r.MaxStops, defaultMaxStops)
	r.MaxWait = cmp.Or(r.MaxWait, 24*time.Hour)
	r.MinPatience = cmp.Or(r.MinPatience, 2*time.Hour)
	r.MaxFruitlessSearches = cmp.Or(r.MaxFruitlessSearches, 256)
	return r
}

// isStoppable reports whether the rules let a running job be stopped at now.
func (r Rules) isStoppable(j *policy.Job, now time.Time) bool {
	return r.IsEverStoppable(j) && j.Ran(now) >= r.LeastRun(j)
}

// LeastRun is how long the job runs at the least before it may be stopped.
func (r Rules) LeastRun(j *policy.Job) time.Duration {
	checkpoints := cmp.Or(r.MinRunCheckpoints, defaultMinRunCheckpoints)
	return max(cmp.Or(r.MinRun, defaultMinRun), time.Duration(checkpoints)*j.CheckpointCost)
}

// isStoppable reports whether the rules let a running job be stopped, and it could
// start again at once if there were room: not when its limit reaches into a
// maintenance, which it would have to wait for.
func (r *Round) isStoppable(rules Rules, e *Entry) bool {
	return (rules.isStoppable(e.Job, r.Now) || isRecallable(r, e.Job)) && r.WindowError(e) == nil
}

// IsEverStoppable reports whether the rules let a running job be stopped now or later.
func (r Rules) IsEverStoppable(j *policy.Job) bool {
	mayStopAgain := r.MaxStops < 0 || j.StopCount < cmp.Or(r.MaxStops, defaultMaxStops)
	return j.State == policy.Running && j.UnstoppableReason == "" && len(j.On) > 0 && mayStopAgain
}
