package idle_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/bridge/idle"
	"fairbridge/policy"
)

// at is a reading of a GPU so many seconds after noon; busy below 0: not known.
func at(gpu string, second int, busy float64) idle.Reading {
	r := idle.Reading{GPU: idle.GPU{Job: 1, Node: "n1", Device: gpu}, At: noon.Add(time.Duration(second) * time.Second)}
	if busy >= 0 {
		r.Busy = policy.KnownValue(busy)
	}
	return r
}

// TestWatch: for how long a job is idle after looks at its two GPUs, a minute apart unless said otherwise.
func TestWatch(t *testing.T) {
	both := func(second int, a, b float64) []idle.Reading {
		return []idle.Reading{at("a", second, a), at("b", second, b)}
	}
	for name, c := range map[string]struct {
		looks [][]idle.Reading
		want  time.Duration
	}{
		"no look":                      {nil, 0},
		"one look":                     {[][]idle.Reading{both(0, 0, 0)}, 0},
		"two looks":                    {[][]idle.Reading{both(0, 0, 0), both(60, 0, 0)}, time.Minute},
		"hardly busy":                  {[][]idle.Reading{both(0, .0099, 0), both(60, .0099, 0)}, time.Minute},
		"one GPU is busy":              {[][]idle.Reading{both(0, 0, .01), both(60, 0, .01)}, 0},
		"one was":                      {[][]idle.Reading{both(0, 0, .5), both(60, 0, 0), both(120, 0, 0)}, time.Minute},
		"one is now":                   {[][]idle.Reading{both(0, 0, 0), both(60, 0, 0), both(120, 0, .5)}, 0},
		"one is not known":             {[][]idle.Reading{both(0, 0, 0), both(60, 0, -1)}, 0},
		"one is not read":              {[][]idle.Reading{both(0, 0, 0), both(60, 0, 0)[:1]}, 0},
		"one was not read for a while": {[][]idle.Reading{both(0, 0, 0), both(60, 0, 0)[:1], both(120, 0, 0)}, 2 * time.Minute},
		"five minutes are no gap":      {[][]idle.Reading{both(0, 0, 0), both(300, 0, 0)}, 5 * time.Minute},
		"a second more is":             {[][]idle.Reading{both(0, 0, 0), both(301, 0, 0)}, 0},
		"the same sample again":        {[][]idle.Reading{both(0, 0, 0), both(60, 0, 0), both(60, 0, 0)}, time.Minute},
		"a clock went back":            {[][]idle.Reading{both(0, 0, 0), both(60, 0, 0), both(30, 0, 0)}, 0},
	} {
		var w idle.Watch
		var last []idle.Reading
		for _, l := range c.looks {
			w, last = w.Read(l, l[0].At), l
		}
		if got := w.IdleFor(last, 2); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if w.IdleFor(last, 3) != 0 || w.IdleFor(nil, 0) != 0 {
			t.Errorf("%s: a GPU that was not read is idle", name)
		}
	}
	again := at("a", 60, 0)
	again.Restarts = 1
	w := idle.Watch(nil).Read([]idle.Reading{at("a", 0, 0)}, noon).Read([]idle.Reading{again}, noon.Add(time.Minute))
	if got := w.IdleFor([]idle.Reading{again}, 1); got != 0 {
		t.Errorf("the run after a requeue is idle for %v", got)
	}
	shared, moves := at("a", 60, 0), at("a", 60, 0)
	shared.IsShared, moves.MemBusy = true, policy.KnownValue(.2)
	for _, r := range []idle.Reading{shared, moves} {
		w := idle.Watch(nil).Read([]idle.Reading{at("a", 0, 0)}, noon).Read([]idle.Reading{r}, noon.Add(time.Minute))
		if got := w.IdleFor([]idle.Reading{r}, 1); got != 0 {
			t.Errorf("%+v is idle for %v", r, got)
		}
	}
}

// TestWatchLaw: a GPU is never idle for longer than since its last reading that was busy, or that came after a gap, whatever
// the readings are; and what is asked changes nothing.
func TestWatchLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w idle.Watch
		second, since := 0, -1
		for range rapid.IntRange(1, 60).Draw(t, "looks") {
			step := rapid.SampledFrom([]int{0, 30, 60, 299, 300, 301, 900}).Draw(t, "step")
			busy := rapid.SampledFrom([]float64{0, 0, 0, 0, .009, .01, 1, -1}).Draw(t, "busy")
			second += step
			r := at("a", second, busy)
			w = w.Read([]idle.Reading{r}, r.At)
			switch {
			case busy < 0 || busy >= .01:
				since = -1
			case since < 0 || step > 300:
				since = second
			}
			want := time.Duration(0)
			if since >= 0 {
				want = time.Duration(second-since) * time.Second
			}
			if got := w.IdleFor([]idle.Reading{r}, 1); got != want {
				t.Fatalf("at %d s, after a reading of %v: idle for %v, want %v", second, busy, got, want)
			}
		}
	})
}
