package neighbours_test

import (
	"math"
	"testing"

	"fairbridge/lab/neighbours"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

func busy(id int64, share float64) *workload.Job {
	return &workload.Job{ID: id, IsShareable: true, Sharing: &policy.Sharing{Utilisation: policy.KnownValue(share)}}
}

// figures are the mean of the speeds of a thousand pairs whose jobs compute so much of the time, the one in
// ten below which pairs are, and the mean of the slower ones.
func figures(a, b, most float64) (mean, low, slower float64) {
	const n = 1000
	truth := neighbours.Truth{Seed: 7, MaxSpeed: most}
	below := 0
	for i := range int64(n) {
		s := truth.RelativeSpeeds([]*workload.Job{busy(2*i, a), busy(2*i+1, b)}, "v100")
		mean += (s[0] + s[1]) / 2 / n
		slower += min(s[0], s[1]) / n
		if (s[0]+s[1])/2 < .56 {
			below++
		}
	}
	return mean, float64(below) / n, slower
}

// TestAsPublished: what is drawn is spread as what was measured.
func TestAsPublished(t *testing.T) {
	for _, c := range []struct{ a, b, mean, slower, by float64 }{{.1, .05, .98, .935, .01}, {.4, .5, .97, .93, .01}, {.7, .75, .80, .72, .01}, {.95, .95, .68, .60, .015}} {
		mean, _, slower := figures(c.a, c.b, 2)
		if math.Abs(mean-c.mean) > c.by || math.Abs(slower-c.slower) > c.by {
			t.Errorf("%v and %v: mean %.3f, slower %.3f; want %v and %v", c.a, c.b, mean, slower, c.mean, c.slower)
		}
	}
	if _, low, _ := figures(.95, .95, 2); math.Abs(low-.1) > .03 {
		t.Errorf("%.0f %% of pairs are below the tenth that was published", 100*low)
	}
	if mean, _, _ := figures(.2, .3, 0); mean > 1 || mean < .95 {
		t.Errorf("none is faster than alone: mean %.3f", mean)
	}
}

// TestTruth: the same whoever is named first, slower among more, another with another seed.
func TestTruth(t *testing.T) {
	truth, other := &neighbours.Truth{Seed: 1}, &neighbours.Truth{Seed: 2}
	a, b, c := busy(1, .9), busy(2, .6), busy(3, .8)
	two := truth.RelativeSpeeds([]*workload.Job{a, b}, "")
	turned := truth.RelativeSpeeds([]*workload.Job{b, a}, "")
	if two[0] != turned[1] || two[1] != turned[0] {
		t.Errorf("%v, the other way round %v", two, turned)
	}
	three := truth.RelativeSpeeds([]*workload.Job{a, b, c}, "")
	if three[0] >= two[0] || three[1] >= two[1] || three[2] <= 0 {
		t.Errorf("three %v, two %v", three, two)
	}
	if again := other.RelativeSpeeds([]*workload.Job{a, b}, ""); again[0] == two[0] {
		t.Error("the seed does not matter")
	}
	if alone := truth.RelativeSpeeds([]*workload.Job{a}, ""); alone[0] != 1 {
		t.Errorf("alone %v", alone)
	}
}

// TestUtilisationOfTheTruth may be another than policies are told.
func TestUtilisationOfTheTruth(t *testing.T) {
	truth := &neighbours.Truth{Seed: 1, Utilisation: func(*workload.Job) float64 { return .95 }}
	if s := truth.RelativeSpeeds([]*workload.Job{busy(1, 0), busy(2, 0)}, ""); s[0]+s[1] > 1.8 {
		t.Errorf("%v", s)
	}
	if s := (&neighbours.Truth{}).RelativeSpeeds([]*workload.Job{{ID: 1}, {ID: 2}}, ""); s[0]+s[1] < 1.5 {
		t.Errorf("nothing is said of them: %v", s)
	}
}
