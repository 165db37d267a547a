package gavel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// gavelCase is a cluster of some types and jobs with rates on them.
type gavelCase struct {
	types []string
	gpus  []int
	jobs  []policy.Job
	accts []policy.Account
}

// fatal is a testing.TB or a rapid.T.
type fatal interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

var gavelNow = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func (c gavelCase) snapshot() *policy.Snapshot {
	s := &policy.Snapshot{Now: gavelNow, Jobs: c.jobs, Accounts: c.accts}
	for k, typ := range c.types {
		s.Nodes = append(s.Nodes, policy.Node{Name: "n-" + typ, Partitions: []string{"gpu"}, CPUs: 1 << 12, MemMB: 1 << 30,
			GPUs: []policy.NodeDevices{{Type: typ, Count: c.gpus[k]}}})
	}
	return s
}

func (c gavelCase) round(t fatal) (*engine.Round, []string) {
	t.Helper()
	var round *engine.Round
	_, err := engine.Pipeline{Order: orderFunc(func(r *engine.Round) ([]*engine.Entry, error) { round = r; return r.Entries, nil })}.Decide(c.snapshot())
	if err != nil {
		t.Fatal(err)
	}
	return round, c.types
}

type orderFunc func(*engine.Round) ([]*engine.Entry, error)

func (f orderFunc) Order(r *engine.Round) ([]*engine.Entry, error) { return f(r) }

// fractions solves the case.
func (c gavelCase) fractions(t fatal, g *Policy) [][]float64 {
	t.Helper()
	r, types := c.round(t)
	x, err := (&allocator{Policy: g}).fractions(r, types)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func (c gavelCase) job(gpus int, left float64, rates ...float64) gavelCase {
	j := policy.Job{ID: policy.JobID(len(c.jobs) + 1), User: "u", Account: "a", Partition: "gpu", State: policy.Pending,
		Submit: gavelNow.Add(-time.Hour), Arrive: gavelNow.Add(-time.Hour), Ask: policy.Ask{GPUs: policy.GPUs{Count: gpus}},
		Training: &policy.Training{Steps: left}}
	for k, r := range rates {
		j.Training.Rates = append(j.Training.Rates, policy.Rate{Type: c.types[k], StepsPerSecond: r})
	}
	c.jobs = append(c.jobs, j)
	return c
}

func (c gavelCase) speed(i int, x []float64) float64 {
	sum := 0.0
	for k, r := range c.jobs[i].Training.Rates {
		if x != nil {
			sum += r.StepsPerSecond * x[k]
		}
	}
	return sum
}

// lawful wants fractions that the cluster can give.
func (c gavelCase) lawful(t fatal, x [][]float64) {
	t.Helper()
	use := make([]float64, len(c.types))
	for i, row := range x {
		sum := 0.0
		for k, v := range row {
			if v < -1e-9 || math.IsNaN(v) {
				t.Fatalf("job %d: fraction %g", i, v)
			}
			sum += v
			use[k] += v * float64(c.jobs[i].Ask.GPUs.Count)
		}
		if sum > 1+1e-6 {
			t.Fatalf("job %d: fractions add up to %g", i, sum)
		}
	}
	for k, u := range use {
		if u > float64(c.gpus[k])*(1+1e-5) {
			t.Fatalf("%s: %g of %d GPUs used", c.types[k], u, c.gpus[k])
		}
	}
}

func TestGavelMicro(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-6 }
	a := gavelCase{types: []string{"fast", "slow"}, gpus: []int{1, 2}}.job(1, 1, 4, 1).job(1, 1, 2, 1)
	x := a.fractions(t, &Policy{Objective: objectiveMaxMin, Aware: true})
	if !near(x[0][0], 4./9) || !near(x[0][1], 5./9) || !near(x[1][0], 5./9) || !near(x[1][1], 4./9) {
		t.Errorf("1 fast and 2 slow: %v", x)
	}
	b := gavelCase{types: []string{"a", "b", "c"}, gpus: []int{1, 1, 1}}.job(1, 1, 4, 2, 1).job(1, 1, 3, 2, 1).job(1, 1, 2, 1.6, 1)
	x = b.fractions(t, &Policy{Objective: objectiveMaxMin, Aware: true})
	level := math.Inf(1)
	for i, equal := range []float64{7. / 3, 2, 4.6 / 3} {
		level = min(level, b.speed(i, x[i])/equal)
	}
	if !near(level, 57./55) {
		t.Errorf("three types: level %g, want 57/55", level)
	}
	m := gavelCase{types: []string{"fast", "slow"}, gpus: []int{1, 1}}.job(1, 12, 4, 1).job(1, 12, 2, 1.5)
	x = m.fractions(t, &Policy{Objective: objectiveMakespan, Aware: true})
	if !near(x[0][0], 2./7) || !near(x[1][0], 5./7) || !near(12/m.speed(0, x[0]), 84./13) {
		t.Errorf("makespan: %v", x)
	}
	same := gavelCase{types: []string{"fast", "slow"}, gpus: []int{2, 2}}
	for i := range 4 {
		same = same.job(1, 1, 3+float64(i), 1)
	}
	for i, row := range same.fractions(t, &Policy{Objective: objectiveMaxMin, Aware: true}) {
		if !near(same.speed(i, row)/((4+float64(i))/2), 1) {
			t.Errorf("as many jobs as GPUs: job %d has %v", i, row)
		}
	}
}

func drawGavelCase(t *rapid.T) gavelCase {
	c := gavelCase{types: []string{"a", "b", "c"}[:rapid.IntRange(1, 3).Draw(t, "types")]}
	for range c.types {
		c.gpus = append(c.gpus, rapid.IntRange(4, 16).Draw(t, "gpus"))
	}
	for i := range rapid.IntRange(1, 12).Draw(t, "jobs") {
		rates := make([]float64, len(c.types))
		for k := range rates {
			rates[k] = float64(rapid.IntRange(1, 40).Draw(t, "rate")) / 8
		}
		c = c.job(rapid.SampledFrom([]int{1, 1, 2, 4}).Draw(t, "size"), float64(rapid.IntRange(100, 100000).Draw(t, "left")), rates...)
		c.jobs[i].Account = rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "account")
	}
	c.accts = []policy.Account{{Name: "a", Weight: 1}, {Name: "b", Weight: 2}, {Name: "c", Weight: 1}}
	return c
}

func gavels() []*Policy {
	var all []*Policy
	for _, o := range []string{objectiveMaxMin, objectiveMakespan, ObjectiveFinishTime, objectiveThroughput, objectiveCost, objectiveFIFO, objectiveSJF, objectiveHierarchical} {
		all = append(all, &Policy{Objective: o, Aware: true})
	}
	return append(all, &Policy{Objective: objectiveHierarchical, Aware: true, Within: objectiveFIFO}, &Policy{Objective: objectiveMaxMin}, &Policy{Objective: objectiveMakespan})
}

func TestGavelFractionsAreLawful(t *testing.T) {
	for _, g := range gavels() {
		t.Run(fmt.Sprint(g.Objective, g.Aware, g.Within), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := drawGavelCase(t)
				c.lawful(t, c.fractions(t, g))
			})
		})
	}
}

// Nobody is worse off than with an equal part of each type (sharing incentive),
// in its own speed on what its gang could use of it.
func TestGavelSharingIncentive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawGavelCase(t)
		for i := range c.jobs {
			c.jobs[i].Ask.GPUs.Count = 1
		}
		x := c.fractions(t, &Policy{Objective: objectiveMaxMin, Aware: true})
		for i := range c.jobs {
			equal, time := 0.0, 0.0
			for k, r := range c.jobs[i].Training.Rates {
				share := float64(c.gpus[k]) / float64(len(c.jobs))
				equal += r.StepsPerSecond * share
				time += share
			}
			equal /= max(time, 1)
			if got := c.speed(i, x[i]); got < equal*(1-1e-5) {
				t.Fatalf("job %d has a speed of %g, on an equal part it would have %g", i, got, equal)
			}
		}
	})
}

// Only ratios of a job's rates count.
func TestGavelScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawGavelCase(t)
		was := c.fractions(t, &Policy{Objective: objectiveMaxMin, Aware: true})
		speeds := make([]float64, len(was))
		for i := range was {
			speeds[i] = c.speed(i, was[i])
		}
		by := float64(rapid.IntRange(1, 8).Draw(t, "by"))
		for k := range c.jobs[0].Training.Rates {
			c.jobs[0].Training.Rates[k].StepsPerSecond *= by
		}
		speeds[0] *= by
		least, leastWas := math.Inf(1), math.Inf(1)
		for i, row := range c.fractions(t, &Policy{Objective: objectiveMaxMin, Aware: true}) {
			equal := 0.0
			for k, r := range c.jobs[i].Training.Rates {
				equal += r.StepsPerSecond * float64(c.gpus[k])
			}
			g := float64(c.jobs[i].Ask.GPUs.Count)
			least, leastWas = min(least, g*c.speed(i, row)/equal), min(leastWas, g*speeds[i]/equal)
		}
		if math.Abs(least-leastWas) > 1e-5*least {
			t.Fatalf("level %g became %g", leastWas, least)
		}
	})
}

// With one job to an account and equal weights, water-filling is max-min, and
// nobody could have more without another of no more having less.
func TestGavelWaterFillOfSingles(t *testing.T) {
	c := gavelCase{types: []string{"a"}, gpus: []int{4}}.job(1, 1, 1).job(1, 1, 1).job(4, 1, 1)
	for i, name := range []string{"a", "b", "c"} {
		c.jobs[i].Account = name
		c.accts = append(c.accts, policy.Account{Name: name, Weight: 1})
	}
	x := c.fractions(t, &Policy{Objective: objectiveHierarchical, Aware: true, Within: "fairness"})
	if math.Abs(x[0][0]-1) > 1e-6 || math.Abs(x[1][0]-1) > 1e-6 || math.Abs(x[2][0]-.5) > 1e-6 {
		t.Errorf("two of one GPU and one of four on four: %v", x)
	}
	c.accts[2].Weight = 8
	x = c.fractions(t, &Policy{Objective: objectiveHierarchical, Aware: true, Within: "fairness"})
	if math.Abs(x[0][0]-.4) > 1e-6 || math.Abs(x[2][0]-.8) > 1e-6 {
		t.Errorf("weights 1:1:8: %v", x)
	}
	c.jobs[1].Account, c.jobs[1].Arrive = "a", gavelNow
	c.accts[2].Weight = 1
	x = c.fractions(t, &Policy{Objective: objectiveHierarchical, Aware: true, Within: objectiveFIFO})
	if math.Abs(x[0][0]-1) > 1e-6 || math.Abs(x[1][0]-1) > 1e-6 || math.Abs(x[2][0]-.5) > 1e-6 {
		t.Errorf("two accounts, first come: %v", x)
	}
}

func BenchmarkGavel(b *testing.B) {
	for _, types := range []int{1, 3} {
		for _, objective := range []string{objectiveMaxMin, objectiveMakespan, ObjectiveFinishTime, objectiveThroughput, objectiveSJF, objectiveHierarchical, "within fifo"} {
			b.Run(fmt.Sprint(objective, "/", types), func(b *testing.B) {
				c := gavelCase{types: []string{"a", "b", "c"}[:types], gpus: []int{1024, 1024, 2048}[:types]}
				if types == 1 {
					c.gpus[0] = 4096
				}
				r := rand.New(rand.NewPCG(1, 2))
				for i := range 10000 {
					rates := make([]float64, types)
					for k := range rates {
						rates[k] = 1 + float64(k)*r.Float64()
					}
					c = c.job(1<<r.IntN(4), 100+1e5*r.Float64(), rates...)
					c.jobs[i].Arrive = gavelNow.Add(-time.Duration(r.IntN(1e6)) * time.Second)
					c.jobs[i].Account = string(rune('a' + r.IntN(20)))
				}
				round, names := c.round(b)
				for b.Loop() {
					g := &allocator{Policy: &Policy{Objective: objective, Aware: true, Within: "fairness"}}
					if objective == "within fifo" {
						g.Objective, g.Within = objectiveHierarchical, objectiveFIFO
					}
					if _, err := g.fractions(round, names); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
