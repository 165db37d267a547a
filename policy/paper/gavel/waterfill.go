package gavel

import (
	"cmp"
	"slices"

	"fairbridge/policy/share"
	"fairbridge/policy/solve/lp"
)

// waterFill divides GPU time among accounts by their weights, and an account's
// among its jobs. Levels rise together until some jobs cannot have more without
// another having less, which the prices of GPU time tell; those stay where they
// are and their account's weight goes to its other jobs.
func (p *problem) waterFill(within string) ([][]float64, error) {
	place := map[string]int{}
	account := make([]int, len(p.jobs))
	for i := range p.jobs {
		name := p.jobs[i].Account
		if _, known := place[name]; !known {
			place[name] = len(place)
		}
		account[i] = place[name]
	}
	w := waterFilling{problem: p, isFIFO: within == objectiveFIFO, weightByAccount: make([]float64, len(place))}
	for name, a := range place {
		w.weightByAccount[a] = share.AccountWeight(p.round.Snapshot, name)
	}
	queue := p.queueWeights(objectiveFIFO)
	s, of, lead := p.groupIntoClasses(func(i int) []float64 {
		if w.isFIFO {
			return []float64{float64(account[i]), -queue[i]}
		}
		return []float64{float64(account[i])}
	})
	w.splitProblem, w.leadJobOfClass, w.risingClassesByAccount = s, lead, make([][]int, len(place))
	for c, i := range lead {
		w.risingClassesByAccount[account[i]] = append(w.risingClassesByAccount[account[i]], c)
	}
	for _, line := range w.risingClassesByAccount {
		slices.SortFunc(line, func(a, b int) int { return cmp.Or(cmp.Compare(queue[lead[b]], queue[lead[a]]), cmp.Compare(a, b)) })
	}
	need, err := w.fill()
	if err != nil {
		return nil, err
	}
	return p.divideRest(s, of, need)
}

// waterFilling is its state.
type waterFilling struct {
	problem                *problem
	isFIFO                 bool
	weightByAccount        []float64 // by account
	risingClassesByAccount [][]int   // the classes of each account that still rise, first come first
	splitProblem           *lp.SplitProblem
	leadJobOfClass         []int // a job of each class
	isFrozen               []bool
	speedByClass           []float64 // speeds reached, by class
}

// fill raises the levels until all classes are frozen and returns the speeds reached.
func (w *waterFilling) fill() ([]float64, error) {
	n := len(w.leadJobOfClass)
	w.isFrozen, w.speedByClass = make([]bool, n), make([]float64, n)
	for range n + 1 {
		ref := w.riseRateByClass()
		var at []int // those that have something or rise
		sub := &lp.SplitProblem{CapacityByKind: w.splitProblem.CapacityByKind}
		var have, want []float64
		for c := range ref {
			if w.speedByClass[c] > 0 || ref[c] > 0 {
				at, sub.Classes = append(at, c), append(sub.Classes, w.splitProblem.Classes[c])
				have, want = append(have, w.speedByClass[c]), append(want, ref[c])
			}
		}
		if !slices.ContainsFunc(ref, func(v float64) bool { return v > 0 }) {
			break
		}
		up, choice, err := sub.MaximizeLevel(have, want)
		if err != nil {
			return nil, err
		}
		w.freezeClasses(up, at, want, choice)
	}
	return w.speedByClass, nil
}

// freezeClasses raises the levels and fixes those that cannot rise further.
func (w *waterFilling) freezeClasses(up float64, at []int, ref []float64, choice *lp.SplitSolution) {
	fixed := false
	for i, c := range at {
		if ref[i] == 0 {
			continue
		}
		w.speedByClass[c] += up * ref[i]
		full := w.speedByClass[c] >= slices.Max(w.splitProblem.Classes[c].RateByKind)*(1-1e-9)
		if full || choice.Load >= 1-1e-9 && choice.NeedPrices[i] > 0 {
			w.isFrozen[c], fixed = true, true
		}
	}
	for i, c := range at { // nothing moved and no price says why: all stay
		w.isFrozen[c] = w.isFrozen[c] || !fixed && ref[i] > 0
	}
	// Where every kind has a price, no other class can have anything either.
	over := choice.Load >= 1-1e-9 && !slices.ContainsFunc(choice.Prices, func(v float64) bool { return v <= 1e-12 })
	for a, line := range w.risingClassesByAccount {
		w.risingClassesByAccount[a] = slices.DeleteFunc(line, func(c int) bool { return over || w.isFrozen[c] })
	}
}

// maxFIFOSteps is how many steps an account's line takes at most to use all GPUs.
const maxFIFOSteps = 16

// riseRateByClass says how fast each class rises: by the account's weight, divided among
// its jobs that still rise; or, first come first, all for the first of them, in
// long lines for the first few together, up to a part of an account's GPUs.
func (w *waterFilling) riseRateByClass() []float64 {
	gpus := 0.0
	for _, c := range w.splitProblem.CapacityByKind {
		gpus += c
	}
	ref := make([]float64, len(w.leadJobOfClass))
	for a, line := range w.risingClassesByAccount {
		sum, n := 0.0, 0
		for _, c := range line {
			if it := w.splitProblem.Classes[c]; w.isFIFO {
				sum += it.Count * it.Size
			} else {
				sum += it.Count
			}
			n++
			if w.isFIFO && sum >= gpus/float64(maxFIFOSteps*len(w.risingClassesByAccount)) {
				break
			}
		}
		for _, c := range line[:n] {
			ref[c] = w.weightByAccount[a] / sum * w.problem.equalPartSpeed(w.leadJobOfClass[c])
			if w.isFIFO {
				ref[c] *= w.splitProblem.Classes[c].Size
			}
		}
	}
	return ref
}
