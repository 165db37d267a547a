package market

import (
	"cmp"
)

// Trader is a party with GPUs of two kinds and a use for both.
type Trader struct {
	FastGPUs, SlowGPUs float64 // amounts held
	FastSpeedup        float64 // speed on fast over speed on slow; 0: unknown, it does not trade
}

// Deal is what is exchanged between two parties: FastGPUs from Seller to
// Buyer for SlowGPUs the other way.
type Deal struct {
	Seller, Buyer      int
	FastGPUs, SlowGPUs float64
}

// TradeGPUs exchanges fast GPUs of parties that gain little by them for slow ones
// of parties that gain much. The buyer is the one with the largest gain that
// still holds slow GPUs, the seller the one with the smallest that still holds
// fast ones. The price, in slow per fast, is the next largest gain among those
// that could buy too, so that a buyer cannot lower it by stating less; where
// no other could buy there is no price. It ends when the price does not
// exceed the seller's gain by the factor margin. No party ends with less speed.
//
// After Gandiva_fair (S. Chaudhary et al., EuroSys 2020), section 3.4.
func TradeGPUs(parties []Trader, margin float64) []Deal {
	p := append([]Trader(nil), parties...)
	var done []Deal
	for {
		buyer := findBestTrader(p, -1, func(t Trader) float64 { return t.SlowGPUs }, 1)
		second := findBestTrader(p, buyer, func(t Trader) float64 { return t.SlowGPUs }, 1)
		seller := findBestTrader(p, buyer, func(t Trader) float64 { return t.FastGPUs }, -1)
		if buyer < 0 || second < 0 || seller < 0 || second == seller {
			return done
		}
		price := p[second].FastSpeedup
		if price <= p[seller].FastSpeedup*margin {
			return done
		}
		fast := min(p[seller].FastGPUs, p[buyer].SlowGPUs/price)
		t := Deal{seller, buyer, fast, fast * price}
		exchangeGPUs(&p[seller], &p[buyer], t)
		done = append(done, t)
	}
}

// exchangeGPUs moves the GPUs; one of the two is left with none of what it gave.
func exchangeGPUs(seller, buyer *Trader, t Deal) {
	seller.SlowGPUs += t.SlowGPUs
	buyer.FastGPUs += t.FastGPUs
	seller.FastGPUs = subtractRounded(seller.FastGPUs, t.FastGPUs)
	buyer.SlowGPUs = subtractRounded(buyer.SlowGPUs, t.SlowGPUs)
}

// subtractRounded is what remains of an amount, without what only rounding leaves.
func subtractRounded(had, gave float64) float64 {
	if left := had - gave; left > had*1e-12 {
		return left
	}
	return 0
}

// findBestTrader returns the party with the largest gain (sign 1) or the smallest (-1)
// among those that hold something and gain by something; -1: none. The first
// of equals wins.
func findBestTrader(p []Trader, but int, holds func(Trader) float64, sign int) int {
	found := -1
	for i, t := range p {
		if i == but || t.FastSpeedup <= 0 || holds(t) <= 0 {
			continue
		}
		if found < 0 || sign*cmp.Compare(t.FastSpeedup, p[found].FastSpeedup) > 0 {
			found = i
		}
	}
	return found
}
