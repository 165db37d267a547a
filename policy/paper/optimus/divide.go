package optimus

// claim is a job that wants devices: how long it has left on each number of them.
type claim struct {
	has, most int                     // devices it has been given so far, and may have
	secondsOn func(count int) float64 // left
	weight    float64                 // factor to what it saves
}

// equality is by which part savings must differ to count as different: times left are known to
// the nanosecond, and like jobs that ask for different sizes must not differ by rounding.
const equality = 1e-7

// divide gives so many devices out, each to the claim that it saves most time, until none are
// left or none saves anything; of equal ones the first. It returns how many are left. Where the
// savings of every claim diminish from device to device no division has a smaller sum of times
// left. With hull a claim may take several at once, by what they save each.
func divide(claims []claim, left int, hull bool) int {
	next := make([]growth, len(claims))
	for i := range claims {
		next[i] = claims[i].nextGrowth(left, hull)
	}
	for left > 0 {
		best := -1
		for i := range next {
			if next[i].count > left {
				next[i] = claims[i].nextGrowth(left, hull)
			}
			if next[i].saves > 0 && (best < 0 || next[i].saves > next[best].saves*(1+equality)) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		claims[best].has += next[best].count
		left -= next[best].count
		next[best] = claims[best].nextGrowth(left, hull)
	}
	return left
}

// growth is a number of devices more, and what each of them saves, in seconds.
type growth struct {
	count int
	saves float64
}

// nextGrowth is the best growth of a claim by at most so many devices.
func (c *claim) nextGrowth(left int, hull bool) (best growth) {
	widest := min(c.most-c.has, left)
	if !hull {
		widest = min(widest, 1)
	}
	now := 0.
	if widest > 0 {
		now = c.secondsOn(c.has)
	}
	for n := 1; n <= widest; n++ {
		if saves := (now - c.secondsOn(c.has+n)) * c.weight / float64(n); saves > best.saves {
			best = growth{n, saves}
		}
	}
	return best
}
