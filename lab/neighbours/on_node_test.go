package neighbours_test

import (
	"fmt"
	"math"
	"testing"

	"fairbridge/lab/neighbours"
	"fairbridge/replica/workload"
)

// TestOnNode: classes cost each other what was drawn, from a sixth to a half and a third on average, the same each time; a
// neighbour on a quarter of the GPUs costs half as much in the exponent, and several add up there.
func TestOnNode(t *testing.T) {
	truth := &neighbours.OnNode{Seed: 1, MeanLoss: 1. / 3, MostLoss: .5}
	mean, n := 0.0, 0.0
	for a := range 40 {
		for b := range a + 1 {
			own, other := &workload.Job{ID: 1, Class: fmt.Sprint(a)}, &workload.Job{ID: 2, Class: fmt.Sprint(b)}
			speed := truth.SpeedOnNode(own, []workload.NodePart{{Job: other, Part: .5}})
			if speed < .5 || speed > 5./6 || speed != truth.SpeedOnNode(other, []workload.NodePart{{Job: own, Part: .5}}) {
				t.Fatalf("%v, beside it %v", speed, truth.SpeedOnNode(other, []workload.NodePart{{Job: own, Part: .5}}))
			}
			quarters := truth.SpeedOnNode(own, []workload.NodePart{{Job: other, Part: .25}, {Job: other, Part: .25}})
			if math.Abs(quarters-speed) > 1e-12 {
				t.Fatalf("two quarters: %v, a half: %v", quarters, speed)
			}
			mean, n = mean+speed, n+1
		}
	}
	if mean /= n; math.Abs(mean-2./3) > .02 {
		t.Errorf("mean speed %v, want two thirds", mean)
	}
}

// TestOnNodeApart: with a spread of their own two jobs of the same classes are not slowed alike, and asymmetric classes differ.
func TestOnNodeApart(t *testing.T) {
	truth := &neighbours.OnNode{Seed: 1, MeanLoss: 1. / 3, MostLoss: .5, OwnSpread: .1, Asymmetric: true}
	a, b, c := &workload.Job{ID: 1, Class: "a"}, &workload.Job{ID: 2, Class: "b"}, &workload.Job{ID: 3, Class: "b"}
	speed := func(j, other *workload.Job) float64 {
		return truth.SpeedOnNode(j, []workload.NodePart{{Job: other, Part: .5}})
	}
	if speed(a, b) == speed(a, c) || speed(a, b) == speed(b, a) {
		t.Errorf("%v, %v, %v", speed(a, b), speed(a, c), speed(b, a))
	}
}
