package gavel

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy"
)

// Being allowed to share lowers nobody's objective: the level and the sum of
// speeds with it are at least those without.
func TestGavelSharingHelps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawGavelCase(t)
		for i := range c.jobs {
			j := &c.jobs[i]
			j.Shareable, j.Class = true, string(rune('k'+i%3))
			for _, r := range j.Training.Rates {
				for n := range 3 {
					part := float64(rapid.IntRange(1, 10).Draw(t, "beside")) / 10
					j.Training.SharedRates = append(j.Training.SharedRates, policy.SharedRate{Type: r.Type, NeighbourClass: string(rune('k' + n)), StepsPerSecond: part * r.StepsPerSecond})
				}
			}
		}
		r, types := c.round(t)
		for _, objective := range []string{objectiveMaxMin, objectiveThroughput} {
			g := &Policy{Objective: objective, Aware: true, Sharing: true}
			s := newSpaceSharing(newProblem(g, r, types))
			if s == nil {
				return
			}
			v, err := s.solve(g)
			if err != nil {
				t.Fatal(err)
			}
			with, without := make([]float64, len(c.jobs)), make([]float64, len(c.jobs))
			for i, row := range c.fractions(t, &Policy{Objective: objective, Aware: true}) {
				with[i], without[i] = s.speedOf(i, v), c.speed(i, row)
			}
			if got, was := c.worth(objective, with), c.worth(objective, without); got < was*(1-1e-5) {
				t.Fatalf("%s: %g with sharing, %g without", objective, got, was)
			}
		}
	})
}

// speedOf is a job's part of the speed of its class.
func (s *spaceSharing) speedOf(i int, v []float64) float64 {
	c, kinds, sum := s.classOfJob[i], len(s.problem.gpusByKind), 0.0
	for k, r := range s.splitProblem.Classes[c].RateByKind {
		sum += r * v[c*kinds+k]
	}
	for n, q := range s.classPairs {
		if y := v[len(s.leadJobOfClass)*kinds+n]; y > 0 {
			if q.classA == c {
				sum += q.speedA * y
			}
			if q.classB == c {
				sum += q.speedB * y
			}
		}
	}
	return sum / s.splitProblem.Classes[c].Count
}

func (c gavelCase) worth(objective string, speeds []float64) float64 {
	sum, least := 0.0, math.Inf(1)
	for i, v := range speeds {
		equal := 0.0
		for k, r := range c.jobs[i].Training.Rates {
			equal += r.StepsPerSecond * float64(c.gpus[k])
		}
		sum += v
		least = min(least, v*float64(c.jobs[i].Ask.GPUs.Count)/equal)
	}
	if objective == objectiveThroughput {
		return sum
	}
	return least
}
