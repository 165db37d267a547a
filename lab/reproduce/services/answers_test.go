package services

import (
	"iter"
	"math"
	"math/rand/v2"
)

// Server is a replica that takes requests from a time on until another, in seconds of the day; one that it has begun it
// ends.
type Server struct{ From, Until float64 }

// Promise is how fast a service is, and how fast it is to be.
type Promise struct {
	ServiceSeconds float64 // of a request on a replica, in the mean
	ServiceSigma   float64 // of its logarithm: service times are log-normal
	WithinSeconds  float64
	Part           float64 // of the answers of each minute that are to be in time
}

// DrawServiceSeconds draws how long a request takes on a replica.
func (p Promise) DrawServiceSeconds(r *rand.Rand) float64 {
	return p.ServiceSeconds * math.Exp(p.ServiceSigma*r.NormFloat64()-p.ServiceSigma*p.ServiceSigma/2)
}

// Minutes are what became of the requests of a day.
type Minutes struct {
	Requests, Late []int // by minute in which the requests came; 0 requests: none came, or the minute was not played
}

// Answer plays the requests of a day to the servers, each to the one that is free first, in the order in which they came. Of every
// three hours one is played, the hours whose number leaves the remainder, and of the hour before it the last ten minutes,
// which are not told.
func (p Promise) Answer(d *Day, servers []Server, seed uint64, remainder int) Minutes {
	r := rand.New(rand.NewPCG(seed, uint64(remainder)))
	minutes := len(d.Counts) * StepSeconds / 60
	m := Minutes{make([]int, minutes), make([]int, minutes)}
	free := make([]float64, len(servers))
	for i := range free {
		free[i] = servers[i].From
	}
	for step, count := range d.Counts {
		minute := step * StepSeconds / 60
		isTold := minute/60%3 == remainder
		if !isTold && (minute+10)/60%3 != remainder {
			continue
		}
		late := p.answerStep(r, float64(step*StepSeconds), count, servers, free)
		if isTold {
			m.Requests[minute] += count
			m.Late[minute] += late
		}
	}
	return m
}

// answerStep plays the requests of a step, and returns how many are answered late.
func (p Promise) answerStep(r *rand.Rand, from float64, count int, servers []Server, free []float64) (late int) {
	for _, at := range DrawArrivals(r, count) {
		came, took := from+at*StepSeconds, p.DrawServiceSeconds(r)
		if serveFirst(servers, free, came, took)+took-came > p.WithinSeconds {
			late++
		}
	}
	return late
}

// DrawArrivals yields so many times between 0 and 1, at random, ascending.
func DrawArrivals(r *rand.Rand, count int) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		at := 0.0
		for i := range count { // the first of as many points as are left, between at and 1
			at = 1 - (1-at)*math.Exp(-r.ExpFloat64()/float64(count-i))
			if !yield(i, at) {
				return
			}
		}
	}
}

// serveFirst gives a request to the server that can begin it first, and returns when it does; infinite where none ever
// does.
func serveFirst(servers []Server, free []float64, at, took float64) float64 {
	best, begins := -1, math.Inf(1)
	for i := range free {
		if start := max(free[i], at); start < begins && start < servers[i].Until {
			best, begins = i, start
			if start == at {
				break
			}
		}
	}
	if best >= 0 {
		free[best] = begins + took
	}
	return begins
}

// CountKept returns in how many minutes from a minute on the promise was kept, of those that had requests.
func (m Minutes) CountKept(from int, part float64) (kept, of int) {
	for i := from; i < len(m.Requests); i++ {
		if m.Requests[i] == 0 {
			continue
		}
		of++
		if float64(m.Late[i]) <= (1-part)*float64(m.Requests[i]) {
			kept++
		}
	}
	return kept, of
}
