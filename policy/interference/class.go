// Package interference says how fast jobs are that share a GPU, each relative to its speed
// alone there: from their utilisation or their class, by what was published.
//
// The figures are facts of the 1,388 pairs that were measured on GPUs of 24 GB and published with
// Q. Hu et al., "Lucid: A Non-intrusive, Scalable and Interpretable Scheduler for Deep Learning
// Training Jobs", ASPLOS 2023. No more than two jobs at once were measured: of more, each is slowed
// by each of the others as if that were the only one.
package interference

import (
	"cmp"
	"math"

	"fairbridge/policy"
)

// Class is how much of a GPU a job uses, alone on it.
type Class int

// The classes, by their sharing score: the sum of two says how much two jobs slow each other.
const (
	Tiny Class = iota
	Medium
	Jumbo
)

// MaxTiny and MaxMedium are the shares of the time in which the GPU computes from which on a job is of
// the next class.
const (
	MaxTiny   = 0.25
	MaxMedium = 0.53
)

// String returns tiny, medium or jumbo, which is what any other is taken for.
func (c Class) String() string {
	switch c {
	case Tiny:
		return "tiny"
	case Medium:
		return "medium"
	}
	return "jumbo"
}

// ClassAt returns the class of a job by the share of the time, 0..1, in which its GPU computes.
func ClassAt(utilisation float64) Class {
	switch {
	case utilisation < MaxTiny:
		return Tiny
	case utilisation < MaxMedium:
		return Medium
	}
	return Jumbo
}

// Utilisation returns the share of the time in which the job's GPUs compute, 0..1: what is
// known of it alone, else what is measured on its GPUs now. Beside neighbours the latter is
// theirs too, and so rather too much than too little.
func Utilisation(j *policy.Job) policy.OptionalValue {
	if j.Sharing != nil && j.Sharing.Utilisation.Known {
		return j.Sharing.Utilisation
	}
	return j.Utilisation
}

// ClassOf returns the class of a job, and whether it is known. Where nothing was measured it is
// Jumbo, which gets no neighbour of any weight.
func ClassOf(j *policy.Job) (c Class, known bool) {
	u := Utilisation(j)
	if !u.Known {
		return Jumbo, false
	}
	return ClassAt(u.Value), true
}

// Estimate is how fast a job is relative to its speed alone.
type Estimate struct {
	Speed float64 // what is expected, above 0 and at most 1
	Sigma float64 // standard error of -ln(speed) of a single pair
}

// newEstimate is what was published of pairs. No job is counted on to be faster beside another than alone.
func newEstimate(pair Spread) Estimate {
	return Estimate{Speed: min(pair.Mean, 1), Sigma: pair.Sigma() / pair.Mean}
}

// Low returns the speed that a pair is not below but for one in so many as the number of
// standard errors says: 1.2816 for one in ten, 0.6745 for one in four.
func (e Estimate) Low(sigmas float64) float64 { return e.Speed * math.Exp(-sigmas*e.Sigma) }

// JobBeside returns how fast a job is beside another, on the GPU they share: as published for the sum of
// their utilisations; that of their classes where the utilisation of one is not known.
func JobBeside(j, other *policy.Job) Estimate {
	a, b := Utilisation(j), Utilisation(other)
	if !a.Known || !b.Known {
		own, _ := ClassOf(j)
		beside, _ := ClassOf(other)
		return newEstimate(PairOf(own, beside))
	}
	return newEstimate(PairAt(a.Value + b.Value))
}

// Speeds returns how fast each of the jobs that share a GPU is.
func Speeds(jobs []*policy.Job) []float64 {
	out := make([]float64, len(jobs))
	for i, j := range jobs {
		out[i] = 1
		for k, other := range jobs {
			if k != i {
				out[i] *= JobBeside(j, other).Speed
			}
		}
	}
	return out
}

// Spread is how a figure is spread over pairs of jobs.
type Spread struct {
	Mean float64
	Low  float64 // below which one in ten is
}

// tenth is how many standard errors below the mean one in ten is.
const tenth = 1.2816

// Sigma is the standard error of the figure of one pair.
func (s Spread) Sigma() float64 { return (s.Mean - s.Low) / tenth }

// rowWidth is how much utilisation of two jobs together a row of bySum spans.
const rowWidth = 0.2

// bySum is the mean of the speeds of two jobs, by the sum of their utilisations alone: below
// 0.2, 0.4, and so on up to 2.
var bySum = [...]Spread{{.98, .95}, {.99, .96}, {1.02, .94}, {.99, .92}, {.97, .89}, {.93, .85}, {.87, .79}, {.80, .69}, {.73, .63}, {.68, .56}}

// pairByScore and slowerByScore are the mean of the speeds of two jobs, and the speed of
// the slower of them, by the sum of their sharing scores.
var (
	pairByScore   = [...]Spread{{1.01, .96}, {.99, .92}, {.95, .86}, {.86, .75}, {.76, .62}}
	slowerByScore = [...]Spread{{.965, .914}, {.94, .87}, {.91, .80}, {.80, .65}, {.68, .54}}
)

// PairAt returns the mean of the speeds of two jobs whose utilisations alone sum up so. It can be
// a little above 1, by the noise of what was measured.
func PairAt(sum float64) Spread {
	return bySum[max(min(int(sum/rowWidth+1e-9), len(bySum)-1), 0)]
}

// PairOf returns the mean of the speeds of two jobs of the classes.
func PairOf(a, b Class) Spread { return pairByScore[score(a, b)] }

// SlowerOf returns the speed of the slower one of two jobs of the classes.
func SlowerOf(a, b Class) Spread { return slowerByScore[score(a, b)] }

// score is the sum of the sharing scores.
func score(a, b Class) int { return int(a + b) }

// Risk returns how much of their speed two jobs are expected to lose beside each other, in the mean, and the standard
// error of that which comes from not knowing how much they use: the mean over what they use by a standard error
// more and less, and half the difference. Where what one uses is not known, it is as JobBeside has it.
func Risk(j, other *policy.Job) (loss, sigma float64) {
	a, b := Utilisation(j), Utilisation(other)
	if !a.Known || !b.Known {
		e := JobBeside(j, other)
		return 1 - e.Speed, e.Sigma
	}
	sum, off := a.Value+b.Value, math.Hypot(sigmaOf(j), sigmaOf(other))
	slow, fast := 1-min(PairAt(sum+off).Mean, 1), 1-min(PairAt(sum-off).Mean, 1)
	return (slow + fast) / 2, math.Abs(slow-fast) / 2
}

// sigmaOf is the standard error of the job's utilisation.
func sigmaOf(j *policy.Job) float64 {
	return cmp.Or(j.Sharing, &policy.Sharing{}).UtilisationSigma
}

// shardTarget is the share of a GPU that a job of a class is given at least.
var shardTarget = [...]float64{Tiny: .25, Medium: .5}

// Shards returns how many of the shards of a GPU a job of a class gets, by the memory it uses
// there and what the GPU has, of which marginMB stay free: all where it should have the GPU
// alone, and where its memory or the GPU's is not known (0).
func Shards(c Class, memMB, gpuMemMB, marginMB int64, shardsPerGPU int) int {
	if c != Tiny && c != Medium || memMB <= 0 || gpuMemMB <= marginMB {
		return shardsPerGPU
	}
	share := max(float64(memMB)/float64(gpuMemMB-marginMB), shardTarget[c])
	return max(min(int(math.Ceil(float64(shardsPerGPU)*share-1e-9)), shardsPerGPU), 1)
}
