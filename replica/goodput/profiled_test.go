package goodput_test

import (
	"math"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
	"fairbridge/replica/goodput"
)

// twoTypes is the made profile on type slow, and on type fast, which is twice as fast and takes
// four times as much in one go.
func twoTypes(t *testing.T) *goodput.Application {
	return made(t, func(p *goodput.Profile) {
		slow, fast := p.StepTables[0], goodput.StepTable{GPUType: "fast", MostPerDevice: 400}
		slow.GPUType = "slow"
		for _, s := range slow.Samples {
			s.Step, s.Sync = s.Step/2, s.Sync/2
			fast.Samples = append(fast.Samples, s)
			if s.Devices == 1 && s.PerDevice == 100 {
				s.PerDevice, s.Step = 400, .25
				fast.Samples = append(fast.Samples, s)
			}
		}
		p.StepTables = []goodput.StepTable{fast, slow}
	})
}

// TestProfiled: a job that was profiled knows one device of each type before it begins, and
// begins small; what it then measures on several of one type holds for the other, until it
// measures several of that.
func TestProfiled(t *testing.T) {
	r := goodput.NewRun(goodput.Job{Application: twoTypes(t), BatchSize: 100}, goodput.Profiled)
	v := policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}, MinGPUs: 1, MaxGPUs: 1}
	r.Introduce(&v, []goodput.GPUType{{Name: "fast", Devices: 16, PerNode: 4}, {Name: "slow", Devices: 16, PerNode: 4}})
	curve := func() scaling.Curve { return scaling.New(&v) }
	if n := len(v.Scaling.StepTimes); n != 2 || v.Scaling.MaxSeenDevices != 0 || curve().MostDevices() != 1 {
		t.Fatalf("%d types known, %d devices seen, up to %d next; want 2, 0 and 1", n, v.Scaling.MaxSeenDevices, curve().MostDevices())
	}
	if s := v.Scaling.StepTimes[0]; s.Type != "fast" || s.MostPerDevice != 400 {
		t.Errorf("%+v, want the fast type to take 400 in one go", s)
	}
	ratio := func(devices int) float64 {
		return curve().Goodput(scaling.Size{Type: "fast", Devices: devices, Nodes: 1}) / curve().Goodput(scaling.Size{Type: "slow", Devices: devices, Nodes: 1})
	}
	run := func(typ string, devices int) {
		if !r.Place(policy.Alloc{{Node: "n", Type: typ, Count: devices}}) {
			t.Fatalf("cannot run on %d %s", devices, typ)
		}
		r.Advance(10)
		r.Report(&v)
	}
	run("slow", 4)
	one, four := ratio(1), ratio(4)
	if math.Abs(one-four) > 1e-9 || v.Scaling.MaxSeenDevices != 4 || curve().MostDevices() != 8 {
		t.Errorf("fast is %g times as fast as slow on one device and %g on four, %d seen, up to %d next; want the same, 4 and 8", one, four, v.Scaling.MaxSeenDevices, curve().MostDevices())
	}
	run("fast", 4)
	if after := ratio(4); math.Abs(after-four) < 1e-9 {
		t.Errorf("fast is still %g times as fast on four devices after it ran there", after)
	}
}

// TestCalibration: what Sia's simulator sets by hand holds where the profile says nothing itself.
func TestCalibration(t *testing.T) {
	for _, c := range []struct {
		change           func(*goodput.Profile)
		seconds, slowing float64
	}{
		{nil, 0, 1},
		{func(p *goodput.Profile) { p.Name = "cifar10" }, 50, 1.8},
		{func(p *goodput.Profile) { p.Name, p.RestartSeconds, p.Slowdown = "cifar10", 7, 3 }, 7, 3},
	} {
		if a := made(t, c.change).CalibratedAsSia(); a.RestartSeconds != c.seconds || a.Slowdown != c.slowing {
			t.Errorf("%s restarts in %g s and is slowed by %g, want %g and %g", a.Name, a.RestartSeconds, a.Slowdown, c.seconds, c.slowing)
		}
	}
}
