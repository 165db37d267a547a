package gavel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/solve/fair"
	"fairbridge/policy/solve/lp"
)

// ownAccounts gives each job an account of its own, with a weight.
func (c gavelCase) ownAccounts(t *rapid.T) gavelCase {
	c.accts = nil
	for i := range c.jobs {
		c.jobs[i].Account = fmt.Sprintf("a%02d", i)
		c.accts = append(c.accts, policy.Account{Name: c.jobs[i].Account, Weight: float64(rapid.IntRange(1, 4).Draw(t, "weight"))})
	}
	return c
}

// On one type, filling account by account is weighted max-min of GPU time,
// where nobody uses more than its gang.
func TestGavelWaterFillIsMaxMin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawGavelCase(t)
		c = gavelCase{types: c.types[:1], gpus: c.gpus[:1], jobs: c.jobs}.ownAccounts(t)
		claims := make([]fair.Claim, len(c.jobs))
		for i := range c.jobs {
			c.jobs[i].Training.Rates = c.jobs[i].Training.Rates[:1]
			claims[i] = fair.Claim{Weight: c.accts[i].Weight, MaxUse: float64(c.jobs[i].Ask.GPUs.Count)}
		}
		want := fair.WaterFill(float64(c.gpus[0]), claims)
		for i, x := range c.fractions(t, &Policy{Objective: objectiveHierarchical, Aware: true, Within: "fairness"}) {
			if got := x[0] * claims[i].MaxUse; math.Abs(got-want[i]) > 1e-5 {
				t.Fatalf("job %d has %g GPUs, want %g of %v", i, got, want[i], want)
			}
		}
	})
}

// over is by what factor the fractions use more than there is of some type, at
// least 1: the solver may use a few billionths more.
func (c gavelCase) over(x [][]float64) float64 {
	most := 1.0
	for k, n := range c.gpus {
		use := 0.0
		for i, row := range x {
			use += row[k] * float64(c.jobs[i].Ask.GPUs.Count)
		}
		most = max(most, use/float64(n))
	}
	return most
}

// Nobody could have more without another having less. What the law lets a job
// lose to rounding must be tiny: where speeds differ much, giving up a
// hundred-millionth of one can be worth a thousand times as much to others.
func TestGavelIsParetoEfficient(t *testing.T) {
	for _, objective := range []string{objectiveMaxMin, objectiveMakespan, ObjectiveFinishTime, objectiveHierarchical} {
		t.Run(objective, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := drawGavelCase(t)
				g := &Policy{Objective: objective, Aware: true, Within: "fairness"}
				r, types := c.round(t)
				p := newProblem(g, r, types)
				if len(p.gpusByKind) == 1 && objective != objectiveHierarchical {
					return // there the published solvers' choice among the optima is taken
				}
				x, need := c.fractions(t, g), make([]float64, len(c.jobs))
				s, sum := &lp.SplitProblem{}, 0.0
				for _, n := range p.gpusByKind {
					s.CapacityByKind = append(s.CapacityByKind, n*c.over(x))
				}
				for i, j := range p.jobs {
					best := slices.Max(j.ratesByKind)
					it := lp.PartyClass{Count: 1, Size: j.gpuCount, RateByKind: j.ratesByKind}
					for _, rate := range j.ratesByKind {
						it.GainByKind = append(it.GainByKind, rate/best)
					}
					need[i] = c.speed(i, x[i]) * (1 - 1e-12)
					sum += c.speed(i, x[i]) / best
					s.Classes = append(s.Classes, it)
				}
				better, err := s.MaximizeGain(need)
				if err != nil {
					t.Fatal(err)
				}
				most := 0.0
				for i, row := range better.Fractions {
					for k, v := range row {
						most += v * s.Classes[i].GainByKind[k]
					}
				}
				if most > sum*(1+1e-5)+1e-6 {
					t.Fatalf("speeds could add up to %g with nobody worse off, and do to %g", most, sum)
				}
			})
		})
	}
}
