package estimate

import (
	"math"
	"time"
)

// Bounds of a chance: three quantiles of a band tell nothing surer, as promises about simulated days showed.
const leastChance, mostChance = .05, .95

// edgeLogit is the logarithm of the odds of nine in ten, which the edges of a band stand for.
var edgeLogit = math.Log(9)

// tailPower makes the distribution steeper at the middle and its tails heavier than logistic: fitted to what came of
// promises on drawn days (bridge/study/startscore).
const tailPower = .7

// ChanceBy returns how likely it is, from .05 to .95, that what a band is of, estimated at a moment, happens by
// a time: the logarithm of the wait is distributed about its middle with a spread of its own on either side.
func (b Band) ChanceBy(madeAt, by time.Time) float64 {
	if by.Before(madeAt) {
		return leastChance
	}
	early, middle, late := logWait(b.Early.Sub(madeAt)), logWait(b.Middle.Sub(madeAt)), logWait(b.Late.Sub(madeAt))
	off, spread := logWait(by.Sub(madeAt))-middle, middle-early
	if off > 0 {
		spread = late - middle
	}
	logit := math.Copysign(edgeLogit*math.Pow(math.Abs(off)/max(spread, minLogSigma/10), tailPower), off)
	chance := 1 / (1 + math.Exp(-logit))
	return min(max(chance, leastChance), mostChance)
}

// TimeOfChance returns by when what a band is of happens with a chance, from .5 to .95: the reverse of ChanceBy
// above the middle, rounded up to a minute.
func (b Band) TimeOfChance(madeAt time.Time, chance float64) time.Time {
	middle, late := logWait(b.Middle.Sub(madeAt)), logWait(b.Late.Sub(madeAt))
	chance = min(max(chance, .5), mostChance)
	spreads := math.Pow(math.Log(chance/(1-chance))/edgeLogit, 1/tailPower)
	wait := math.Exp(middle+spreads*(late-middle)) - waitOffset.Seconds()
	return madeAt.Add(time.Duration(math.Ceil(max(wait, 0)/60)) * time.Minute)
}
