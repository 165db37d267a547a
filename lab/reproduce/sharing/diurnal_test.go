package sharing

import (
	"cmp"
	"math"
	"math/rand/v2"
	"time"

	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// Diurnal is a service that needs all its GPUs in the busiest hours and about a third of them at
// night (Hu et al., Helios, SC 2021), each replica one. It knows the hours of the day and how far
// off them its demand is, but not the chance of a day.
type Diurnal struct {
	Name         string // "": serve
	GPUType      string
	OwnGPUs      int           // 0: 32
	Days         float64       // how long there is demand; 0: 3
	Step         time.Duration // how often the number of replicas is set; 0: 10 minutes
	Noise        float64       // standard error of the demand around that of the hour, relative to it; 0: 0.06
	RecallWithin time.Duration
}

const (
	stream    = 91   // of chance, apart from other draws
	memory    = 0.7  // how much of a step's chance the next one keeps
	inTwenty  = 1.64 // standard errors above which one in twenty is
	ahead     = 12 * time.Hour
	usualPeak = 0.9 // of the GPUs that the busiest hour needs in the mean
)

func (d Diurnal) withDefaults() Diurnal {
	d.Name, d.OwnGPUs, d.Days = cmp.Or(d.Name, "serve"), cmp.Or(d.OwnGPUs, 32), cmp.Or(d.Days, 3)
	d.Step, d.Noise = cmp.Or(d.Step, 10*time.Minute), cmp.Or(d.Noise, .06)
	return d
}

// meanDemand is how many GPUs it needs at a time, in the mean.
func (d Diurnal) meanDemand(seconds float64) float64 {
	return usualPeak * float64(d.OwnGPUs) * generate.RelativeRateAt(seconds)
}

// DrawDemand returns how many GPUs it needs in each step, at most its own.
func (d Diurnal) DrawDemand(seed int64) []int {
	d = d.withDefaults()
	r := rand.New(rand.NewPCG(uint64(seed), stream))
	need := make([]int, int(d.Days*24*3600/d.Step.Seconds()))
	chance := r.NormFloat64()
	for k := range need {
		gpus := d.meanDemand(float64(k)*d.Step.Seconds()) * (1 + d.Noise*chance)
		need[k] = max(min(int(math.Ceil(gpus)), d.OwnGPUs), 1)
		chance = memory*chance + math.Sqrt(1-memory*memory)*r.NormFloat64()
	}
	return need
}

// DrawReplicas returns the replicas as jobs, numbered from a first id on. Of those that run the last
// to come is the first to leave.
func (d Diurnal) DrawReplicas(seed, firstID int64) []workload.Job {
	d = d.withDefaults()
	need := d.DrawDemand(seed)
	var jobs []workload.Job
	var running []int
	for k := range len(need) + 1 {
		at := float64(k) * d.Step.Seconds()
		for k < len(need) && len(running) < need[k] {
			running = append(running, len(jobs))
			jobs = append(jobs, workload.Job{ID: firstID + int64(len(jobs)), Name: d.Name, User: d.Name, Account: d.Name, ReplicaOf: d.Name,
				Arrive: at, GPUs: 1, GPUType: d.GPUType, IsUnstoppable: true})
		}
		for len(running) > 0 && (k == len(need) || len(running) > need[k]) {
			last := running[len(running)-1]
			running = running[:len(running)-1]
			jobs[last].Duration = at - jobs[last].Arrive
		}
	}
	return jobs
}

// ServicesAt implements exact.InferenceForecaster: the mean of each step to come and one and a
// half standard errors or so more, as one time in twenty exceeds.
func (d Diurnal) ServicesAt(seconds float64) []policy.InferenceService {
	d = d.withDefaults()
	s := policy.InferenceService{Name: d.Name, Partition: "gpu", GPUType: d.GPUType, OwnGPUs: d.OwnGPUs, RecallWithin: d.RecallWithin}
	step := d.Step.Seconds()
	for at := math.Floor(seconds/step) * step; at <= seconds+ahead.Seconds(); at += step {
		gpus := int(math.Ceil(d.meanDemand(at) * (1 + inTwenty*d.Noise)))
		if at >= d.Days*24*3600 {
			gpus = 0
		}
		s.Forecast = append(s.Forecast, policy.DemandForecast{From: workload.CalendarTimeAt(at), GPUs: min(gpus, d.OwnGPUs)})
	}
	return []policy.InferenceService{s}
}
