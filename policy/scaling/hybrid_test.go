package scaling_test

import (
	"testing"

	"fairbridge/policy/scaling"
)

// TestHybridBatch: 32 samples keep a device busy.
func TestHybridBatch(t *testing.T) {
	busy := func(batch int) int { return batch / 32 }
	for _, c := range []struct{ batch, most, devices, want int }{
		{256, 0, 4, 256}, {256, 0, 8, 256}, {256, 0, 9, 512}, {256, 0, 17, 1024}, {256, 600, 17, 512}, {256, 100, 17, 256}, {16, 0, 1, 32}, {0, 0, 8, 0},
	} {
		got, factor := scaling.HybridBatch(c.batch, c.most, c.devices, busy)
		if got != c.want || c.batch > 0 && factor != float64(c.want)/float64(c.batch) {
			t.Errorf("a batch of %d, at most %d, on %d devices: %d and %g times the rate, want %d", c.batch, c.most, c.devices, got, factor, c.want)
		}
	}
	if got, _ := scaling.HybridBatch(1, 0, 8, func(int) int { return 0 }); got != 1<<30 {
		t.Errorf("where no batch is enough: %d", got)
	}
}
