package policy

import (
	"math"
	"time"
)

// RecentWindow is the time of which Account.RecentService counts service, undecayed.
const RecentWindow = 24 * time.Hour

// FoldUsageAfter is the age from which service of the past may be kept as one decayed sum:
// more than RecentWindow, which needs it piece by piece.
const FoldUsageAfter = RecentWindow + time.Hour

// DecayFactor is what is left of service after some time: it halves with every half-life. Both
// are seconds. A sum as of one time is so much of it as of a later one.
func DecayFactor(age, halfLife float64) float64 { return math.Exp2(-age / halfLife) }

// DecayedService is the service of GPUs (whole ones) held from one time to another, each
// moment of it decayed by its age: the integral of DecayFactor. oldest and newest are the ages of
// the beginning and the end. All but GPUs are seconds.
func DecayedService(gpus, oldest, newest, halfLife float64) GPUSeconds {
	return GPUSeconds(gpus * halfLife / math.Ln2 * (DecayFactor(newest, halfLife) - DecayFactor(oldest, halfLife)))
}

// BillingWeights are what an hour of a whole GPU of each type is charged, in GPU-hours, by Slurm's names
// of types, as in Slurm's TRESBillingWeights. A type that is not there is charged as it is: 1.
type BillingWeights map[string]float64

// MaxBillingWeight is the largest weight that may be given.
const MaxBillingWeight = 1000

// Of returns the weight of a type.
func (w BillingWeights) Of(gpuType string) float64 {
	if x, given := w[gpuType]; given {
		return x
	}
	return 1
}

// ChargedGPUs returns the devices of an allocation, each times the weight of its type.
func (w BillingWeights) ChargedGPUs(a Alloc) float64 {
	sum := 0.0
	for _, s := range a {
		sum += w.Of(s.Type) * float64(s.Count)
	}
	return sum
}

// ServiceHeld returns the decayed service of any type alike beside what is charged of it, as an Account
// and a User have it: 0 where that is the same.
func ServiceHeld(held, charged GPUSeconds) GPUSeconds {
	if held == charged {
		return 0
	}
	return held
}

// DeadlineBudget is what an administrator grants an account or a QOS beyond its account's share:
// so much service a week for jobs that have a deadline. One of Account and QOS is set.
type DeadlineBudget struct {
	Account string     `json:"account,omitempty"`
	QOS     string     `json:"qos,omitempty"`
	Weekly  GPUSeconds `json:"weekly"`
}

// DeadlineBudgetWindow is the time in which DeadlineBudget.Weekly may be spent once.
const DeadlineBudgetWindow = 7 * 24 * time.Hour

// Covers reports whether the budget is one of the job's account or QOS.
func (b *DeadlineBudget) Covers(j *Job) bool {
	return b.Account != "" && b.Account == j.Account || b.QOS != "" && b.QOS == j.QOS
}

// String names whose budget it is: "account vision", "QOS urgent".
func (b *DeadlineBudget) String() string {
	if b.Account != "" {
		return "account " + b.Account
	}
	return "QOS " + b.QOS
}
