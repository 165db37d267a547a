package fluid_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// appServices is how the service of applications is spread, between one GPU-hour and 700.
type appServices string

// The spreads.
const (
	evenByLogarithm appServices = ""        // as many from 1 to 10 hours as from 10 to 100
	even            appServices = "even"    // as many from 1 to 10 as from 691 to 700
	logNormal       appServices = "lognorm" // about 28 hours, by a factor of 4.5
)

// drawApps draws 500 applications as Themis and PCS were tried with: searches of settings of which
// each runs 1 to 90 trainings on 1 to 3 GPUs, so that most can use as many GPUs as there are,
// all of them faster in proportion. Arrivals are a Poisson process at load .8 of 64 GPUs; an application
// is one elastic job that asks for one GPU.
func drawApps(services appServices, seed int64) []workload.Job {
	r := rand.New(rand.NewPCG(uint64(seed), 1))
	uniform := func(low, high float64) float64 { return low + (high-low)*r.Float64() }
	jobs, service := make([]workload.Job, 500), 0.0
	for i := range jobs {
		most := 0
		for range int(math.Round(math.Exp(uniform(0, math.Log(90))))) {
			most += 1 + r.IntN(3)
		}
		j := workload.Job{ID: int64(i + 1), Name: "app", User: fmt.Sprintf("user%02d", r.IntN(20)), GPUs: 1, MinGPUs: 1, MaxGPUs: most, Scaling: &policy.Scaling{Source: policy.ScalingFromTable}}
		switch services {
		case even:
			j.Duration = uniform(1, 700) * 3600
		case logNormal:
			for j.Duration < 3600 || j.Duration > 700*3600 {
				j.Duration = 28 * math.Exp(1.5*r.NormFloat64()) * 3600
			}
		default:
			j.Duration = math.Exp(uniform(0, math.Log(700))) * 3600
		}
		j.Account, j.Duration = j.User, math.Round(j.Duration)
		service += j.Duration
		jobs[i] = j
	}
	gap, at := service/.8/64/float64(len(jobs)), 0.0
	arrivals := rand.New(rand.NewPCG(uint64(seed), 2))
	for i := range jobs {
		at += gap * arrivals.ExpFloat64()
		jobs[i].Arrive = math.Floor(at)
	}
	return jobs
}
