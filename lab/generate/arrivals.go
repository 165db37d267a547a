package generate

import (
	"math"
	"math/rand/v2"
	"slices"

	"fairbridge/replica/workload"
)

// relativeRateByHour is how many jobs people submit in each hour of the day compared to the
// mean, as measured in four clusters over six months (Hu et al., Helios, SC 2021).
var relativeRateByHour = [24]float64{
	.90, .84, .68, .60, .56, .56, .55, .51, .56, .82, 1.12, 1.24,
	1.20, 1.22, 1.33, 1.43, 1.49, 1.33, 1.10, 1.20, 1.31, 1.23, 1.14, 1.09,
}

// weekendFactor is how busy its two days are compared to the other five.
const weekendFactor = .75 / 1.1

// hourlyRate is how busy submitters are, of at most 1, so many seconds after a Monday
// began.
func hourlyRate(at float64) float64 {
	h := int(at/3600) % (24 * 7)
	v := relativeRateByHour[h%24] / slices.Max(relativeRateByHour[:])
	if h >= 24*5 {
		v *= weekendFactor
	}
	return v
}

// constantRate is the rate of submitters who never sleep.
func constantRate(float64) float64 { return 1 }

// arrivalTimes draws n times of a Poisson process within a span, sorted. The rate is
// relative to its highest, which is 1.
func arrivalTimes(r *rand.Rand, n int, span float64, rate func(float64) float64) []float64 {
	all := make([]float64, n)
	for i := range all {
		all[i] = math.Floor(r.Float64() * span)
		for r.Float64() > rate(all[i]) {
			all[i] = math.Floor(r.Float64() * span)
		}
	}
	slices.Sort(all)
	return all
}

// poissonArrivals draws n times with a mean gap between them; the first is 0.
func poissonArrivals(r *rand.Rand, n int, gap float64) []float64 {
	all := make([]float64, n)
	at := 0.0
	for i := range all {
		all[i] = math.Floor(at)
		at += r.ExpFloat64() * gap
	}
	return all
}

// sumGPUSeconds is the GPU time of jobs in GPU-seconds.
func sumGPUSeconds(jobs []workload.Job) float64 {
	sum := 0.0
	for i := range jobs {
		sum += float64(jobs[i].GPUs) * jobs[i].Duration
	}
	return sum
}

// spanForLoad is how long so many GPUs need for the jobs when that load keeps them
// busy.
func spanForLoad(jobs []workload.Job, gpus int, load float64) float64 {
	return sumGPUSeconds(jobs) / (float64(gpus) * load)
}

// setArrivals gives the jobs their arrivals, in order, and numbers them.
func setArrivals(jobs []workload.Job, at []float64) []workload.Job {
	for i := range jobs {
		jobs[i].Arrive = at[i]
	}
	return assignIDs(jobs)
}

// assignIDs sorts jobs by arrival and gives them their ids.
func assignIDs(jobs []workload.Job) []workload.Job {
	slices.SortStableFunc(jobs, func(a, b workload.Job) int {
		switch {
		case a.Arrive < b.Arrive:
			return -1
		case a.Arrive > b.Arrive:
			return 1
		}
		return 0
	})
	for i := range jobs {
		jobs[i].ID = int64(i + 1)
	}
	return jobs
}

// RelativeRateAt returns how busy people are so many seconds after a midnight, of at most 1, without
// weekends; between two hours' middles it goes straight.
func RelativeRateAt(seconds float64) float64 {
	hour := math.Mod(seconds/3600-.5+24, 24)
	before := int(hour)
	part := hour - float64(before)
	a, b := relativeRateByHour[before%24], relativeRateByHour[(before+1)%24]
	return (a + part*(b-a)) / slices.Max(relativeRateByHour[:])
}
