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

// TestTradeOfTwo: no third party sets a price, so the seller's own gain and the
// margin do, 1.2 * 1.1 = 1.32. The buyer gives its four slow GPUs for 4 / 1.32
// fast ones.
func TestTradeOfTwo(t *testing.T) {
	parties := []Trader{{4, 4, 1.2}, {4, 4, 5}}
	trades := TradeGPUs(parties, 1.1)
	if len(trades) != 1 || trades[0].Seller != 0 || trades[0].Buyer != 1 || math.Abs(trades[0].FastGPUs-4/1.32) > 1e-12 || math.Abs(trades[0].SlowGPUs-4) > 1e-12 {
		t.Fatalf("%+v, want 3.03 fast for 4 slow from 0 to 1", trades)
	}
	for i, want := range []float64{(4-4/1.32)*1.2 + 8, (4 + 4/1.32) * 5} { // 9.16 of 8.8 before, 35.15 of 24
		if got := after(parties, trades)[i].speed(); math.Abs(got-want) > 1e-9 {
			t.Errorf("party %d has speed %v, want %v", i, got, want)
		}
	}
}

// TestCompetitorsOfNoGain: others that gain no more than the seller do not keep
// the one that gains much from buying.
func TestCompetitorsOfNoGain(t *testing.T) {
	parties := []Trader{{4, 4, 1}, {4, 4, 1}, {4, 4, 4}}
	if trades := TradeGPUs(parties, 1.1); len(trades) != 1 || trades[0].Buyer != 2 || math.Abs(trades[0].SlowGPUs/trades[0].FastGPUs-1.1) > 1e-9 {
		t.Errorf("%+v, want one purchase at 1.1", trades)
	}
}

func TestNoPriceNoTrade(t *testing.T) {
	for name, p := range map[string][]Trader{
		"nearly alike":  {{4, 4, 2}, {4, 4, 2.1}, {4, 4, 2.1}},
		"two alike":     {{4, 4, 2}, {4, 4, 2.1}},
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
