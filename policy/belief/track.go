package belief

import (
	"math"
	"slices"

	"fairbridge/policy"
)

// Track is what an Estimator's inputs and the judgement of it are made of, remembered from one decision to the next.
type Track struct {
	Jobs  []Tracked `json:"jobs,omitempty"` // with GPUs, by id
	Score Score     `json:"score,omitzero"`
}

// Tracked is what was read of a job since it has its GPUs, less what is believed of its neighbours.
type Tracked struct {
	ID    policy.JobID `json:"id"`
	Count int          `json:"n"`    // readings
	Last  float64      `json:"last"` // the latest
	Fast  float64      `json:"fast"` // mean of the latest few
	Slow  float64      `json:"slow"` // and of many
	Full  float64      `json:"full"` // part of the latest that were of a full GPU
	// Filter and Corrected are what was believed by the last decision, without and with corrections.
	Filter    float64 `json:"filter"`
	Corrected float64 `json:"corrected"`
}

// How much a reading counts in each mean, once there are many.
const (
	fastPart = .3
	fullPart = .1
	slowPart = .04
)

// track takes in this snapshot's readings.
func (u *update) track(was Track) (next Track) {
	before := map[policy.JobID]Tracked{}
	for _, t := range was.Jobs {
		before[t.ID] = t
	}
	next.Score = was.Score
	for i := range u.groups {
		g := &u.groups[i]
		for k, j := range g.jobs {
			if !j.HoldsGPUs() {
				continue
			}
			t := before[j.ID]
			t.ID = j.ID
			if j.Utilisation.Known {
				own, isAlone := u.ownPart(g, k)
				if t.Count > 0 && isAlone {
					next.Score.add(t, own)
				}
				t.add(own, j.Utilisation.Value)
			}
			next.Jobs = append(next.Jobs, t)
		}
	}
	slices.SortFunc(next.Jobs, func(a, b Tracked) int { return int(a.ID - b.ID) })
	return next
}

// ownPart is what a reading of a job leaves of it once what is believed of its neighbours is taken off.
func (u *update) ownPart(g *group, at int) (own float64, isAlone bool) {
	own, isAlone = g.jobs[at].Utilisation.Value, true
	for i, w := range u.weightsOf(g, at) {
		if i != at && w > 0 {
			own, isAlone = own-w*g.belief.Mean(i), false
		}
	}
	return max(own, 0), isAlone
}

func (t *Tracked) add(own, reading float64) {
	t.Count++
	follow := func(mean *float64, value, part float64) { *mean += (value - *mean) * max(part, 1/float64(t.Count)) }
	follow(&t.Fast, own, fastPart)
	follow(&t.Slow, own, slowPart)
	isFull := 0.0
	if reading >= saturated {
		isFull = 1
	}
	follow(&t.Full, isFull, fullPart)
	t.Last = own
}

// featureNames name what an Estimator sees of a job, in their order.
var featureNames = []string{"mean", "sigma", "last", "fast", "slow", "full", "young", "shares", "runs"}

// FeatureNames are what an Estimator sees of a job, in their order.
func FeatureNames() []string { return slices.Clone(featureNames) }

// features are what an Estimator sees of a job, each about -1 to 1: what the filter believes of it, and how far from that its
// readings are.
func (u *update) features(j *policy.Job, e estimate, t *Tracked) []float64 {
	last, fast, slow, full, young, shares, runs := 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0
	if t != nil {
		runs, full, young = 1, t.Full, 1/float64(1+t.Count)
		if t.Count > 0 {
			last, fast, slow = 4*(t.Last-e.mean), 4*(t.Fast-e.mean), 4*(t.Slow-e.mean)
		}
		at := u.groupOf[j.ID]
		if _, isAlone := u.ownPart(&u.groups[at[0]], at[1]); !isAlone {
			shares = 1
		}
	}
	return []float64{2*e.mean - 1, 5 * math.Sqrt(e.variance), last, fast, slow, full, young, shares, runs}
}
