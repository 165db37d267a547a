package scaling_test

import (
	"math"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

func seen(devices, nodes, batch int, steps float64) scaling.Measured {
	return scaling.Measured{SpeedPoint: policy.SpeedPoint{Type: "a100", Devices: devices, Nodes: nodes, BatchSize: batch, StepsPerSecond: steps}}
}

func TestFromMeasured(t *testing.T) {
	amdahl := func(serial float64, k int) float64 { return float64(k) / (1 + serial*float64(k-1)) }
	for name, c := range map[string]struct {
		points []scaling.Measured
		batch  int
		size   scaling.Size
		want   float64 // relative to 4 devices
	}{
		"one size, the default's shape beyond it": {[]scaling.Measured{seen(4, 0, 0, 30)}, 0, scaling.Size{Type: "a100", Devices: 8}, amdahl(.05, 8) / amdahl(.05, 4)},
		"and below":                    {[]scaling.Measured{seen(4, 0, 0, 30)}, 0, scaling.Size{Type: "a100", Devices: 1}, 1 / amdahl(.05, 4)},
		"two sizes, the fitted beyond": {[]scaling.Measured{seen(2, 0, 0, amdahl(.2, 2)), seen(4, 0, 0, amdahl(.2, 4))}, 0, scaling.Size{Type: "a100", Devices: 16}, amdahl(.2, 16) / amdahl(.2, 4)},
		"two sizes, slower on more":    {[]scaling.Measured{seen(2, 0, 0, 10), seen(4, 0, 0, 8)}, 0, scaling.Size{Type: "a100", Devices: 8}, 1},
		"of two batch sizes":           {[]scaling.Measured{seen(4, 0, 64, 10), seen(8, 0, 128, 8)}, 64, scaling.Size{Type: "a100", Devices: 8}, 1.6},
		"one size seen twice":          {[]scaling.Measured{seen(4, 0, 0, 10), seen(4, 0, 0, 20), seen(8, 0, 0, 30)}, 0, scaling.Size{Type: "a100", Devices: 8}, 2},
		"spread":                       {[]scaling.Measured{seen(4, 0, 0, 10), seen(4, 2, 0, 6)}, 0, scaling.Size{Type: "a100", Devices: 4, Nodes: 2}, .6},
		"spread, of a size known by the shape": {[]scaling.Measured{seen(4, 0, 0, 10), seen(8, 3, 0, 5*amdahl(.05, 8)/amdahl(.05, 4))}, 0,
			scaling.Size{Type: "a100", Devices: 4, Nodes: 2}, .5},
		"only spread": {[]scaling.Measured{seen(4, 2, 0, 10)}, 0, scaling.Size{Type: "a100", Devices: 4}, 1},
	} {
		s := scaling.FromMeasured(policy.ScalingFromReports, c.points, c.batch)
		j := &policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 4}}, Scaling: s}
		if got := scaling.New(j).Speed(c.size); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g, want %g (%+v)", name, got, c.want, s)
		}
	}
}

// TestUncertainty: it falls with every size that was measured, and is no less than the noise of
// what was.
func TestUncertainty(t *testing.T) {
	last := scaling.Assumed().RelativeSigma
	var all []scaling.Measured
	for _, devices := range []int{1, 2, 4, 8} {
		all = append(all, seen(devices, 0, 0, float64(devices)))
		s := scaling.FromMeasured(policy.ScalingFromReports, all, 0)
		if s.RelativeSigma >= last || s.MaxSeenDevices != devices || s.Source != policy.ScalingFromReports {
			t.Errorf("%d sizes: %+v after %g", len(all), s, last)
		}
		last = s.RelativeSigma
	}
	noisy := seen(16, 0, 0, 16)
	noisy.RelativeSpread, noisy.Count = .6, 4
	if s := scaling.FromMeasured(policy.ScalingFromClass, append(all, noisy), 0); s.RelativeSigma < .3 {
		t.Errorf("noisy: %g", s.RelativeSigma)
	}
	for _, none := range [][]scaling.Measured{nil, {seen(0, 0, 0, 1)}, {seen(1, 0, 0, 0)}, {seen(1, 0, 0, math.Inf(1))}, {seen(1, 0, 0, math.NaN())}} {
		if s := scaling.FromMeasured(policy.ScalingFromReports, none, 0); s != nil {
			t.Errorf("%+v of %+v", s, none)
		}
	}
}

// TestStepTimesOfReports: of a job that adapts its batch, what it reported at some batch sizes tells
// the time of a step at others.
func TestStepTimesOfReports(t *testing.T) {
	seconds := func(devices, part int) float64 { // 0.1 s and 1 ms a sample, 20 ms of network
		if devices == 1 {
			return .1 + .001*float64(part)
		}
		return .12 + .001*float64(part)
	}
	var all []scaling.Measured
	for _, at := range [][2]int{{1, 64}, {1, 128}, {2, 64}, {4, 64}, {4, 128}} {
		all = append(all, seen(at[0], 0, at[0]*at[1], 1/seconds(at[0], at[1])))
	}
	all = append(all, seen(1, 0, 4096, 9), seen(2, 0, 0, 100)) // in several passes, and of no batch size
	b := &policy.BatchRange{Initial: 64, Max: 2048, LeastPerDevice: 8, MostPerDevice: 256, GradSqr: 1, GradVar: 1000}
	s := scaling.FromMeasured(policy.ScalingFromReports, all, 64)
	scaling.AddStepTimes(s, all, b)
	if s.Batch != b || len(s.StepTimes) != 1 || s.StepTimes[0].Type != "a100" || s.RelativeSigma > .3 {
		t.Fatalf("%+v", s)
	}
	j := &policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 1}}, Scaling: s, MinGPUs: 1, MaxGPUs: 8}
	if batch, goodput := scaling.New(j).BestBatch(scaling.Size{Type: "a100", Devices: 8}); batch.Global < 512 || goodput <= scaling.New(j).Goodput(scaling.Size{Type: "a100", Devices: 4}) {
		t.Errorf("on 8: %+v, goodput %g", batch, goodput)
	}
}
