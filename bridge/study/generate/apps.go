package generate

import (
	"fmt"
	"math"

	"fairbridge/bridge/study/workload"
	"fairbridge/policy"
)

// AppDrawer draws applications as Themis and PCS were tried with: searches of settings of which
// each runs 1 to 90 trainings on 1 to 3 GPUs, so that most can use as many GPUs as there are,
// all of them faster in proportion or each by a curve that flattens. Arrivals are a Poisson
// process; an application is one elastic job that asks for one GPU.
type AppDrawer struct {
	JobCount    int     // 500
	ClusterGPUs int     // of the cluster; 64
	OfferedLoad float64 // service asked for, as a part of what the GPUs have; .8
	Services    AppServices
	IsSublinear bool // curves flatten: serial parts of 1 to 10 %
}

// AppServices is how the service of applications is spread, between one GPU-hour and 700.
type AppServices string

// The spreads.
const (
	EvenByLogarithm AppServices = ""        // as many from 1 to 10 hours as from 10 to 100
	Even            AppServices = "even"    // as many from 1 to 10 as from 691 to 700
	LogNormal       AppServices = "lognorm" // about 28 hours, by a factor of 4.5
)

// DrawJobs returns the jobs.
func (a AppDrawer) DrawJobs(seed int64) []workload.Job {
	r := newRandom(seed, jobRandomStream)
	jobs, service := make([]workload.Job, orDefault(a.JobCount, 500)), 0.0
	for i := range jobs {
		most := 0
		for range int(math.Round(math.Exp(drawUniform(r, 0, math.Log(90))))) {
			most += 1 + r.IntN(3)
		}
		j := workload.Job{ID: int64(i + 1), Name: "app", User: fmt.Sprintf("user%02d", r.IntN(20)), GPUs: 1, MinGPUs: 1, MaxGPUs: most, Scaling: &policy.Scaling{Source: policy.ScalingFromTable}}
		switch a.Services {
		case Even:
			j.Duration = drawUniform(r, 1, 700) * 3600
		case LogNormal:
			j.Duration = drawLogNormal(r, 28, 1.5, 1, 700) * 3600
		default:
			j.Duration = math.Exp(drawUniform(r, 0, math.Log(700))) * 3600
		}
		if a.IsSublinear {
			j.Scaling.SerialPart = drawUniform(r, .01, .1)
		}
		j.Account, j.Duration = j.User, math.Round(j.Duration)
		service += j.Duration
		jobs[i] = j
	}
	gap, at := service/orDefault(a.OfferedLoad, .8)/float64(orDefault(a.ClusterGPUs, 64))/float64(len(jobs)), 0.0
	arrivals := newRandom(seed, arrivalRandomStream)
	for i := range jobs {
		at += gap * arrivals.ExpFloat64()
		jobs[i].Arrive = math.Floor(at)
	}
	return jobs
}
