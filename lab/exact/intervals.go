package exact

import (
	"math"
)

// intervalEngine is the clock that goes from event to event.
type intervalEngine struct{ *engine }

// simulate runs until all jobs are done.
func (v *intervalEngine) simulate() error {
	last, ask := math.Inf(-1), math.Inf(1)
	for v.endedTotalCount < len(v.jobs) {
		back := v.nodeWindows.nextReturn(v.now)
		next := min(ask, v.nextJobEnd(), back)
		if len(v.futureJobs) > 0 {
			next = min(next, v.futureJobs[0].Arrive)
		}
		if v.UntilSeconds > 0 && next >= v.UntilSeconds {
			return v.breakOff()
		}
		if math.IsInf(next, 1) {
			return v.deadlockError()
		}
		if v.advanceTime(max(next, v.now)) || v.now == back {
			ask = min(ask, max(v.now, last+v.Clock.MinInterval.Seconds()))
		}
		if len(v.presentJobs) == 0 {
			ask = math.Inf(1) // there is nothing to decide until a job arrives
			continue
		}
		if v.now < ask {
			continue
		}
		for _, j := range v.runningJobs {
			v.settleJob(j)
		}
		if err := v.decideAndCarryOut(); err != nil {
			return err
		}
		last, ask = v.now, math.Inf(1)
		if v.Clock.MaxInterval > 0 && v.mayStartLater(v.Clock.MaxInterval) {
			ask = v.now + v.Clock.MaxInterval.Seconds()
		}
	}
	return nil
}

// breakOff books what running jobs did until the simulation is broken off.
func (v *intervalEngine) breakOff() error {
	v.now = v.UntilSeconds
	for _, j := range v.runningJobs {
		v.settleJob(j)
	}
	return nil
}

// nextJobEnd is when the next job ends.
func (v *intervalEngine) nextJobEnd() float64 {
	next := math.Inf(1)
	for _, j := range v.runningJobs {
		next = min(next, j.expectedEnd)
	}
	return next
}

// advanceTime goes to a time at or before the next end. It reports whether a job
// ended or arrived then.
func (v *intervalEngine) advanceTime(to float64) bool {
	v.contention.add(float64(len(v.presentJobs)), to-v.now)
	v.now = to
	for _, j := range v.runningJobs {
		if j.expectedEnd <= to {
			v.settleJob(j)
			j.doneUnits = j.totalUnits
			v.endJob(j, to)
		}
	}
	left, came := v.removeEnded(), v.admitArrivals()
	if left && v.haveNeighbours() {
		for _, j := range v.runningJobs {
			v.settleJob(j)
			v.updateSpeed(j)
		}
	}
	return left || came
}

// settleJob books what a running job did since it was last booked.
func (v *intervalEngine) settleJob(j *job) {
	held := v.now - j.settledAt
	if held <= 0 {
		return
	}
	paid := min(held, j.restartSecondsLeft)
	j.restartSecondsLeft -= paid
	j.settledAt = v.now
	j.outcome.LostService += paid * float64(j.heldAlloc.Count())
	j.doneUnits = min(j.doneUnits+(held-paid)*j.unitsPerSecond, j.totalUnits)
	v.addRunTime(j, held-paid, held)
	if j.Training == nil {
		return
	}
	if j.updateWantedBatch(); v.trainingReports.changeBatchSize(j) {
		j.unitsPerSecond = v.speeds.speedOf(j, &v.cluster)
		j.updateExpectedEnd(v.now)
	}
}
