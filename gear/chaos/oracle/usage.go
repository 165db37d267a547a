package oracle

import (
	"context"
	"fmt"
	"time"

	"fairbridge/gear/chaos/site"
	"fairbridge/replica/sim"
)

// minJobAge is how long Slurm lists a job that has ended.
const minJobAge = 5 * time.Minute

// usageCheck compares what is recorded of usage with what was used.
type usageCheck struct {
	cause        string // of too much that is recorded; "": none is known
	database     Database
	world        *sim.World
	site         site.Site
	lastRecorded time.Time     // when usage was last recorded by the truth
	unseenTime   time.Duration // how long ends of runs could not be seen
}

// noteUsageRecorded notes that usage is recorded from what was true then.
func (u *usageCheck) noteUsageRecorded(at time.Time) {
	if since := at.Sub(u.lastRecorded); since > minJobAge-site.CycleInterval {
		u.unseenTime += since
	}
	u.lastRecorded = at
}

// noteDatabaseRestored notes that the database is as it was then.
func (u *usageCheck) noteDatabaseRestored(at time.Time) {
	u.unseenTime += u.world.Now().Sub(at)
	if at.Before(u.lastRecorded) {
		u.lastRecorded = at
	}
}

// I18: recorded usage never exceeds what was used, to the second of each run.
func (u *usageCheck) checkNotOverRecorded() string {
	used, runs := u.actualUsage()
	ahead := u.world.Now().Sub(u.lastRecorded).Seconds() * u.gpuCount() // runs that ended since
	if sum := u.recordedUsage(); sum > used+u.roundingError(runs)+ahead {
		return fmt.Sprintf("%.0f GPU seconds are recorded, %.0f were used", sum, used)
	}
	return ""
}

// I17: once all is well again, nothing is missing but what ended while no daemon
// could look.
func (u *usageCheck) checkNotUnderRecorded() string {
	used, runs := u.actualUsage()
	if sum := u.recordedUsage(); sum < used-u.roundingError(runs)-u.unseenTime.Seconds()*u.gpuCount() {
		return fmt.Sprintf("%.0f GPU seconds are recorded, %.0f were used, and for %v nobody could look", sum, used, u.unseenTime)
	}
	return ""
}

func (u *usageCheck) gpuCount() float64 { return float64(u.site.NodeCount * u.site.GPUsPerNode) }

// roundingError is how far off the sum over so many runs may be, each by a second at
// either end.
func (u *usageCheck) roundingError(runs float64) float64 {
	return runs * u.gpuCount() / float64(u.site.NodeCount) * 2
}

// recordedUsage is all usage that is recorded, with that of runs under way.
func (u *usageCheck) recordedUsage() float64 {
	past, err := u.database.Past(context.Background(), site.ClusterName, u.world.Now())
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
func (u *usageCheck) actualUsage() (gpuSeconds, runs float64) {
	for _, s := range u.world.EndedRuns() {
		gpuSeconds += s.End.Sub(s.Start).Seconds() * float64(s.GPUCount)
		runs++
	}
	for _, j := range u.world.Jobs() {
		if j.State == "RUNNING" {
			gpuSeconds += u.world.Now().Sub(j.Start).Seconds() * float64(heldGPUCount(&j))
			runs++
		}
	}
	return gpuSeconds, runs
}
