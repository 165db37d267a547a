package scaling_test

import (
	"math"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/scaling"
)

func TestSpeed(t *testing.T) {
	ask := policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 4}}
	points := []policy.SpeedPoint{{Devices: 1, StepsPerSecond: 10}, {Devices: 2, StepsPerSecond: 18}, {Devices: 4, StepsPerSecond: 30}, {Devices: 8, StepsPerSecond: 40}, {Devices: 8, Nodes: 2, StepsPerSecond: 32}}
	for name, c := range map[string]struct {
		scaling *policy.Scaling
		size    scaling.Size
		want    float64
	}{
		"what it asks":                {nil, scaling.Size{Devices: 4}, 1},
		"nothing is known":            {nil, scaling.Size{Devices: 8}, 8 / 1.35 / (4 / 1.15)},
		"no device":                   {nil, scaling.Size{}, 0},
		"measured":                    {&policy.Scaling{Points: points}, scaling.Size{Devices: 2}, .6},
		"between two":                 {&policy.Scaling{Points: points}, scaling.Size{Devices: 3}, .8},
		"beyond":                      {&policy.Scaling{Points: points}, scaling.Size{Devices: 64}, 4. / 3},
		"spread as measured":          {&policy.Scaling{Points: points}, scaling.Size{Devices: 8, Nodes: 2}, 32. / 30},
		"spread, of which one number": {&policy.Scaling{SerialPart: 0, SpreadSpeed: .7}, scaling.Size{Devices: 4, Nodes: 2}, .7},
	} {
		j := &policy.Job{Ask: ask, Scaling: c.scaling}
		if got := scaling.New(j).Speed(c.size); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %g, want %g", name, got, c.want)
		}
	}
}

// TestTypes: a curve that does not tell types apart follows the speeds the job reports of them.
func TestTypes(t *testing.T) {
	j := &policy.Job{Ask: policy.Ask{GPUs: policy.GPUs{Type: "t4", Count: 1}},
		Training: &policy.Training{Rates: []policy.Rate{{Type: "a100", StepsPerSecond: 6}, {Type: "t4", StepsPerSecond: 2}}},
		Scaling:  &policy.Scaling{Points: []policy.SpeedPoint{{Devices: 1, StepsPerSecond: 1}, {Devices: 2, StepsPerSecond: 1.5}}}}
	if got := scaling.New(j).Speed(scaling.Size{Type: "a100", Devices: 2}); math.Abs(got-4.5) > 1e-12 {
		t.Errorf("%g, want 4.5", got)
	}
	if got, ok := scaling.New(j).StepsPerSecond(scaling.Size{Type: "a100", Devices: 2}); !ok || math.Abs(got-9) > 1e-12 {
		t.Errorf("%g steps a second, want 9", got)
	}
}
