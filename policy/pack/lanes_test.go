package pack_test

import (
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy"
	"fairbridge/policy/pack"
)

// TestLanes: three jobs that keep 1, 2 and 1 and need 6, 5 and 9 besides.
func TestLanes(t *testing.T) {
	jobs := []pack.Footprint{{KeptMB: 1, ScratchMB: 6}, {KeptMB: 2, ScratchMB: 5}, {KeptMB: 1, ScratchMB: 9}}
	for _, c := range []struct {
		capacity, used int64
		lanes          int
		third          bool
	}{{16, 14, 2, false}, {18, 18, 2, true}, {24, 24, 3, true}} {
		l := pack.Lanes{CapacityMB: c.capacity}
		if !l.Admit(jobs[0]) || !l.Admit(jobs[1]) || l.Count() != 2 || l.UsedMB() != 14 {
			t.Errorf("capacity %d: the first two have %d lanes and use %d", c.capacity, l.Count(), l.UsedMB())
		}
		if l.Admit(jobs[2]) != c.third || l.UsedMB() != c.used || l.Count() != c.lanes {
			t.Errorf("capacity %d: %d lanes and %d used with the third, want %d and %d", c.capacity, l.Count(), l.UsedMB(), c.lanes, c.used)
		}
	}
}

// TestLanesStaySafe: whatever comes and goes, what is used is no more than there is, and nothing is left
// when all have gone.
func TestLanesStaySafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := pack.Lanes{CapacityMB: rapid.Int64Range(0, 40).Draw(t, "capacity")}
		var in []pack.Footprint
		for range rapid.IntRange(0, 20).Draw(t, "events") {
			if len(in) > 0 && rapid.Bool().Draw(t, "leaves") {
				at := rapid.IntRange(0, len(in)-1).Draw(t, "which")
				before := l.UsedMB()
				if !l.Remove(in[at]) || l.UsedMB() > before {
					t.Fatalf("removing %+v leaves %d used of %d", in[at], l.UsedMB(), before)
				}
				in = append(in[:at], in[at+1:]...)
				continue
			}
			f := pack.Footprint{KeptMB: rapid.Int64Range(0, 9).Draw(t, "kept"), ScratchMB: rapid.Int64Range(0, 9).Draw(t, "scratch")}
			if l.Admit(f) {
				in = append(in, f)
			}
			if l.UsedMB() > l.CapacityMB {
				t.Fatalf("%d used of %d", l.UsedMB(), l.CapacityMB)
			}
		}
		for _, f := range in {
			l.Remove(f)
		}
		if l.UsedMB() != 0 || l.Count() != 0 || l.Remove(pack.Footprint{}) {
			t.Fatalf("%d used in %d lanes by no job", l.UsedMB(), l.Count())
		}
	})
}

func TestFootprint(t *testing.T) {
	for _, c := range []struct {
		s     *policy.Sharing
		want  pack.Footprint
		known bool
	}{
		{nil, pack.Footprint{}, false}, {&policy.Sharing{KeptMemMB: 5}, pack.Footprint{}, false}, {&policy.Sharing{MemMB: 7}, pack.Footprint{KeptMB: 7}, true},
		{&policy.Sharing{MemMB: 7, KeptMemMB: 2}, pack.Footprint{KeptMB: 2, ScratchMB: 5}, true}, {&policy.Sharing{MemMB: 7, KeptMemMB: 9}, pack.Footprint{KeptMB: 7}, true},
	} {
		if got, known := pack.FootprintOf(c.s); got != c.want || known != c.known {
			t.Errorf("%+v: %+v %v", c.s, got, known)
		}
	}
}
