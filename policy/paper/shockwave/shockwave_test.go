package shockwave

import (
	"testing"

	"fairbridge/policy"
)

// TestAuthorsSettings: k and lambda of Shockwave's scripts for their clusters of
// 32, 64, 128 and 256 GPUs, and between two of them those of the nearer by
// ratio.
func TestAuthorsSettings(t *testing.T) {
	for _, c := range []struct {
		gpus      int
		k, lambda float64
	}{
		{4, 1e-3, 12}, {32, 1e-3, 12}, {45, 1e-3, 12}, {46, 10, 5}, {64, 10, 5}, {90, 10, 5},
		{91, 1e-3, 15}, {128, 1e-3, 15}, {181, 1e-3, 15}, {182, 1e5, 5}, {256, 1e5, 5}, {1024, 1e5, 5},
	} {
		s := &policy.Snapshot{Nodes: []policy.Node{{Name: "n1", GPUs: []policy.NodeDevices{{Type: "a100", Count: c.gpus}}}}}
		if k, lambda := authorsSettings(s); k != c.k || lambda != c.lambda {
			t.Errorf("%d GPUs: k %g and lambda %g, want %g and %g", c.gpus, k, lambda, c.k, c.lambda)
		}
	}
}
