package exact

import (
	"math"
)

// roundEngine is the clock of Gavel's and Shockwave's simulators.
type roundEngine struct {
	*engine
	roundCount int // rounds so far
}

// simulate runs until all jobs are done.
func (r *roundEngine) simulate() error {
	for {
		r.admitArrivals()
		if len(r.presentJobs) == 0 {
			if len(r.futureJobs) == 0 {
				return nil
			}
			r.now = r.futureJobs[0].Arrive
			continue
		}
		if err := r.decideAndCarryOut(); err != nil {
			return err
		}
		switch later := r.mayStartLater(r.Clock.RoundLength); {
		case len(r.runningJobs) > 0:
			r.runRound()
		default:
			next := r.nodeWindows.nextReturn(r.now)
			if len(r.futureJobs) > 0 {
				next = min(next, r.futureJobs[0].Arrive)
			}
			if math.IsInf(next, 1) {
				if !later {
					return r.deadlockError()
				}
				next = r.now + r.Clock.RoundLength.Seconds()
			}
			r.now = next
		}
	}
}

// runRound is one round: all runners are settled, then the time is that of the last
// one.
func (r *roundEngine) runRound() {
	r.contention.add(float64(len(r.presentJobs)), 1)
	start, last := r.now, r.now
	for _, j := range r.runningJobs {
		last = max(last, r.runJob(j, start))
	}
	r.now = last
	r.roundCount++
	for _, j := range r.presentJobs {
		j.updateWantedBatch()
	}
	r.removeEnded()
}

// runJob runs a job for a round and settles it. It returns when it stopped.
func (r *roundEngine) runJob(j *job, start float64) float64 {
	units, all := j.workWithin(r.Clock.RoundLength.Seconds())
	if units <= 0 {
		if j.idleRounds++; j.idleRounds >= r.Clock.MaxIdleRounds {
			r.endJob(j, start)
		}
		return start
	}
	j.idleRounds = 0
	finish := start + units/j.unitsPerSecond
	ran := finish - start
	if cost := r.startCost(j); r.roundCount > 0 && j.hasJustStarted && cost > 0 && ran > r.Clock.RoundLength.Seconds()-r.Clock.CostFreeTail.Seconds() {
		kept := ran - cost
		units, ran, all = units*(kept/ran), kept, false
		if j.Training != nil {
			units = math.Trunc(units)
		}
		j.outcome.LostService += cost * float64(j.GPUs)
	}
	j.doneUnits += units
	if all {
		j.doneUnits = j.totalUnits
	}
	r.addRunTime(j, ran, finish-start)
	if j.profile != nil {
		j.profile.addMeasurement(r.roundCount+1, r.Clock.RoundLength.Seconds(), float64(j.batchSize)*j.unitsPerSecond)
	}
	if j.doneUnits >= j.totalUnits || j.maxRunSeconds > 0 && j.progressSeconds > j.maxRunSeconds {
		r.endJob(j, finish)
		return finish
	}
	if r.trainingReports.changeBatchSize(j) {
		j.unitsPerSecond = r.speeds.speedOf(j, &r.cluster)
	}
	return finish
}
