package knapsack_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"fairbridge/policy/solve/knapsack"
)

func TestNash(t *testing.T) {
	one := func(weight, had float64) bidder {
		return bidder{Weight: weight, Size: 1, Had: had, Most: 10}
	}
	for name, c := range map[string]struct {
		room    float64
		bidders []bidder
		want    []float64
		short   float64
	}{
		"who had less gets more": {10, []bidder{one(1, 0), one(1, 4)}, []float64{7, 3}, 0},
		"by weight":              {4, []bidder{one(3, 0), one(1, 0)}, []float64{3, 1}, 0},
		"room for all":           {30, []bidder{one(1, 0), one(1, 4)}, []float64{10, 10}, 0},
		"too little":             {1, []bidder{{Weight: 1, Size: 2, Least: 1, Most: 3}}, []float64{1}, 1},
		"a gang pays for each":   {6, []bidder{one(1, 0), {Weight: 1, Size: 2, Most: 10}}, []float64{3, 1.5}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			y, _, short := nash(c.room, c.bidders)
			for i, want := range c.want {
				if math.Abs(y[i]-want) > 1e-9 {
					t.Errorf("%v, want %v", y, c.want)
				}
			}
			if short != c.short {
				t.Errorf("short %v, want %v", short, c.short)
			}
		})
	}
}

// TestNashKKT wants the conditions of Karush, Kuhn and Tucker, and that whole
// rounds are worth no more.
func TestNashKKT(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var bidders []bidder
		w := knapsack.Problem{Rounds: 6, Capacity: rapid.IntRange(1, 6).Draw(t, "size"), Utility: func(x float64) float64 { return math.Log(x) }}
		for range rapid.IntRange(1, 6).Draw(t, "bidders") {
			b := bidder{Weight: rapid.Float64Range(.1, 100).Draw(t, "weight"), Size: float64(rapid.IntRange(1, 3).Draw(t, "gang")),
				Had: rapid.Float64Range(.1, 5).Draw(t, "had"), Most: float64(rapid.IntRange(1, 6).Draw(t, "most"))}
			bidders = append(bidders, b)
			w.Items = append(w.Items, knapsack.Item{DevicesPerRound: int(b.Size), Weight: b.Weight, DoneShare: b.Had / 100, GainPerRound: .01, MaxRounds: int(b.Most)})
		}
		room := float64(w.Rounds * w.Capacity)
		y, price, _ := nash(room, bidders)
		used, value := 0.0, 0.0
		for i, b := range bidders {
			used += y[i] * b.Size
			value += b.Weight * math.Log((b.Had+y[i])/100)
			slack := b.Weight/(b.Had+y[i]) - price*b.Size // of one more unit
			if slack > 1e-9*b.Weight && y[i] < b.Most || slack < -1e-9*b.Weight && y[i] > b.Least {
				t.Fatalf("bidder %d: y %v at price %v leaves %v", i, y[i], price, slack)
			}
		}
		if used > room*(1+1e-9) || price > 0 && used < room*(1-1e-9) {
			t.Fatalf("%v of %v used at price %v", used, room, price)
		}
		if counts, _ := w.CountRounds(); w.Value(counts) > value+1e-9*math.Abs(value) {
			t.Fatalf("whole rounds %v are worth %v, parts %v only %v", counts, w.Value(counts), y, value)
		}
	})
}

// bidder is one party to a division by weighted Nash welfare.
type bidder struct {
	Weight float64
	Size   float64 // room that one unit takes; positive
	Had    float64 // units it has had before
	Least  float64 // it must get
	Most   float64 // it can use
}

// nash divides the room so that Σ Weight·log(Had + y) is as large as possible
// within Least and Most of each: y = Weight/(price·Size) − Had, clamped, at the
// one price per room that uses it up. What must be given may be more than there
// is; then short is how much room is missing, and everybody gets Least.
func nash(room float64, bidders []bidder) (y []float64, price, short float64) {
	y = make([]float64, len(bidders))
	at := func(price float64) (used float64) {
		for i, b := range bidders {
			y[i] = b.at(price)
			used += y[i] * b.Size
		}
		return used
	}
	if least := at(math.Inf(1)); least >= room {
		return y, math.Inf(1), least - room
	}
	if at(0) <= room {
		return y, 0, 0
	}
	lo, hi := 0.0, 1.0
	for at(hi) > room {
		lo, hi = hi, 2*hi
	}
	for range 200 {
		mid := lo + (hi-lo)/2
		if lo == 0 {
			mid = hi / 4
		}
		if mid <= lo || mid >= hi {
			break
		}
		if at(mid) > room {
			lo = mid
		} else {
			hi = mid
		}
	}
	at(hi)
	return y, hi, 0
}

// at is what the bidder takes at the price.
func (b bidder) at(price float64) float64 {
	y := b.Most
	switch {
	case b.Weight <= 0 || math.IsInf(price, 1):
		y = b.Least
	case price > 0:
		y = b.Weight/(price*b.Size) - b.Had
	}
	return max(min(y, b.Most), b.Least)
}
