package tiresias

import (
	"slices"
	"testing"

	"fairbridge/policy"
	"fairbridge/policy/solve/survival"
)

// TestTiresiasFirstQueue: without history the first queue ends where it does in
// the simulator of Tiresias' authors.
func TestTiresiasFirstQueue(t *testing.T) {
	if got := (&Policy{Quantile: .8}).queueBounds(survival.SizeSample{}); !slices.Equal(got, []policy.GPUSeconds{3250}) {
		t.Errorf("the first queue ends at %v GPU-seconds, want 3250", got)
	}
	if q, ok := System().SimulatorParams["queues"].([]float64); !ok || !slices.Equal(q, []float64{3250, 7200}) {
		t.Errorf("as its authors ran it: queues up to %v, want 3250 and 7200", System().SimulatorParams["queues"])
	}
}
