package policy

import (
	"math"
	"testing"
)

// DecayedService is the sum of what every second of the span is worth.
func TestDecayedService(t *testing.T) {
	for _, c := range [][4]float64{{1, 1000, 0, 500}, {8, 100_000, 20_000, 30_000}, {0.14, 700, 699, 604_800}, {4, 50, 50, 10}} {
		gpus, oldest, newest, half := c[0], c[1], c[2], c[3]
		want := 0.0
		const steps = 10_000
		for i := range steps {
			age := newest + (oldest-newest)*(float64(i)+.5)/steps
			want += gpus * (oldest - newest) / steps * math.Exp(-math.Ln2*age/half)
		}
		if got := float64(DecayedService(gpus, oldest, newest, half)); math.Abs(got-want) > 1e-6*want {
			t.Errorf("%v: %v GPU-seconds, want %v", c, got, want)
		}
	}
}
