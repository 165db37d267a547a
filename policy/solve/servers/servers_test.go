package servers_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"fairbridge/policy/solve/servers"
)

// TestMicroExample: ten requests a second on a server, fifty come. Of 6 servers 2.65 % of the answers take longer
// than half a second, of 7 .89 %; than .6 s 1.12 and .33 %.
func TestMicroExample(t *testing.T) {
	for _, c := range []struct {
		within      float64
		six, seven  float64
		leastFor99  int
		leastFor995 int
	}{{.5, .0265, .0089, 7, 0}, {.6, .0112, .0033, 7, 7}} {
		r := servers.Requests{PerSecond: 50, ServiceSeconds: .1, WithinSeconds: c.within}
		if six, seven := r.LateProbability(6), r.LateProbability(7); math.Abs(six-c.six) > 5e-5 || math.Abs(seven-c.seven) > 5e-5 {
			t.Errorf("within %g s: %.4f and %.4f are late, want %.4f and %.4f", c.within, six, seven, c.six, c.seven)
		}
		if n, ok := r.LeastServers(.99, 100); n != c.leastFor99 || !ok {
			t.Errorf("within %g s: %d servers (%t), want %d", c.within, n, ok, c.leastFor99)
		}
		if n, ok := r.LeastServers(.995, 100); ok != (c.leastFor995 > 0) || ok && n != c.leastFor995 {
			t.Errorf("within %g s of .995: %d servers (%t), want %d", c.within, n, ok, c.leastFor995)
		}
	}
}

// TestOneServer: with one server both are the textbook's: the part that waits is the load, and answers
// take exponentially long about 1/(mu-lambda). Where a rate makes the formula 0/0 it is its limit.
func TestOneServer(t *testing.T) {
	for _, rate := range []float64{0, .1, 3, 5, 9} {
		r := servers.Requests{PerSecond: rate, ServiceSeconds: .1, WithinSeconds: .3}
		if got := r.WaitProbability(1); math.Abs(got-rate/10) > 1e-12 {
			t.Errorf("at %g a second %g wait", rate, got)
		}
		if got, want := r.LateProbability(1), math.Exp(-(10-rate)*.3); math.Abs(got-want) > 1e-9 {
			t.Errorf("at %g a second %g are late, want %g", rate, got, want)
		}
	}
	limit := servers.Requests{PerSecond: 20, ServiceSeconds: .1, WithinSeconds: .3} // of 3 servers the spare is one
	near := limit
	near.PerSecond = 20.0001
	if a, b := limit.LateProbability(3), near.LateProbability(3); math.Abs(a-b) > 1e-4 {
		t.Errorf("%g and beside it %g", a, b)
	}
}

// TestAgainstSimulation: of 400,000 requests as many are late as the formula says.
func TestAgainstSimulation(t *testing.T) {
	r := servers.Requests{PerSecond: 50, ServiceSeconds: .1, WithinSeconds: .4}
	chance := rand.New(rand.NewPCG(3, 4))
	free, late, now := make([]float64, 7), 0, 0.0
	const all = 400_000
	for range all {
		now += chance.ExpFloat64() / r.PerSecond
		i := slices.Index(free, slices.Min(free))
		free[i] = max(free[i], now) + chance.ExpFloat64()*r.ServiceSeconds
		if free[i]-now > r.WithinSeconds {
			late++
		}
	}
	if got, want := float64(late)/all, r.LateProbability(7); math.Abs(got-want) > .05*want {
		t.Errorf("%.4f are late, the formula says %.4f", got, want)
	}
}

// TestMonotone: more requests, more to be in time, or less time never need fewer servers; these always keep up, and
// one fewer would not do.
func TestMonotone(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		r := servers.Requests{PerSecond: 300 * chance.Float64(), ServiceSeconds: .02 + .2*chance.Float64(), WithinSeconds: 2 * chance.Float64()}
		part := .8 + .199*chance.Float64()
		n, ok := r.LeastServers(part, 200)
		if !ok {
			if n != 200 {
				t.Fatalf("%+v: %d where none does", r, n)
			}
			continue
		}
		if float64(n) <= r.PerSecond*r.ServiceSeconds || r.LateProbability(n) > 1-part || n > 1 && r.LateProbability(n-1) <= 1-part {
			t.Fatalf("%+v: %d servers for %g", r, n, part)
		}
		busier, quicker := r, r
		busier.PerSecond *= 1.1
		quicker.WithinSeconds *= .9
		a, _ := busier.LeastServers(part, 200)
		b, _ := quicker.LeastServers(part, 200)
		c, _ := r.LeastServers(part+.1*(1-part), 200)
		if min(a, b, c) < n {
			t.Fatalf("%+v: %d servers, with more asked of them %d, %d, %d", r, n, a, b, c)
		}
	}
	if n, ok := (servers.Requests{ServiceSeconds: .1, WithinSeconds: 1}).LeastServers(.99, 50); n != 1 || !ok {
		t.Errorf("without requests %d", n)
	}
	if n, ok := (servers.Requests{PerSecond: 1, ServiceSeconds: .1, WithinSeconds: .05}).LeastServers(.99, 50); n != 50 || ok {
		t.Errorf("what no number does: %d, %t", n, ok)
	}
}

func TestForecastRate(t *testing.T) {
	for name, c := range map[string]struct {
		h     servers.History
		ahead float64
		want  float64
	}{
		"nothing known":   {servers.History{WindowSeconds: 60}, 120, 0},
		"one rate":        {servers.History{WindowSeconds: 60, Rates: []float64{7}}, 120, 7},
		"rising":          {servers.History{WindowSeconds: 60, Rates: []float64{10, 12, 14}}, 120, 19}, // 14 half a minute ago, 2 a minute more
		"falling":         {servers.History{WindowSeconds: 60, Rates: []float64{14, 12, 10}}, 120, 10},
		"usual is more":   {servers.History{WindowSeconds: 60, Rates: []float64{10}, Usual: 25}, 120, 25},
		"with the margin": {servers.History{WindowSeconds: 100, Rates: []float64{25}, Sigmas: 2}, 0, 26},
	} {
		if got := c.h.ForecastRate(c.ahead); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
}
