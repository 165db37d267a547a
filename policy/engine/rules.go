package engine

import (
	"cmp"
	"time"

	"fairbridge/policy"
)

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
