package paper

import (
	"cmp"
	"slices"

	"fairbridge/policy/solve"
)

// waterFill divides GPU time among accounts by their weights, and an account's
// among its jobs. Levels rise together until some jobs cannot have more without
// another having less, which the prices of GPU time tell; those stay where they
// are and their account's weight goes to its other jobs.
func (p *gavelProblem) waterFill(within string) ([][]float64, error) {
	place := map[string]int{}
	account := make([]int, len(p.jobs))
	for i := range p.jobs {
		name := p.jobs[i].Account
		if _, known := place[name]; !known {
			place[name] = len(place)
		}
		account[i] = place[name]
	}
	w := water{p: p, fifo: within == firstCome, weight: make([]float64, len(place))}
	for name, a := range place {
		w.weight[a] = 1
		if acct := p.round.Account(name); acct != nil && acct.Weight > 0 {
			w.weight[a] = acct.Weight
		}
	}
	queue := p.places(firstCome)
	s, of, lead := p.classes(func(i int) []float64 {
		if w.fifo {
			return []float64{float64(account[i]), -queue[i]}
		}
		return []float64{float64(account[i])}
	})
	w.split, w.lead, w.account, w.rank = s, lead, make([]int, len(lead)), make([]float64, len(lead))
	for c, i := range lead {
		w.account[c], w.rank[c] = account[i], -queue[i]
	}
	need, err := w.rise()
	if err != nil {
		return nil, err
	}
	return p.fill(s, of, need)
}

// water is the state of the filling.
type water struct {
	p       *gavelProblem
	fifo    bool
	weight  []float64 // by account
	split   *solve.Split
	lead    []int // a job of each class
	account []int // of each class
	rank    []float64
	frozen  []bool
	level   []float64 // speeds reached, by class
}

// rise fills until all classes are frozen and returns the speeds reached.
func (w *water) rise() ([]float64, error) {
	n := len(w.lead)
	w.frozen, w.level = make([]bool, n), make([]float64, n)
	for range n + 1 {
		ref := w.shares()
		if !slices.ContainsFunc(ref, func(v float64) bool { return v > 0 }) {
			break
		}
		up, choice, err := w.split.Level(w.level, ref)
		if err != nil {
			return nil, err
		}
		w.freeze(up, ref, choice)
	}
	return w.level, nil
}

// freeze raises the levels and fixes those that cannot rise further.
func (w *water) freeze(up float64, ref []float64, choice *solve.Choice) {
	fixed := false
	for c := range ref {
		if ref[c] == 0 {
			continue
		}
		w.level[c] += up * ref[c]
		full := w.level[c] >= slices.Max(w.split.Items[c].Rate)*(1-1e-9)
		if full || choice.Load >= 1-1e-9 && choice.Press[c] > 0 {
			w.frozen[c], fixed = true, true
		}
	}
	for c := range ref { // nothing moved and no price says why: all stay
		w.frozen[c] = w.frozen[c] || !fixed && ref[c] > 0
	}
}

// shares says how fast each class rises: by the account's weight, divided among
// its jobs that still rise, or all for the first of them.
func (w *water) shares() []float64 {
	total, first := make([]float64, len(w.weight)), make([]int, len(w.weight))
	for a := range first {
		first[a] = -1
	}
	for c, a := range w.account {
		if w.frozen[c] {
			continue
		}
		total[a] += w.split.Items[c].Many
		if first[a] < 0 || cmp.Less(w.rank[c], w.rank[first[a]]) {
			first[a] = c
		}
	}
	ref := make([]float64, len(w.lead))
	for c, a := range w.account {
		switch {
		case w.frozen[c]:
		case !w.fifo:
			ref[c] = w.weight[a] / total[a] * w.p.equalPart(w.lead[c])
		case first[a] == c:
			ref[c] = w.weight[a] * w.p.equalPart(w.lead[c])
		}
	}
	return ref
}
