package gavel

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy/solve/lp"
)

// singleKindProblem is a problem with GPUs of one kind, which needs no general LP.
type singleKindProblem struct{ *problem }

// divideFairly divides by a fair objective: the objective sets the
// least that each job must get, and of all divisions that give as much it takes
// the one where an interior-point solver ends.
func (p singleKindProblem) divideFairly(objective string) [][]float64 {
	n := len(p.jobs)
	f := &lp.SingleCapacity{Capacity: p.gpusByKind[0], Sizes: make([]float64, n), Speeds: make([]float64, n), MinSpeeds: make([]float64, n)}
	for i := range p.jobs {
		f.Sizes[i], f.Speeds[i] = p.jobs[i].gpuCount, p.jobs[i].ratesByKind[0]
	}
	low := make([]float64, n)
	switch objective {
	case objectiveMakespan:
		p.leastForMakespan(low)
		for i, x := range low {
			f.MinSpeeds[i] = x * f.Speeds[i]
		}
	case ObjectiveFinishTime:
		p.leastForFinishTime(low)
		copy(f.MinSpeeds, low)
		for i := range f.Speeds {
			f.Speeds[i] = 1
		}
	default:
		f.MaximizesMinSpeed = true
		copy(f.Speeds, f.Sizes)
		p.leastForMaxMin(low)
	}
	if p.gpuTimeUsed(low) < p.gpusByKind[0]*(1-1e-9) { // otherwise there is nothing to choose
		if x, ok := f.Solve(); ok {
			return oneColumnMatrix(x)
		}
	}
	return oneColumnMatrix(low)
}

// gpuTimeUsed is the GPU time that fractions take.
func (p singleKindProblem) gpuTimeUsed(x []float64) float64 {
	sum := 0.0
	for i := range p.jobs {
		sum += p.jobs[i].gpuCount * x[i]
	}
	return sum
}

// leastForMaxMin gives all the same GPU time, as much as the smallest can use.
func (p singleKindProblem) leastForMaxMin(low []float64) {
	level := p.gpusByKind[0] / float64(len(low))
	for i := range p.jobs {
		level = min(level, p.jobs[i].gpuCount)
	}
	for i := range low {
		low[i] = level / p.jobs[i].gpuCount
	}
}

// leastForMakespan gives every job what it takes to be done at the same time. That
// time is searched as the authors do: between 100 s and 10⁶ s, or ten times
// later when that is too early, by halving until 5 % are left.
func (p singleKindProblem) leastForMakespan(low []float64) {
	early, late, at := 100.0, 1e6, 0.0
	for most := late; at == 0; early, late, most = most, 10*most, 10*most {
		for 1.05*early < late {
			if mid := (early + late) / 2; p.fitsMakespan(mid) {
				late, at = mid, mid
			} else {
				early = mid
			}
		}
	}
	for i := range low {
		low[i] = p.jobs[i].stepsLeft / p.jobs[i].ratesByKind[0] / at
	}
}

// fitsMakespan reports whether all jobs can be done within the seconds.
func (p singleKindProblem) fitsMakespan(within float64) bool {
	use := 0.0
	for i := range p.jobs {
		x := p.jobs[i].stepsLeft / p.jobs[i].ratesByKind[0] / within
		if x > 1 {
			return false
		}
		use += x * p.jobs[i].gpuCount
	}
	return use <= p.gpusByKind[0]
}

// leastForFinishTime makes the largest ratio of finish times, with others and alone, as
// small as it can be.
func (p singleKindProblem) leastForFinishTime(least []float64) {
	alone := p.isolatedFinishSeconds()
	low, high := 0.0, 1e-3
	for !p.leastForRatio(high, alone, least) && high < 1e12 {
		low, high = high, 2*high
	}
	for range 60 {
		if mid := (low + high) / 2; p.leastForRatio(mid, alone, least) {
			high = mid
		} else {
			low = mid
		}
	}
	p.leastForRatio(high, alone, least)
}

// leastForRatio puts down what each job must get for the ratio, and reports whether
// that is possible.
func (p singleKindProblem) leastForRatio(ratio float64, alone, least []float64) bool {
	ok := true
	for i := range p.jobs {
		least[i] = speedForRatio(ratio, alone[i], &p.jobs[i]) / p.jobs[i].ratesByKind[0]
		ok = ok && least[i] <= 1
	}
	return ok && p.gpuTimeUsed(least) <= p.gpusByKind[0]
}

// speedForRatio returns the speed at which the job finishes after ratio times alone;
// +Inf if it is too late for that.
func speedForRatio(ratio, alone float64, j *job) float64 {
	switch within := ratio*alone - j.ageSeconds; {
	case within < 0:
		return math.Inf(1)
	case j.stepsLeft == 0:
		return 0
	default:
		return j.stepsLeft / within
	}
}

// maximizeSum maximises sum Gain·x: jobs that bring most for a GPU get all their
// time. Equal ones share. One that gets nothing keeps a trace of a
// fraction, larger the less it would cost to serve it, as interior-point solvers
// leave it: it decides which job fills the GPUs left over.
func (p singleKindProblem) maximizeSum(gain []float64) [][]float64 {
	const trace = 1e-9
	worth := make([]float64, len(gain))
	order := make([]int, len(gain))
	for i := range gain {
		worth[i], order[i] = gain[i]/p.jobs[i].gpuCount, i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(worth[b], worth[a]), cmp.Compare(a, b)) })
	x, left, price := make([]float64, len(gain)), p.gpusByKind[0], 0.0
	for from := 0; from < len(order); {
		to, wants := from, 0.0
		for to < len(order) && worth[order[to]] == worth[order[from]] {
			wants += p.jobs[order[to]].gpuCount
			to++
		}
		part := min(1, left/wants)
		if left > 0 {
			price = worth[order[from]]
		}
		for _, i := range order[from:to] {
			x[i] = part
			if left <= 0 && price > 0 {
				x[i] = trace * price / (p.jobs[i].gpuCount * (price - worth[i]))
			}
		}
		left = max(left-wants, 0)
		from = to
	}
	return oneColumnMatrix(x)
}

func oneColumnMatrix(x []float64) [][]float64 {
	rows := make([][]float64, len(x))
	for i := range x {
		rows[i] = x[i : i+1 : i+1]
	}
	return rows
}
