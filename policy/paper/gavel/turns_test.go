package gavel

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/policy"
)

// turns carries out rounds of a policy exactly, and returns how many each job
// ran on each type.
func (c gavelCase) turns(t fatal, g *Policy, rounds int) [][]int {
	s := c.snapshot()
	ran := make([][]int, len(c.jobs))
	for i := range ran {
		ran[i] = make([]int, len(c.types))
	}
	for range rounds {
		plan, err := g.Decide(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := plan.Check(s); err != nil {
			t.Fatal(err)
		}
		s = c.carryOut(s, plan, g.Round, ran)
	}
	return ran
}

func (c gavelCase) carryOut(s *policy.Snapshot, plan *policy.Plan, round time.Duration, ran [][]int) *policy.Snapshot {
	next := *s
	next.Jobs = append([]policy.Job(nil), s.Jobs...)
	next.Memo, next.Seq, next.Now = plan.Memo, s.Seq+1, s.Now.Add(round)
	for i, d := range plan.Decisions {
		j := &next.Jobs[i]
		if d.Verb != policy.Keep {
			j.State, j.On, j.Start = policy.Pending, nil, time.Time{}
		}
		if len(d.On) == 0 {
			continue
		}
		if d.Verb != policy.Keep {
			j.State, j.On, j.Start = policy.Running, d.On, s.Now
		}
		j.Attained += policy.ServiceForTime(float64(j.On.Count()), round)
		for k, typ := range c.types {
			if j.On[0].Type == typ {
				ran[i][k]++
			}
		}
	}
	return &next
}

func exactGavel(objective string) *Policy {
	g := &Policy{Objective: objective, Aware: true, Round: 2 * time.Minute, Recompute: 1000 * time.Second}
	g.MinRun, g.MaxStops = time.Second, -1
	return g
}

// The fractions 4/9 and 5/9 of the first small example, in nine rounds.
func TestGavelNineRounds(t *testing.T) {
	c := gavelCase{types: []string{"fast", "slow"}, gpus: []int{1, 2}}.job(1, 1e9, 4, 1).job(1, 1e9, 2, 1)
	ran := c.turns(t, exactGavel(objectiveMaxMin), 9)
	if ran[0][0] != 4 || ran[0][1] != 5 || ran[1][0] != 5 || ran[1][1] != 4 {
		t.Errorf("rounds on fast and slow: %v, want [[4 5] [5 4]]", ran)
	}
}

// On GPUs of one type everybody gets the time of its fraction, give or take a
// round, as long as the jobs stay the same and all of one size.
func TestGavelTimeReceived(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gpus := rapid.IntRange(2, 6).Draw(t, "gpus")
		c := gavelCase{types: []string{"a"}, gpus: []int{gpus}}
		for range rapid.IntRange(gpus, 3*gpus).Draw(t, "jobs") {
			c = c.job(1, 1e9, 1)
		}
		const rounds = 30
		x := c.fractions(t, exactGavel(objectiveMaxMin))
		for i, ran := range c.turns(t, exactGavel(objectiveMaxMin), rounds) {
			if want := x[i][0] * rounds; math.Abs(float64(ran[0])-want) > 1+1e-9 {
				t.Fatalf("job %d ran for %d rounds of %d, want %.2f", i, ran[0], rounds, want)
			}
		}
	})
}
