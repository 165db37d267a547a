package themis

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"fairbridge/policy/engine"
)

// job is one of a round. Times are seconds.
type job struct {
	*engine.Entry
	ageSeconds        float64 // since it arrived
	secondsLeft       float64 // on its gang
	secondsAlone      float64 // from start to end on an equal part of the cluster
	equalPartSlowdown float64 // how many times longer it takes on an equal part than on its gang
	rho               float64 // if it has an equal part from now on
	contentionSeconds float64 // see leases.ContentionSeconds
	leaseEnd          time.Time
	hasLease          bool    // it has a lease in this round
	keptLeaseFraction float64 // of a new lease it may keep after hidden payments
}

// assessJob finds a job's ρ. contention is the mean number of jobs during its life.
func (a *arbiter) assessJob(j *job, contention float64, unknown time.Duration) {
	j.ageSeconds = max(a.now.Sub(j.Arrive).Seconds(), 0)
	j.secondsLeft = j.Estimate().TimeLeft.Seconds()
	if j.Estimate().Source == "" {
		j.secondsLeft = unknown.Seconds()
	}
	j.secondsLeft = max(j.secondsLeft, 1)
	total := j.secondsLeft + j.Ask.GPUs.SecondsForService(j.Attained)
	j.equalPartSlowdown = max(contention, 1)
	if a.Alone == "gpus" {
		j.equalPartSlowdown = max(contention/max(a.clusterGPUCount, 1), 1)
	}
	j.secondsAlone = j.equalPartSlowdown * total
	j.rho = (j.ageSeconds + j.equalPartSlowdown*j.secondsLeft) / j.secondsAlone
}

// logRhoGain is the logarithm of how many times smaller ρ is with the gang from now
// on than with an equal part.
func (j *job) logRhoGain() float64 {
	return math.Log((j.ageSeconds + j.equalPartSlowdown*j.secondsLeft) / (j.ageSeconds + j.secondsLeft))
}

// compare puts the worst ρ first.
func (j *job) compare(o *job) int {
	return engine.ThenArrival(cmp.Compare(o.rho, j.rho), j.Entry, o.Entry)
}

// describe tells the owner how the job stands.
func (j *job) describe() string {
	return fmt.Sprintf("done after %.2f times what it would take alone, at an equal part from now on", j.rho)
}
