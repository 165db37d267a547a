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
// that could buy too, so that a buyer cannot lower it by stating less. Where no
// other gains more than the seller by the factor margin, the price is the
// seller's own gain times margin, but only for the one with the largest gain
// of all: those that set its price do not get the same for less after it. No
// party ends with less speed.
//
// After Gandiva_fair (S. Chaudhary et al., EuroSys 2020), section 3.4. The
// paper does not say what a buyer without a competitor pays.
func TradeGPUs(parties []Trader, margin float64) []Deal {
	p := append([]Trader(nil), parties...)
	first := findBestTrader(p, -1, holdsSlow, 1)
	var done []Deal
	for {
		buyer := findBestTrader(p, -1, holdsSlow, 1)
		seller := findBestTrader(p, buyer, holdsFast, -1)
		if buyer < 0 || seller < 0 {
			return done
		}
		least := p[seller].FastSpeedup * margin
		price := priceOfCompetitor(p, buyer)
		if price <= least {
			if buyer != first || p[buyer].FastSpeedup <= least {
				return done
			}
			price = least
		}
		fast := min(p[seller].FastGPUs, p[buyer].SlowGPUs/price)
		t := Deal{seller, buyer, fast, fast * price}
		exchangeGPUs(&p[seller], &p[buyer], t)
		done = append(done, t)
	}
}

func holdsSlow(t Trader) float64 { return t.SlowGPUs }
func holdsFast(t Trader) float64 { return t.FastGPUs }

// priceOfCompetitor is the largest gain among those that could buy besides the
// buyer; 0: there is none.
func priceOfCompetitor(p []Trader, buyer int) float64 {
	if second := findBestTrader(p, buyer, holdsSlow, 1); second >= 0 {
		return p[second].FastSpeedup
	}
	return 0
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
