package tiresias

import (
	"slices"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/solve/survival"
)

// TestTiresiasFirstQueue: without history the first queue ends where it does in
// the simulator of Tiresias' authors.
func TestTiresiasFirstQueue(t *testing.T) {
	for want, given := range map[policy.GPUSeconds]paper.Params{3250: {}, 27: {"first_queue": 27}} {
		made, err := System().New(given)
		if err != nil {
			t.Fatal(err)
		}
		if got := made.(*Policy).queueBounds(survival.SizeSample{}); !slices.Equal(got, []policy.GPUSeconds{want}) {
			t.Errorf("%v: the first queue ends at %v, want %v", given, got, want)
		}
	}
	if q, ok := System().SimulatorParams["queues"].([]float64); !ok || !slices.Equal(q, []float64{3250, 7200}) {
		t.Errorf("as its authors ran it: queues up to %v, want 3250 and 7200", System().SimulatorParams["queues"])
	}
}
