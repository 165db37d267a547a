package scaling_test

import (
	"math"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

// measured returns what a job of these parameters measures.
func measured(p policy.StepTime, sizes ...[3]int) []scaling.MeasuredStep {
	var points []scaling.MeasuredStep
	for _, s := range sizes {
		gradient := p.GradAlpha + p.GradBeta*float64(s[2])
		network := 0.
		switch {
		case s[1] > 1 && s[0] > 1:
			network = p.NetAlpha + p.NetBeta*float64(s[1]-2)
		case s[1] > 1:
			network = p.LocalAlpha + p.LocalBeta*float64(s[1]-2)
		}
		step := math.Pow(math.Pow(gradient, p.Gamma)+math.Pow(network, p.Gamma), 1/p.Gamma)
		points = append(points, scaling.MeasuredStep{Nodes: s[0], Devices: s[1], PerDevice: s[2], GradientSeconds: gradient, StepSeconds: step})
	}
	return points
}

// TestFitFindsParameters: with enough measured, what is not measured is foretold too.
func TestFitFindsParameters(t *testing.T) {
	fit, sigma, ok := scaling.FitStepTime(measured(example, [3]int{1, 1, 32}, [3]int{1, 1, 128}, [3]int{1, 2, 64}, [3]int{1, 4, 64}, [3]int{1, 4, 128},
		[3]int{2, 8, 64}, [3]int{3, 12, 128}, [3]int{2, 2, 32}))
	if !ok || sigma > .02 {
		t.Fatalf("%+v, error %g, %v", fit, sigma, ok)
	}
	for _, p := range measured(example, [3]int{1, 3, 100}, [3]int{2, 5, 40}, [3]int{4, 16, 128}, [3]int{1, 1, 64}) {
		j := &policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, Scaling: &policy.Scaling{StepTimes: []policy.StepTime{fit},
			Batch: &policy.BatchRange{Initial: p.Devices * p.PerDevice, Max: p.Devices * p.PerDevice, MostPerDevice: p.PerDevice}}}
		if got := 1 / scaling.New(j).Goodput(scaling.Size{Devices: p.Devices, Nodes: p.Nodes}); math.Abs(math.Log(got/p.StepSeconds)) > .04 {
			t.Errorf("%+v: foretold %g", p, got)
		}
	}
}

// TestFitIsOptimistic: what was not seen is thought to cost nothing.
func TestFitIsOptimistic(t *testing.T) {
	one, _, _ := scaling.FitStepTime(measured(example, [3]int{1, 1, 128}))
	if one.NetAlpha > 1e-7 || one.LocalAlpha > 1e-7 || math.Abs(one.GradAlpha-.089) > 1e-6 || math.Abs(one.GradAlpha+128*one.GradBeta-.178) > .002 {
		t.Errorf("of one GPU: %+v", one)
	}
	node, _, _ := scaling.FitStepTime(measured(example, [3]int{1, 1, 128}, [3]int{1, 4, 64}, [3]int{1, 2, 64}))
	if node.LocalAlpha < .001 || math.Abs(node.NetAlpha-1.1*node.LocalAlpha) > 1e-9 || node.NetBeta < node.LocalBeta {
		t.Errorf("of one node: %+v", node)
	}
}

func TestFitOfNothing(t *testing.T) {
	for _, points := range [][]scaling.MeasuredStep{nil, {{}}, {{Devices: 1, PerDevice: 1, StepSeconds: math.NaN()}}, {{Devices: 1, PerDevice: 1, StepSeconds: math.Inf(1)}}} {
		if fit, _, ok := scaling.FitStepTime(points); ok {
			t.Errorf("%v: %+v", points, fit)
		}
	}
}
