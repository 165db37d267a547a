package gavel

import (
	"cmp"
	"fmt"
	"slices"
)

// shareGPUs divides GPUs when jobs may share them, for the objectives max-min,
// throughput and cost. ok is false where it makes no difference.
func (p *problem) shareGPUs(g *Policy) (x [][]float64, pairs []pair, ok bool, err error) {
	if g.Objective != objectiveMaxMin && g.Objective != objectiveThroughput && g.Objective != objectiveCost {
		return nil, nil, false, nil
	}
	s := newSpaceSharing(p)
	if s == nil {
		return nil, nil, false, nil
	}
	best, err := s.solve(g)
	if err != nil {
		return nil, nil, false, fmt.Errorf("sharing: %w", err)
	}
	x, pairs = s.matchJobs(best)
	return x, pairs, true, nil
}

// solve returns the variables of the LP. Max-min takes a second one, for the
// GPU time that the level leaves.
func (s *spaceSharing) solve(g *Policy) ([]float64, error) {
	none, need := make([]float64, len(s.leadJobOfClass)), make([]float64, len(s.leadJobOfClass))
	price := s.problem.pricesByKind(g)
	factor := func(c, k int) float64 {
		if s.problem.hasMeasuredRates {
			return 1 / price[k]
		}
		return 1 / price[k] / slices.Max(s.splitProblem.Classes[c].RateByKind)
	}
	if g.Objective == objectiveMaxMin {
		ref := make([]float64, len(s.leadJobOfClass))
		for c, i := range s.leadJobOfClass {
			ref[c] = s.problem.equalPartSpeed(i)
		}
		program := s.newLinearProgram(none, ref)
		program.Objective[len(program.Objective)-1] = 1
		best, err := program.Maximize()
		if err != nil {
			return nil, err
		}
		for c := range need {
			need[c] = best.Value * ref[c] * (1 - 1e-7)
		}
		factor = func(c, _ int) float64 {
			return s.splitProblem.Classes[c].Size / slices.Max(s.splitProblem.Classes[c].RateByKind)
		}
	}
	program := s.newLinearProgram(need, none)
	s.setGains(&program, factor)
	best, err := program.Maximize()
	return best.X, err
}

// matchJobs makes pairs of jobs out of pairs of classes, each job in one at
// most, those with most time together first. The earlier job takes turns for
// both, the other runs beside it whenever it does.
func (s *spaceSharing) matchJobs(v []float64) (x [][]float64, pairs []pair) {
	kinds := len(s.problem.gpusByKind)
	x, members := make([][]float64, len(s.classOfJob)), make([][]int, len(s.leadJobOfClass))
	for i, c := range s.classOfJob {
		members[c] = append(members[c], i)
		x[i] = make([]float64, kinds)
		for k := range x[i] {
			x[i][k] = v[c*kinds+k] / s.splitProblem.Classes[c].Count
		}
	}
	together := v[len(s.leadJobOfClass)*kinds:]
	order := make([]int, len(s.classPairs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(together[b], together[a]), cmp.Compare(a, b)) })
	for _, i := range order {
		q := s.classPairs[i]
		n := min(len(members[q.classA]), len(members[q.classB]))
		if q.classA == q.classB {
			n /= 2
		}
		if n = min(n, int(together[i]+1)); n == 0 || together[i] <= 1e-9 {
			continue
		}
		part := min(together[i]/float64(n), 1)
		for range n {
			var a, b int
			a, members[q.classA] = members[q.classA][0], members[q.classA][1:]
			b, members[q.classB] = members[q.classB][0], members[q.classB][1:]
			x[a][q.kind] += part
			pairs = append(pairs, pair{Rider: s.problem.jobs[b].ID, Host: s.problem.jobs[a].ID})
		}
	}
	return x, pairs
}
