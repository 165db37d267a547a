package optimus

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/solve/descent"
)

func lossesOf(c lossCurve, steps ...float64) []policy.LossPoint {
	var points []policy.LossPoint
	for _, k := range steps {
		points = append(points, policy.LossPoint{Step: k, Loss: c.at(k)})
	}
	return points
}

func upTo(n int, each float64) []float64 {
	steps := make([]float64, n)
	for i := range steps {
		steps[i] = float64(i) * each
	}
	return steps
}

// TestFitLosses: the exact data of the brief are found again to a thousandth.
func TestFitLosses(t *testing.T) {
	want := lossCurve{.1, 1, .2}
	got, ok := fitLosses(lossesOf(want, upTo(60, 1)...))
	if !ok || math.Abs(got.Rate-.1) > 1e-3 || math.Abs(got.Start-1) > 1e-3 || math.Abs(got.Floor-.2) > 1e-3 {
		t.Errorf("%+v (%v), want %+v", got, ok, want)
	}
	for name, points := range map[string][]policy.LossPoint{
		"too few":       lossesOf(want, 1, 2, 3, 4),
		"all the same":  {{Step: 1, Loss: 1}, {Step: 2, Loss: 1}, {Step: 3, Loss: 1}, {Step: 4, Loss: 1}, {Step: 5, Loss: 1}},
		"rising":        {{Step: 1, Loss: 1}, {Step: 2, Loss: 2}, {Step: 3, Loss: 3}, {Step: 4, Loss: 4}, {Step: 5, Loss: 5}},
		"one not a one": {{Step: 1, Loss: 9}, {Step: 2, Loss: math.NaN()}, {Step: 3, Loss: 3}, {Step: 4, Loss: 2}, {Step: 5, Loss: 1}},
	} {
		if c, ok := fitLosses(points); ok {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestFitLossesOfAnyCurve: any curve of the form is found again, to one part in a hundred of
// its losses, even beyond the points.
func TestFitLossesOfAnyCurve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := lossCurve{rapid.Float64Range(.01, 1).Draw(t, "rate"), rapid.Float64Range(.1, 2).Draw(t, "start"), rapid.Float64Range(0, 1).Draw(t, "floor")}
		got, ok := fitLosses(lossesOf(c, upTo(rapid.IntRange(10, 80).Draw(t, "points"), 1)...))
		for _, k := range []float64{0, 5, 50, 150} {
			if !ok || math.Abs(got.at(k)/c.at(k)-1) > .01 {
				t.Fatalf("%+v: fitted %+v (%v), after %g steps %g instead of %g", c, got, ok, k, got.at(k), c.at(k))
			}
		}
	})
}

// TestLineFit: the line for hundreds of which a fit asks is that of package descent.
func TestLineFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l lineFit
		var rows [][]float64
		var values []float64
		for range rapid.IntRange(2, 20).Draw(t, "points") {
			w, x, y := rapid.Float64Range(.1, 2).Draw(t, "weight"), rapid.Float64Range(0, 1).Draw(t, "x"), rapid.Float64Range(.1, 5).Draw(t, "y")
			l.add(w*x, w, w*y)
			rows, values = append(rows, []float64{w * x, w}), append(values, w*y)
		}
		error := func(slope, start float64) (sum float64) {
			for i, r := range rows {
				off := slope*r[0] + start*r[1] - values[i]
				sum += off * off
			}
			return sum
		}
		slope, start := l.solve()
		want := descent.LeastSquares(rows, values)
		if got, least := error(slope, start), error(want[0], want[1]); slope < 0 || start < 0 || got > least+1e-6*(1+least) {
			t.Fatalf("%g and %g, with an error of %g; of %v it is %g", slope, start, got, want, least)
		}
	})
}

// TestStepsToConverge: 1/(k+1) falls from epoch n to n+10 by 10/(n+11) of itself, which is less
// than half after 10 epochs and less than a tenth after 90. After 40, the former is past.
func TestStepsToConverge(t *testing.T) {
	for _, c := range []struct {
		points          int
		threshold, want float64
	}{{5, .5, 6}, {5, .1, 86}, {41, .1, 50}, {41, .5, 1}, {5, .001, 100}} {
		training := &policy.Training{Losses: lossesOf(lossCurve{1, 1, 0}, upTo(c.points, 1)...)}
		if got, ok := stepsToConverge(training, c.threshold); !ok || math.Abs(got-c.want) > 1 {
			t.Errorf("after %d epochs, threshold %g: %g steps left (%v), want %g", c.points-1, c.threshold, got, ok, c.want)
		}
	}
	epochs := &policy.Training{Losses: lossesOf(lossCurve{.01, 1, 0}, upTo(41, 100)...), StepsDone: 4000, EpochsDone: 40}
	if got, ok := stepsToConverge(epochs, .1); !ok || math.Abs(got-5000) > 100 {
		t.Errorf("epochs of 100 steps: %g left (%v), want 5000", got, ok)
	}
	if _, ok := stepsToConverge(&policy.Training{}, .1); ok {
		t.Error("without losses there is an answer")
	}
}

// TestFitSpeeds: five sizes give the step time of the paper's form; with four the curve counts.
func TestFitSpeeds(t *testing.T) {
	want := stepTime{8, 1, .05}
	j := &policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: 2}}, Scaling: &policy.Scaling{Source: policy.ScalingFromReports}}
	for _, n := range []int{1, 2, 4, 8, 16} {
		j.Scaling.Points = append(j.Scaling.Points, policy.SpeedPoint{Type: "g", Devices: n, StepsPerSecond: 1 / want.seconds(n)})
	}
	for _, n := range []int{1, 2, 6, 32, 64} {
		if got := speeds(j, "g")(n); math.Abs(got/(want.seconds(2)/want.seconds(n))-1) > 1e-9 {
			t.Errorf("%d devices: %g times as fast as on two, want %g", n, got, want.seconds(2)/want.seconds(n))
		}
	}
	j.Scaling.Points = j.Scaling.Points[:4]
	if a, b := speeds(j, "g")(8), speeds(j, "g")(64); a != b {
		t.Errorf("with four sizes it is %g times as fast on 64 devices, want %g as on the most measured", b, a)
	}
}
