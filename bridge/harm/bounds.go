package harm

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Bounds say how much worse than under Slurm alone a partition may fare before it is
// demoted, and how sure that has to be. Percentages are of what Slurm alone would have done.
type Bounds struct {
	// Demote says whether a partition is demoted by itself; else its checks are only recorded.
	Demote bool `yaml:"demote"`
	// Window is how far back a check looks (duration).
	Window time.Duration `yaml:"window"`
	// Checks is how many checks in a row must show harm (checks, half an hour apart or more).
	Checks int `yaml:"checks"`
	// Jobs is how many jobs a figure must be of before it counts (jobs).
	Jobs int `yaml:"jobs"`
	// WaitPercent is how much longer all jobs may wait in the mean (percent), if that is also
	// more than WaitFloor (duration).
	WaitPercent float64       `yaml:"wait_percent"`
	WaitFloor   time.Duration `yaml:"wait_floor"`
	// SlowdownPercent is by how much the mean slowdown of all jobs may be greater (percent).
	SlowdownPercent float64 `yaml:"slowdown_percent"`
	// GroupFactor is how many times as much any one account may be worse off: a policy that shares gives
	// to some what it takes from others. Any one size of jobs may half as much: it has no share to give.
	GroupFactor float64 `yaml:"group_factor"`
	// IdlePercent is how many more of the GPUs may stand idle while jobs wait (percent of all).
	IdlePercent float64 `yaml:"idle_percent"`
	// Stops is how many stops of ours within the window have to earn what they cost (stops):
	// beyond that the mean wait of all jobs may be no more than a minute longer.
	Stops int `yaml:"stops"`
	// Lasts is how long a demotion stands (duration); 0: until a person clears it.
	Lasts time.Duration `yaml:"lasts"`
}

// DefaultBounds demote where all jobs wait a quarter longer, one account twice as
// long or one size half as long again, three hours in a row, and that is beyond what the simulation may be off.
func DefaultBounds() Bounds {
	return Bounds{
		Demote: true, Window: 24 * time.Hour, Checks: 3, Jobs: 30, WaitPercent: 25, WaitFloor: 10 * time.Minute,
		SlowdownPercent: 50, GroupFactor: 4, IdlePercent: 10, Stops: 10,
	}
}

// Validate reports every impossible value at once, each with its key.
func (b *Bounds) Validate() error {
	var errs []error
	check := func(key string, value, least, most float64, text string) {
		if !(value >= least && value <= most) {
			errs = append(errs, fmt.Errorf("%s: %s", key, text))
		}
	}
	check("window", b.Window.Hours(), 1, 14*24, fmt.Sprintf("%v is not between 1h and 336h", b.Window))
	check("checks", float64(b.Checks), 1, 100, fmt.Sprintf("%d is not between 1 and 100", b.Checks))
	check("jobs", float64(b.Jobs), 2, 1e6, fmt.Sprintf("%d is not between 2 and 1000000", b.Jobs))
	check("wait_percent", b.WaitPercent, 0, 10_000, fmt.Sprintf("%g is not between 0 and 10000", b.WaitPercent))
	check("wait_floor", b.WaitFloor.Hours(), 0, 7*24, fmt.Sprintf("%v is not between 0s and 168h", b.WaitFloor))
	check("slowdown_percent", b.SlowdownPercent, 0, 10_000, fmt.Sprintf("%g is not between 0 and 10000", b.SlowdownPercent))
	check("group_factor", b.GroupFactor, 1, 1000, fmt.Sprintf("%g is not between 1 and 1000", b.GroupFactor))
	check("idle_percent", b.IdlePercent, 0, 100, fmt.Sprintf("%g is not between 0 and 100", b.IdlePercent))
	check("stops", float64(b.Stops), 0, 1e6, fmt.Sprintf("%d is not between 0 and 1000000", b.Stops))
	check("lasts", b.Lasts.Hours(), 0, 365*24, fmt.Sprintf("%v is not between 0s and 8760h", b.Lasts))
	return errors.Join(errs...)
}

// A partition is looked at every hour, at many figures each time, and is not to be demoted by
// chance. So chance alone may show harm in a partition that fares as with Slurm alone no more than once in twenty
// months: a twentieth is shared out over all looks and figures of a month (Bonferroni's inequality, as in O. J.
// Dunn, "Multiple comparisons among means", JASA 1961). It holds however much looks and figures hang
// together, as they do, since a look sees most of what the last one saw.
const (
	falseAlarms    = 0.05 // a month and partition, at most
	looksPerMonth  = 30 * 24
	figuresPerLook = 100
)

// BandOf is by how much a figure may differ, by chance, from its mean over simulations of Slurm alone, of which
// so many were made, with such a standard deviation: were the partition as under Slurm alone, the day that there was
// would be one more of them. It is the prediction interval for one more value of a normal distribution (Student's,
// since the deviation is known from few).
func BandOf(deviation float64, simulations int) float64 {
	return bandOf(deviation, simulations, falseAlarms/(looksPerMonth*figuresPerLook))
}

// bandOf is BandOf for a chance of one look at one figure.
func bandOf(deviation float64, simulations int, chance float64) float64 {
	n := float64(max(simulations, 2))
	return studentQuantile(chance, n-1) * deviation * math.Sqrt(1+1/n)
}

// studentQuantile is what a value of Student's distribution exceeds with a small probability, by its
// expansion about the normal one (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5).
func studentQuantile(p, freedom float64) float64 {
	x := math.Sqrt2 * math.Erfinv(1-2*p)
	x2, v := x*x, freedom
	return x * (1 + (x2+1)/(4*v) + ((5*x2+16)*x2+3)/(96*v*v) + (((3*x2+19)*x2+17)*x2-15)/(384*v*v*v))
}
