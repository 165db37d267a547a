package fragments_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"fairbridge/policy"
	"fairbridge/replica/fragments"
	"fairbridge/replica/measure"
)

// twoNodes have so many free GPUs each; a job waits for eight on one node.
func twoNodes(a, b int) func() *policy.Snapshot {
	return func() *policy.Snapshot {
		s := &policy.Snapshot{Jobs: []policy.Job{{ID: 1, Partition: "gpu", State: policy.Pending, Ask: policy.Ask{GPUs: policy.GPUs{Count: 8}, MaxNodes: 1}}}}
		for i, n := range []int{a, b} {
			s.Nodes = append(s.Nodes, policy.Node{Name: string(rune('a' + i)), Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: n}}})
		}
		return s
	}
}

// TestMeter: what a look sees holds until the next.
func TestMeter(t *testing.T) {
	var m fragments.Meter
	var r measure.Run
	m.AddTo(&r, 5)
	if r.UnusableGPUSeconds.Known {
		t.Errorf("%+v without a look", r.UnusableGPUSeconds)
	}
	m.Look(10, twoNodes(5, 4)) // for 20 s 9 are of no use, and 8 are waited for
	m.Look(30, twoNodes(8, 4)) // for 10 s 4 are of no use
	m.Look(40, twoNodes(2, 1)) // for 60 s 3 are, and are too few
	m.AddTo(&r, 100)
	if got, want := r.UnusableGPUSeconds, policy.KnownValue(20*9+10*4+60*3); got != want {
		t.Errorf("unusable %v, want %v", got, want)
	}
	if got, want := r.BlockedGPUSeconds, policy.KnownValue(20*8); got != want {
		t.Errorf("blocked %v, want %v", got, want)
	}
}

// TestLooksLessOften: of many looks only some are taken, and the mean is right all the same.
func TestLooksLessOften(t *testing.T) {
	var m fragments.Meter
	var r measure.Run
	taken := 0
	random := rand.New(rand.NewPCG(17, 8)) // what changes in step with the looks would deceive them
	for i := range 100_000 {
		free := random.IntN(8)
		m.Look(float64(i), func() *policy.Snapshot {
			taken++
			return twoNodes(free, 0)()
		})
	}
	m.AddTo(&r, 100_000)
	if taken > 12_000 {
		t.Errorf("%d looks were taken", taken)
	}
	if mean := r.UnusableGPUSeconds.Value / 100_000; math.Abs(mean-3.5) > .5 {
		t.Errorf("%v GPUs were of no use on average, want about 3.5", mean)
	}
}
