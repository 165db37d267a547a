package goodput_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/replica/goodput"
)

// on is an allocation of so many devices on each of a row of nodes.
func on(counts ...int) policy.Alloc {
	var a policy.Alloc
	for i, n := range counts {
		a = append(a, policy.Slot{Node: fmt.Sprintf("n%02d", i+1), Type: "t4", Count: n})
	}
	return a
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(math.Abs(a), math.Abs(b)) }

func TestStepSeconds(t *testing.T) {
	a := made(t, func(p *goodput.Profile) {
		p.StepTables[0].LookedUp = []goodput.StepSample{{Nodes: 3, Devices: 5, PerDevice: 20, Step: 7, Sync: 2}}
	})
	for _, c := range []struct {
		name  string
		on    policy.Alloc
		batch scaling.Batch
		want  float64
	}{
		{"measured", on(4), scaling.Batch{PerDevice: 50}, .16},
		{"between two batches", on(1), scaling.Batch{PerDevice: 75}, .175},
		{"beyond the largest", on(1), scaling.Batch{PerDevice: 200}, .3},
		{"no less than the smallest", on(1), scaling.Batch{PerDevice: 1}, .11},
		{"accumulated, without the exchange", on(4, 4), scaling.Batch{PerDevice: 100, AccumulationSteps: 2}, .25 + 2*.2},
		{"nodes in any order", on(2, 2), scaling.Batch{PerDevice: 10}, .16},
		{"a single point", on(1, 2, 2), scaling.Batch{PerDevice: 20}, 7},
		{"beside it: between two numbers of nodes", on(2, 2, 2), scaling.Batch{PerDevice: 10}, .11 + .1},
		{"three of a node: between two and four", on(3), scaling.Batch{PerDevice: 10}, .12},
		{"more nodes than were measured", on(4, 4, 4, 4, 4, 4), scaling.Batch{PerDevice: 10}, .11 + .15},
	} {
		if got := a.StepSeconds(c.on, c.batch); !near(got, c.want) {
			t.Errorf("%s: %g s, want %g", c.name, got, c.want)
		}
	}
}

// TestStepSecondsArePositive: on any placement and batch, measured or not, a step takes a
// positive time, the same each time.
func TestStepSecondsArePositive(t *testing.T) {
	a := made(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		where := on(rapid.SliceOfN(rapid.IntRange(1, 12), 1, 40).Draw(t, "devices")...)
		b := scaling.Batch{PerDevice: rapid.IntRange(1, 10_000).Draw(t, "batch"), AccumulationSteps: rapid.IntRange(0, 50).Draw(t, "accumulation")}
		got := a.StepSeconds(where, b)
		if !(got > 0) || math.IsInf(got, 0) || got != a.StepSeconds(where, b) {
			t.Errorf("%v, %+v: %g s", where, b, got)
		}
	})
}

func TestGain(t *testing.T) {
	a := made(t, nil)
	for _, c := range []struct {
		epoch int
		batch float64
		want  float64
	}{{0, 100, 1}, {0, 400, 2 / 1.25}, {1, 800, 4 / (3./8 + 1)}, {1, 1600, 4 / (3./16 + 1)}} {
		if got := a.Gain(c.epoch, c.batch); !near(got, c.want) {
			t.Errorf("epoch %d, batch %g: %g, want %g", c.epoch, c.batch, got, c.want)
		}
	}
	if left := []float64{a.IterationsLeft(0, 100), a.IterationsLeft(0, 200), a.IterationsLeft(1, 100), a.IterationsLeft(2, 100)}; left[0] != 1000 || !near(left[1], 750) || left[2] != 1 || left[3] != 1 {
		t.Errorf("iterations left: %v", left)
	}
	if a.EpochCount() != 2 || a.Total() != 2100 {
		t.Errorf("%d epochs to %g, want 2 to 2100", a.EpochCount(), a.Total())
	}
}

// TestBadProfiles: what cannot be simulated is an error that says what is wrong.
func TestBadProfiles(t *testing.T) {
	for want, spoil := range map[string]func(*goodput.Profile){
		"batch sizes from 0":           func(p *goodput.Profile) { p.InitialBatch = 0 },
		"batch sizes of a device from": func(p *goodput.Profile) { p.MostPerDevice = 1 },
		"no training was measured":     func(p *goodput.Profile) { p.Validations = nil },
		"no step was measured":         func(p *goodput.Profile) { p.StepTables = nil },
		"1 epochs with":                func(p *goodput.Profile) { p.Validations[1].Epochs = p.Validations[1].Epochs[:1] },
		"gradient 0 and 0":             func(p *goodput.Profile) { p.Validations[0].Epochs = []goodput.Epoch{{Progress: 1}, {Progress: 2}} },
		"epoch 2 ends at a progress": func(p *goodput.Profile) {
			p.Validations[0].Epochs = []goodput.Epoch{{Progress: 5, GradVar: 1}, {Progress: 5, GradVar: 1}}
		},
		"a step of -1 s": func(p *goodput.Profile) { p.StepTables[0].Samples[0].Step = -1 },
	} {
		made(t, func(p *goodput.Profile) {
			q := *p
			q.Validations, q.StepTables = append([]goodput.Validation(nil), p.Validations...), append([]goodput.StepTable(nil), p.StepTables...)
			q.StepTables[0].Samples = append([]goodput.StepSample(nil), p.StepTables[0].Samples...)
			spoil(&q)
			if _, err := goodput.New(q); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}
