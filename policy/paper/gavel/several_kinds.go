package gavel

import (
	"cmp"
	"slices"

	"fairbridge/policy/solve/lp"
)

// groupIntoClasses makes one class of all jobs that are alike, and returns which class
// each job belongs to. tell adds what else tells jobs apart; nil: nothing.
func (p *problem) groupIntoClasses(tell func(i int) []float64) (s *lp.SplitProblem, of, lead []int) {
	key := func(i int) []float64 {
		j := &p.jobs[i]
		k := append(append(make([]float64, 0, len(j.ratesByKind)+4), j.gpuCount), j.ratesByKind...)
		if tell != nil {
			k = append(k, tell(i)...)
		}
		return k
	}
	keys, order := make([][]float64, len(p.jobs)), make([]int, len(p.jobs))
	for i := range p.jobs {
		keys[i], order[i] = key(i), i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(slices.Compare(keys[a], keys[b]), cmp.Compare(a, b)) })
	s, of = &lp.SplitProblem{CapacityByKind: p.gpusByKind}, make([]int, len(p.jobs))
	for n, i := range order {
		if n == 0 || !slices.Equal(keys[i], keys[order[n-1]]) {
			s.Classes = append(s.Classes, lp.PartyClass{Size: p.jobs[i].gpuCount, RateByKind: p.jobs[i].ratesByKind})
			lead = append(lead, i)
		}
		of[i] = len(lead) - 1
		s.Classes[of[i]].Count++
	}
	return s, of, lead
}

// divideFairly divides several kinds by a fair objective. What it leaves goes where it
// brings most progress, so that no job could have more without another having
// less.
func (p *problem) divideFairly(objective string) ([][]float64, error) {
	var s *lp.SplitProblem
	var of, lead []int
	var need []float64
	var err error
	if objective == ObjectiveFinishTime {
		s, of, need, err = p.solveFinishTime()
	} else {
		want := p.equalPartSpeed
		if objective == objectiveMakespan {
			want = func(i int) float64 { return p.jobs[i].stepsLeft }
		}
		s, of, lead = p.groupIntoClasses(func(i int) []float64 { return []float64{want(i)} })
		need, err = commonLevelSpeeds(s, lead, want)
	}
	if err != nil {
		return nil, err
	}
	return p.divideRest(s, of, need)
}

// equalPartSpeed is the speed a job would have on an equal part of the time on each
// kind, all its time together; a gang of g counts g times.
func (p *problem) equalPartSpeed(i int) float64 {
	sum, all := 0.0, 0.0
	for k, c := range p.gpusByKind {
		sum += c * p.jobs[i].ratesByKind[k]
		all += c
	}
	return sum / all / p.jobs[i].gpuCount
}

// commonLevelSpeeds returns what every class achieves at the highest common level.
func commonLevelSpeeds(s *lp.SplitProblem, lead []int, want func(int) float64) ([]float64, error) {
	ref := make([]float64, len(lead))
	for c, i := range lead {
		ref[c] = want(i)
	}
	level, _, err := s.MaximizeLevel(make([]float64, len(ref)), ref)
	for c := range ref {
		ref[c] *= level
	}
	return ref, err
}

func (p *problem) solveFinishTime() (s *lp.SplitProblem, of []int, need []float64, err error) {
	alone := p.isolatedFinishSeconds()
	s, of, lead := p.groupIntoClasses(func(i int) []float64 { return []float64{p.jobs[i].stepsLeft, p.jobs[i].ageSeconds, alone[i]} })
	needs := func(ratio float64, need []float64) {
		for c, i := range lead {
			need[c] = speedForRatio(ratio, alone[i], &p.jobs[i])
		}
	}
	ratio, _, err := s.FindLeastFeasible(1e-4, 1e12, 1e-6, needs)
	need = make([]float64, len(lead))
	needs(ratio, need)
	return s, of, need, err
}

// divideRest gives every class what it needs and the rest where it brings most, in
// GPU time on the fastest kind.
func (p *problem) divideRest(s *lp.SplitProblem, of []int, need []float64) ([][]float64, error) {
	for c := range s.Classes {
		it := &s.Classes[c]
		it.GainByKind = make([]float64, len(it.RateByKind))
		best := slices.Max(it.RateByKind)
		for k, r := range it.RateByKind {
			it.GainByKind[k] = it.Size * r / best
		}
		need[c] = min(need[c], best) * (1 - 1e-9)
	}
	choice, err := s.MaximizeGain(need)
	if err != nil {
		return nil, err
	}
	return expandClassRows(choice.Fractions, of), nil
}

func expandClassRows(x [][]float64, of []int) [][]float64 {
	rows := make([][]float64, len(of))
	for i, c := range of {
		rows[i] = x[c]
	}
	return rows
}

// maximizeSum maximises a sum over jobs: of speeds, of speeds for the money, or of
// speeds weighted by the place in a queue.
func (p *problem) maximizeSum(g *Policy) ([][]float64, error) {
	gain := p.gainsByJobAndKind(g)
	need := p.deadlineSpeeds(g)
	if len(p.gpusByKind) == 1 && need == nil {
		one := make([]float64, len(gain))
		for i := range gain {
			one[i] = gain[i][0]
		}
		return singleKindProblem{p}.maximizeSum(one), nil
	}
	s, of, lead := p.groupIntoClasses(func(i int) []float64 {
		if need != nil {
			return append(slices.Clone(gain[i]), need[i])
		}
		return gain[i]
	})
	least := make([]float64, len(lead))
	for c, i := range lead {
		s.Classes[c].GainByKind = gain[i]
		if need != nil {
			least[c] = need[i]
		}
	}
	choice, err := s.MaximizeGain(least)
	if need != nil && err != nil { // the deadlines cannot all be kept: none counts, as in the paper
		clear(least)
		choice, err = s.MaximizeGain(least)
	}
	if err != nil {
		return nil, err
	}
	return expandClassRows(choice.Fractions, of), nil
}

// deadlineSpeeds is the speed each job needs to keep its own; nil: no job has one.
func (p *problem) deadlineSpeeds(g *Policy) []float64 {
	if !g.Deadlines || g.Objective != objectiveThroughput && g.Objective != objectiveCost {
		return nil
	}
	var need []float64
	for i := range p.jobs {
		j := &p.jobs[i]
		if left := j.Deadline.Sub(p.round.Now).Seconds(); !j.Deadline.IsZero() && left > 0 {
			if need == nil {
				need = make([]float64, len(p.jobs))
			}
			need[i] = j.stepsLeft / left
		}
	}
	return need
}

// gainsByJobAndKind says what a job's time on each kind adds to the sum. Speeds in steps
// are compared only while all jobs count steps.
func (p *problem) gainsByJobAndKind(g *Policy) [][]float64 {
	price := p.pricesByKind(g)
	weight := p.queueWeights(g.Objective)
	rows := make([][]float64, len(p.jobs))
	for i := range p.jobs {
		j := &p.jobs[i]
		by := weight[i]
		if g.Objective == objectiveFIFO || g.Objective == objectiveSJF || !p.hasMeasuredRates {
			by /= j.fastestRate()
		}
		rows[i] = make([]float64, len(j.ratesByKind))
		for k, r := range j.ratesByKind {
			rows[i][k] = by * r / price[k]
		}
	}
	return rows
}

func (p *problem) pricesByKind(g *Policy) []float64 {
	price := make([]float64, len(p.gpusByKind))
	for k := range price {
		price[k] = 1
	}
	if g.Objective == objectiveCost && len(p.gpuTypes) == len(price) {
		for k, typ := range p.gpuTypes {
			if c := g.Costs[typ]; c > 0 {
				price[k] = c
			}
		}
	}
	return price
}

// queueWeights weighs jobs by their place in the queue: n for the first, 1 for the
// last; 1 for all where there is no queue.
func (p *problem) queueWeights(objective string) []float64 {
	weight, order := make([]float64, len(p.jobs)), make([]int, len(p.jobs))
	for i := range order {
		weight[i], order[i] = 1, i
	}
	key := func(i int) float64 { return -p.jobs[i].ageSeconds }
	switch objective {
	case objectiveSJF:
		key = func(i int) float64 { return p.jobs[i].stepsLeft / p.jobs[i].fastestRate() }
	case objectiveFIFO:
	default:
		return weight
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(key(a), key(b)) })
	for place, i := range order {
		weight[i] = float64(len(order) - place)
	}
	return weight
}
