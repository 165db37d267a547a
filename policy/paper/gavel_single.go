package paper

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy/solve"
)

// single divides GPUs of one kind by a fair objective: the objective sets the
// least that each job must get, and of all divisions that give as much it takes
// the analytic centre.
func (p *gavelProblem) single(objective string) [][]float64 {
	spans := make([]solve.Span, len(p.jobs))
	for i := range p.jobs {
		spans[i] = solve.Span{Many: 1, Size: p.jobs[i].size, Power: 1, Zero: 1}
	}
	switch objective {
	case makespan:
		p.byMakespan(spans)
	case finishTime:
		p.byFinish(spans)
	default:
		p.byLevel(spans)
	}
	return column(solve.Center(p.capacity[0], spans))
}

// byLevel gives all the same GPU time, as much as the smallest can use.
func (p *gavelProblem) byLevel(spans []solve.Span) {
	level := p.capacity[0] / float64(len(spans))
	for _, s := range spans {
		level = min(level, s.Size)
	}
	for i := range spans {
		spans[i].Low = level / spans[i].Size
	}
}

// byMakespan gives everybody what it takes to be done at the same time. That
// time is searched as the authors do: between 100 s and 10⁶ s, or ten times
// later when that is too early, by halving until 5 % are left.
func (p *gavelProblem) byMakespan(spans []solve.Span) {
	low, high, at := 100.0, 1e6, 0.0
	for most := high; at == 0; low, high, most = most, 10*most, 10*most {
		for 1.05*low < high {
			if mid := (low + high) / 2; p.done(mid) {
				high, at = mid, mid
			} else {
				low = mid
			}
		}
	}
	for i := range spans {
		spans[i].Low = p.jobs[i].left / p.jobs[i].rate[0] / at
	}
}

// done reports whether all jobs can be done within the seconds.
func (p *gavelProblem) done(within float64) bool {
	use := 0.0
	for i := range p.jobs {
		x := p.jobs[i].left / p.jobs[i].rate[0] / within
		if x > 1 {
			return false
		}
		use += x * p.jobs[i].size
	}
	return use <= p.capacity[0]
}

// byFinish makes the largest ratio of finish times, with others and alone, as
// small as it can be. Its solvers see the reciprocal of a speed as a cone,
// which keeps a job off its least by half as much again.
func (p *gavelProblem) byFinish(spans []solve.Span) {
	alone := p.finishAlone()
	low, high := 0.0, 1e-3
	for !p.needs(high, alone, spans) && high < 1e12 {
		low, high = high, 2*high
	}
	for range 60 {
		if mid := (low + high) / 2; p.needs(mid, alone, spans) {
			high = mid
		} else {
			low = mid
		}
	}
	p.needs(high, alone, spans)
	for i := range spans {
		spans[i].Power, spans[i].Zero = 1.5, 0
	}
}

// needs puts down what each job must get for the ratio, and reports whether
// that is possible.
func (p *gavelProblem) needs(ratio float64, alone []float64, spans []solve.Span) bool {
	use, ok := 0.0, true
	for i := range p.jobs {
		j := &p.jobs[i]
		spans[i].Low = needFor(ratio, alone[i], j) / j.rate[0]
		ok = ok && spans[i].Low <= 1
		use += spans[i].Low * j.size
	}
	return ok && use <= p.capacity[0]
}

// needFor returns the speed at which the job finishes after ratio times alone;
// +Inf if it is too late for that.
func needFor(ratio, alone float64, j *gavelJob) float64 {
	switch within := ratio*alone - j.age; {
	case within < 0:
		return math.Inf(1)
	case j.left == 0:
		return 0
	default:
		return j.left / within
	}
}

// greedy maximises sum Gain·x on GPUs of one kind: those who bring most for a
// GPU get all their time. Equal ones share. Who gets nothing keeps a trace of a
// fraction, larger the less it would cost to serve it, as interior-point solvers
// leave it: it decides who fills the GPUs left over.
func (p *gavelProblem) greedy(gain []float64) [][]float64 {
	const trace = 1e-9
	worth := make([]float64, len(gain))
	order := make([]int, len(gain))
	for i := range gain {
		worth[i], order[i] = gain[i]/p.jobs[i].size, i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(worth[b], worth[a]), cmp.Compare(a, b)) })
	x, left, price := make([]float64, len(gain)), p.capacity[0], 0.0
	for from := 0; from < len(order); {
		to, wants := from, 0.0
		for to < len(order) && worth[order[to]] == worth[order[from]] {
			wants += p.jobs[order[to]].size
			to++
		}
		part := min(1, left/wants)
		if left > 0 {
			price = worth[order[from]]
		}
		for _, i := range order[from:to] {
			x[i] = part
			if left <= 0 && price > 0 {
				x[i] = trace * price / (p.jobs[i].size * (price - worth[i]))
			}
		}
		left = max(left-wants, 0)
		from = to
	}
	return column(x)
}

func column(x []float64) [][]float64 {
	rows := make([][]float64, len(x))
	for i := range x {
		rows[i] = x[i : i+1 : i+1]
	}
	return rows
}
