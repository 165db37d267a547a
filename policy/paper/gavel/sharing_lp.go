package gavel

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/solve/lp"
)

// pair says that a job should run beside another rather than wait.
type pair struct {
	Rider policy.JobID `json:"rider"`
	Host  policy.JobID `json:"host"`
}

// maxSharingClasses bounds the LP of sharing, in classes of jobs; its tableau grows
// with their cube.
const maxSharingClasses = 60

// A classPair is two classes whose jobs may share GPUs of a kind; both may be the
// same class.
type classPair struct {
	classA, classB, kind int
	speedA, speedB       float64
}

// spaceSharing is the division when jobs may share: the variables of its LP are the
// time all jobs of a class spend alone on each kind, the time pairs spend
// together, and the level.
type spaceSharing struct {
	problem        *problem
	splitProblem   *lp.SplitProblem
	classOfJob     []int
	leadJobOfClass []int
	classPairs     []classPair
}

// newSpaceSharing returns nil where no job could share, or where there are too many
// classes.
func newSpaceSharing(p *problem) *spaceSharing {
	s := &spaceSharing{problem: p}
	class := map[string]float64{}
	s.splitProblem, s.classOfJob, s.leadJobOfClass = p.groupIntoClasses(func(i int) []float64 {
		j := &p.jobs[i]
		if !j.Shareable || j.Training == nil || len(j.Training.SharedRates) == 0 {
			return []float64{0}
		}
		if class[j.Class] == 0 {
			class[j.Class] = float64(len(class) + 1)
		}
		return []float64{class[j.Class]}
	})
	if len(class) == 0 || len(s.leadJobOfClass) > maxSharingClasses {
		return nil
	}
	for a := range s.leadJobOfClass {
		for b := a; b < len(s.leadJobOfClass); b++ {
			s.addClassPair(a, b)
		}
	}
	if len(s.classPairs) == 0 {
		return nil
	}
	return s
}

func (s *spaceSharing) addClassPair(a, b int) {
	x, y := &s.problem.jobs[s.leadJobOfClass[a]], &s.problem.jobs[s.leadJobOfClass[b]]
	if x.gpuCount != y.gpuCount || !x.Shareable || !y.Shareable || x.Training == nil || y.Training == nil || a == b && s.splitProblem.Classes[a].Count < 2 {
		return
	}
	for k, typ := range s.problem.gpuTypes {
		one, two := speedBeside(x.Training, typ, y.Class), speedBeside(y.Training, typ, x.Class)
		if one > 0 && two > 0 && x.ratesByKind[k] > 0 && y.ratesByKind[k] > 0 {
			s.classPairs = append(s.classPairs, classPair{a, b, k, one, two})
		}
	}
}

func speedBeside(t *policy.Training, typ, class string) float64 {
	for _, b := range t.SharedRates {
		if b.Type == typ && b.NeighbourClass == class {
			return b.StepsPerSecond
		}
	}
	return 0
}

// newLinearProgram makes the rows: time of each class, GPUs of each kind, and that each
// class reaches at least its need plus level·ref.
func (s *spaceSharing) newLinearProgram(need, ref []float64) lp.Problem {
	kinds := len(s.problem.gpusByKind)
	n := len(s.leadJobOfClass)*kinds + len(s.classPairs) + 1
	program := lp.Problem{Objective: make([]float64, n)}
	row := func(bound float64) []float64 {
		r := make([]float64, n)
		program.Rows, program.Bounds = append(program.Rows, r), append(program.Bounds, bound)
		return r
	}
	gpus := make([][]float64, kinds)
	for k, c := range s.problem.gpusByKind {
		gpus[k] = row(c)
	}
	times, speeds := make([][]float64, len(s.leadJobOfClass)), make([][]float64, len(s.leadJobOfClass))
	for c, it := range s.splitProblem.Classes {
		times[c], speeds[c] = row(it.Count), row(-it.Count*need[c])
		for k, r := range it.RateByKind {
			at := c*kinds + k
			if r > 0 {
				times[c][at], gpus[k][at], speeds[c][at] = 1, it.Size, -r
			}
		}
		speeds[c][n-1] = it.Count * ref[c]
	}
	for i, q := range s.classPairs {
		at := len(s.leadJobOfClass)*kinds + i
		gpus[q.kind][at] = s.splitProblem.Classes[q.classA].Size
		times[q.classA][at]++
		times[q.classB][at]++
		speeds[q.classA][at] -= q.speedA
		speeds[q.classB][at] -= q.speedB
	}
	return program
}

// setGains counts progress in the objective: each class's speed times its factor.
func (s *spaceSharing) setGains(program *lp.Problem, factor func(class, kind int) float64) {
	kinds := len(s.problem.gpusByKind)
	for c, it := range s.splitProblem.Classes {
		for k, r := range it.RateByKind {
			program.Objective[c*kinds+k] = r * factor(c, k)
			if r <= 0 {
				program.Objective[c*kinds+k] = -1 // it cannot run there
			}
		}
	}
	for i, q := range s.classPairs {
		program.Objective[len(s.leadJobOfClass)*kinds+i] = q.speedA*factor(q.classA, q.kind) + q.speedB*factor(q.classB, q.kind)
	}
}

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
