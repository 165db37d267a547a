package oracle

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/sim"
)

// minJobAge is how long Slurm lists a job that has ended.
const minJobAge = 5 * time.Minute

// usage compares what is recorded of usage with what was used.
type usage struct {
	db     Database
	world  *sim.World
	site   site.Site
	seen   time.Time     // when usage was last recorded by the truth
	unseen time.Duration // how long ends of runs could not be seen
}

// noteRecorded notes that usage is recorded from what is true.
func (u *usage) noteRecorded() {
	if since := u.world.Now().Sub(u.seen); since > minJobAge-site.Interval {
		u.unseen += since
	}
	u.seen = u.world.Now()
}

// noteRestored notes that the database is as it was then.
func (u *usage) noteRestored(at time.Time) {
	u.unseen += u.world.Now().Sub(at)
	if at.Before(u.seen) {
		u.seen = at
	}
}

// I18: recorded usage never exceeds what was used, to the second of each run.
func (u *usage) tooMuch() string {
	used, runs := u.actualUsage()
	ahead := u.world.Now().Sub(u.seen).Seconds() * u.capacity() // runs that ended since
	if sum := u.recordedUsage(); sum > used+u.roundingError(runs)+ahead {
		return fmt.Sprintf("%.0f GPU seconds are recorded, %.0f were used", sum, used)
	}
	return ""
}

// I17: once all is well again, nothing is missing but what ended while no daemon
// could look.
func (u *usage) tooLittle() string {
	used, runs := u.actualUsage()
	if sum := u.recordedUsage(); sum < used-u.roundingError(runs)-u.unseen.Seconds()*u.capacity() {
		return fmt.Sprintf("%.0f GPU seconds are recorded, %.0f were used, and for %v nobody could look", sum, used, u.unseen)
	}
	return ""
}

func (u *usage) capacity() float64 { return float64(u.site.Nodes * u.site.GPUs) }

// roundingError is how far off the sum over so many runs may be, each by a second at
// either end.
func (u *usage) roundingError(runs float64) float64 {
	return runs * u.capacity() / float64(u.site.Nodes) * 2
}

// recordedUsage is all usage that is recorded, with that of runs under way.
func (u *usage) recordedUsage() float64 {
	past, err := u.db.Past(context.Background(), site.Cluster, u.world.Now())
	if err != nil {
		return 0
	}
	sum := 0.0
	for _, x := range past.Users {
		sum += float64(x.UsedService)
	}
	return sum
}

// actualUsage is the truth, and of how many runs.
func (u *usage) actualUsage() (gpuSeconds, runs float64) {
	for _, s := range u.world.EndedRuns() {
		gpuSeconds += s.End.Sub(s.Start).Seconds() * float64(s.GPUCount)
		runs++
	}
	for _, j := range u.world.Jobs() {
		if j.State == "RUNNING" {
			gpuSeconds += u.world.Now().Sub(j.Start).Seconds() * float64(gpusHeld(&j))
			runs++
		}
	}
	return gpuSeconds, runs
}
