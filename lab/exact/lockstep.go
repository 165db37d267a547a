package exact

import (
	"fmt"

	"fairbridge/replica/goodput"
	"fairbridge/replica/workload"
)

// lockstepEngine is the clock of Pollux' and Sia's simulators: in every interval all jobs go on
// first, and then the policy is asked. A job that ends leaves its GPUs idle until then, and a
// job waits at least for the end of the interval in which it arrives.
type lockstepEngine struct {
	*engine
	lastFinish float64
}

// simulate runs until all jobs are done.
func (l *lockstepEngine) simulate() error {
	for l.endedTotalCount < len(l.jobs) {
		l.runInterval()
		l.admitArrivals()
		if len(l.presentJobs) == 0 {
			continue
		}
		if err := l.decideAndCarryOut(); err != nil {
			return err
		}
		if !l.mayStartLater(l.Clock.LockstepInterval) {
			return l.deadlockError()
		}
	}
	l.now = l.lastFinish
	return nil
}

// runInterval lets all running jobs go on until the next decision.
func (l *lockstepEngine) runInterval() {
	seconds := l.Clock.LockstepInterval.Seconds()
	l.contention.add(float64(len(l.presentJobs)), seconds)
	for _, j := range l.runningJobs {
		l.runJob(j, seconds)
	}
	l.now += seconds
	l.removeEnded()
}

// runJob lets a job go on for so many seconds. What it waits for its restart counts as service.
func (l *lockstepEngine) runJob(j *job, seconds float64) {
	paid := min(seconds, j.restartSecondsLeft)
	j.restartSecondsLeft -= paid
	used, complete := l.advance(j, seconds-paid)
	gpus := float64(j.heldAlloc.Count())
	l.addRunTime(j, used, paid+used)
	j.serviceSinceDecision += paid * gpus
	j.outcome.LostService += paid * gpus
	if complete {
		l.lastFinish = max(l.lastFinish, l.now+paid+used)
		l.endJob(j, l.now+paid+used)
	}
}

// advance lets a job make progress. It returns the seconds it needed, and whether it is
// complete.
func (l *lockstepEngine) advance(j *job, seconds float64) (used float64, complete bool) {
	if j.run != nil {
		used, complete = j.run.Advance(seconds)
		j.doneUnits, _ = j.run.Done()
		j.unitsPerSecond = j.run.Goodput()
		return used, complete
	}
	if left := j.totalUnits - j.doneUnits; left <= j.unitsPerSecond*seconds {
		j.doneUnits = j.totalUnits
		return left / j.unitsPerSecond, true
	}
	j.doneUnits += j.unitsPerSecond * seconds
	if j.updateWantedBatch(); j.Training != nil && l.trainingReports.changeBatchSize(j) {
		j.unitsPerSecond = l.speeds.speedOf(j, &l.cluster)
	}
	return seconds, false
}

// loadGoodputJob prepares a job whose speed stands in a profile.
func (l *jobLoader) loadGoodputJob(j *job) error {
	j.unitRatesByType = make([]float64, len(l.speeds.gpuTypes))
	j.run = goodput.NewRun(*j.Goodput, l.information)
	_, j.totalUnits = j.run.Done()
	for k, typ := range l.gpuTypes {
		if seconds := j.Goodput.ExclusiveSeconds(typ.Name, j.GPUs, typ.PerNode); seconds > 0 {
			j.unitRatesByType[k] = j.totalUnits / seconds
		}
	}
	home := l.speeds.referenceGPUType(j)
	if home < 0 {
		return fmt.Errorf("%s: the profile of %s has no steps on the types %v", j.Location(), j.Goodput.Name, l.speeds.gpuTypes)
	}
	j.outcome.ExclusiveRunSeconds = j.totalUnits / j.unitRatesByType[home]
	return nil
}

// CheckClockSuits says why jobs cannot be simulated by the clock: those with profiles need one
// that goes on in lockstep.
func CheckClockSuits(jobs []workload.Job, c Clock) error {
	for i := range jobs {
		if jobs[i].Goodput != nil && c.LockstepInterval == 0 {
			return fmt.Errorf("%s: its speed stands in a profile of %s, which is simulated by --clock pollux or sia only", jobs[i].Location(), jobs[i].Goodput.Name)
		}
	}
	return nil
}

// listGPUTypes returns the types of the cluster as profiles want to know them.
func (c *cluster) listGPUTypes() []goodput.GPUType {
	types := make([]goodput.GPUType, len(c.gpuTypes))
	for k, name := range c.gpuTypes {
		types[k] = goodput.GPUType{Name: name, PerNode: max(c.mostOnNode[k], 1)}
	}
	for i := range c.deviceGroups {
		types[c.deviceGroups[i].typeIndex].Devices += c.deviceGroups[i].freeCount
	}
	return types
}
