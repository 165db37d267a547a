package workday

import (
	"maps"
	"slices"
	"time"

	"fairbridge/policy/solve/fair"
)

// AccountShare is what an account held of the GPUs, and what it was entitled to,
// while any job waited. Both are fractions of all GPUs.
type AccountShare struct {
	Account  string  `json:"account"`
	Held     float64 `json:"held"`
	Entitled float64 `json:"entitled"`
}

// demandChange is a change of how many GPUs an account holds or waits for.
type demandChange struct {
	at                      time.Time
	account                 string
	heldDelta, waitingDelta int
}

// demandChanges lists the changes in the order of time.
func demandChanges(outcomes []JobOutcome) []demandChange {
	var out []demandChange
	for i := range outcomes {
		l := &outcomes[i]
		from := l.FirstSubmit
		for _, r := range l.Runs {
			out = append(out, demandChange{from, l.Account, 0, l.GPUs}, demandChange{r.Start, l.Account, l.GPUs, -l.GPUs}, demandChange{r.End, l.Account, -l.GPUs, 0})
			from = r.End
		}
	}
	slices.SortStableFunc(out, func(a, b demandChange) int { return a.at.Compare(b.at) })
	return out
}

// contentionTotals integrates over the time in which any job waited.
type contentionTotals struct {
	duration            time.Duration
	idleGPUSeconds      float64 // GPU-seconds that no job held
	excessGPUs          int     // GPUs held at once beyond those there are: the records are wrong
	heldByAccount       map[string]float64
	entitledByAccount   map[string]float64
	heldNowByAccount    map[string]int
	waitingNowByAccount map[string]int
}

// integrateContention looks at every stretch between two changes.
func integrateContention(outcomes []JobOutcome, capacity int, weights map[string]float64) *contentionTotals {
	c := &contentionTotals{heldByAccount: map[string]float64{}, entitledByAccount: map[string]float64{}, heldNowByAccount: map[string]int{}, waitingNowByAccount: map[string]int{}}
	list := demandChanges(outcomes)
	for i, m := range list {
		if i > 0 {
			c.advance(m.at.Sub(list[i-1].at), capacity, weights)
		}
		c.heldNowByAccount[m.account] += m.heldDelta
		c.waitingNowByAccount[m.account] += m.waitingDelta
	}
	return c
}

func (c *contentionTotals) advance(d time.Duration, capacity int, weights map[string]float64) {
	waiting, busy := 0, 0
	demand := map[string]float64{}
	for a := range weights {
		waiting += c.waitingNowByAccount[a]
		busy += c.heldNowByAccount[a]
		demand[a] = float64(c.heldNowByAccount[a] + c.waitingNowByAccount[a])
	}
	if d > 0 {
		c.excessGPUs = max(c.excessGPUs, busy-capacity)
	}
	if waiting == 0 {
		return
	}
	c.duration += d
	c.idleGPUSeconds += float64(capacity-busy) * d.Seconds()
	for a, due := range divideByWeight(float64(capacity), demand, weights) {
		c.heldByAccount[a] += float64(c.heldNowByAccount[a]) * d.Seconds()
		c.entitledByAccount[a] += due * d.Seconds()
	}
}

// accountShares returns the figures by account.
func (c *contentionTotals) accountShares(capacity int, weights map[string]float64) []AccountShare {
	total := c.duration.Seconds() * float64(capacity)
	var out []AccountShare
	for _, a := range slices.Sorted(maps.Keys(weights)) {
		out = append(out, AccountShare{a, ratio(c.heldByAccount[a], total), ratio(c.entitledByAccount[a], total)})
	}
	return out
}

// divideByWeight divides the capacity by weight; what an account does not demand goes to
// the others.
func divideByWeight(capacity float64, demand, weights map[string]float64) map[string]float64 {
	accounts := slices.Sorted(maps.Keys(weights))
	claims := make([]fair.Claim, len(accounts))
	for i, a := range accounts {
		claims[i] = fair.Claim{Weight: weights[a], MaxUse: demand[a]}
	}
	out := map[string]float64{}
	for i, part := range fair.WaterFill(capacity, claims) {
		out[accounts[i]] = part
	}
	return out
}

// ratio is a/b, and 0 where there is nothing to divide by.
func ratio(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}
