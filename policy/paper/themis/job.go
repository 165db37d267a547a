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
	age        float64 // since it arrived
	left       float64 // on its gang
	alone      float64 // from start to end on an equal part of the cluster
	slowdown   float64 // how many times longer it takes on an equal part than on its gang
	rho        float64 // if it has an equal part from now on
	contention float64 // see leases.Contention
	leaseEnd   time.Time
	leased     bool    // it has a lease in this round
	keptPart   float64 // of a new lease it may keep after hidden payments
}

// assess finds a job's ρ. contention is the mean number of jobs during its life.
func (a *arbiter) assess(j *job, contention float64, unknown time.Duration) {
	j.age = max(a.now.Sub(j.Arrive).Seconds(), 0)
	j.left = j.Estimate.Left.Seconds()
	if j.Estimate.From == "" {
		j.left = unknown.Seconds()
	}
	j.left = max(j.left, 1)
	total := j.left + j.Ask.GPUs.SecondsForService(j.Attained)
	j.slowdown = max(contention, 1)
	if a.Alone == "gpus" {
		j.slowdown = max(contention/max(a.gpus, 1), 1)
	}
	j.alone = j.slowdown * total
	j.rho = (j.age + j.slowdown*j.left) / j.alone
}

// gain is the logarithm of how many times smaller ρ is with the gang from now
// on than with an equal part.
func (j *job) gain() float64 {
	return math.Log((j.age + j.slowdown*j.left) / (j.age + j.left))
}

// compare puts the worst ρ first.
func (j *job) compare(o *job) int {
	return cmp.Or(cmp.Compare(o.rho, j.rho), engine.ByArrival(j.Entry, o.Entry))
}

// describe tells the owner how the job stands.
func (j *job) describe() string {
	return fmt.Sprintf("done after %.2f times what it would take alone, at an equal part from now on", j.rho)
}
