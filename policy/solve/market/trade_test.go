package market

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// speed is a party's total, in slow GPUs.
func (t Trader) speed() float64 { return t.FastGPUs*t.FastSpeedup + t.SlowGPUs }

func after(parties []Trader, trades []Deal) []Trader {
	p := append([]Trader(nil), parties...)
	for _, t := range trades {
		p[t.Seller].FastGPUs -= t.FastGPUs
		p[t.Seller].SlowGPUs += t.SlowGPUs
		p[t.Buyer].FastGPUs += t.FastGPUs
		p[t.Buyer].SlowGPUs -= t.SlowGPUs
	}
	return p
}

func TestTradeOfThree(t *testing.T) {
	parties := []Trader{{4, 4, 1.5}, {4, 4, 4}, {4, 4, 3}}
	trades := TradeGPUs(parties, 1.1)
	if len(trades) != 1 || trades[0].Seller != 0 || trades[0].Buyer != 1 || math.Abs(trades[0].FastGPUs-4./3) > 1e-12 || math.Abs(trades[0].SlowGPUs-4) > 1e-12 {
		t.Fatalf("%+v, want 4/3 fast for 4 slow from 0 to 1", trades)
	}
	total := 0.0
	for i, want := range []float64{12, 64. / 3, 16} {
		got := after(parties, trades)[i].speed()
		if total += got; math.Abs(got-want) > 1e-9 {
			t.Errorf("party %d has speed %v, want %v", i, got, want)
		}
	}
	if math.Abs(total-148./3) > 1e-9 {
		t.Errorf("total %v, want 49.33", total)
	}
}

func TestNoPriceNoTrade(t *testing.T) {
	for name, p := range map[string][]Trader{
		"two parties":   {{4, 4, 1.5}, {4, 4, 4}},
		"nearly alike":  {{4, 4, 2}, {4, 4, 2.1}, {4, 4, 2.1}},
		"unknown gains": {{4, 4, 0}, {4, 4, 4}, {4, 4, 0}},
		"nothing slow":  {{4, 0, 1}, {4, 0, 4}, {4, 0, 3}},
		"nobody":        nil,
	} {
		if got := TradeGPUs(p, 1.1); len(got) > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestTradeHurtsNobody(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 8).Draw(t, "parties")
		p := make([]Trader, n)
		for i := range p {
			p[i] = Trader{rapid.Float64Range(0, 50).Draw(t, "fast"), rapid.Float64Range(0, 50).Draw(t, "slow"), rapid.Float64Range(0, 6).Draw(t, "gain")}
		}
		trades := TradeGPUs(p, 1.1)
		fast, slow, end := 0.0, 0.0, after(p, trades)
		for i := range p {
			fast += end[i].FastGPUs - p[i].FastGPUs
			slow += end[i].SlowGPUs - p[i].SlowGPUs
			if end[i].FastGPUs < -1e-9 || end[i].SlowGPUs < -1e-9 || end[i].speed() < p[i].speed()-1e-9 {
				t.Fatalf("party %d went from %+v to %+v", i, p[i], end[i])
			}
			if p[i].FastSpeedup == 0 && end[i] != p[i] {
				t.Fatalf("party %d of unknown gain traded", i)
			}
		}
		if math.Abs(fast) > 1e-9 || math.Abs(slow) > 1e-9 {
			t.Fatalf("%v fast and %v slow came from nowhere", fast, slow)
		}
	})
}
