package window

import (
	"slices"

	"fairbridge/policy/engine"
	"fairbridge/policy/solve"
)

// lane is a GPU type and the jobs that compete for it.
type lane struct {
	typ   string
	whole bool // not slices of GPUs
	gpus  int
	jobs  []*engine.Entry
	index []int // where they stand among all
}

func (l *lane) takes(typ string) bool { return typ == l.typ || typ == "" && l.whole }

// lanes sends each job to the GPU type it asks for. One that takes any stays
// where it runs, goes where the market sends it if it knows how fast it is on
// each type, or else where fewest GPUs are asked for per GPU so far.
func lanes(r *engine.Round, jobs []*engine.Entry) []lane {
	all := capacities(r)
	asked := make([]int, len(all))
	sent := trade(all, jobs)
	for i, e := range jobs {
		at := sent[i]
		for l := range all {
			switch {
			case at == sent[i] && at >= 0 || !all[l].takes(e.Ask.GPUs.Type):
			case at < 0 || (asked[l]+e.Size())*all[at].gpus < (asked[at]+e.Size())*all[l].gpus:
				at = l
			}
		}
		if at < 0 {
			continue // nowhere
		}
		asked[at] += e.Size()
		all[at].jobs, all[at].index = append(all[at].jobs, e), append(all[at].index, i)
	}
	return all
}

// trade says on which types jobs belong that take any, by a market in which all
// have as much money: on the one they buy most of; -1: it cannot say.
func trade(all []lane, jobs []*engine.Entry) []int {
	sent := make([]int, len(jobs))
	var buyers []int
	var worth [][]float64
	for i, e := range jobs {
		sent[i] = -1
		if e.Ask.GPUs.Type != "" || len(all) < 2 {
			continue
		}
		if sent[i] = runsOn(all, e); sent[i] < 0 && e.Training != nil && len(e.Training.Rates) > 1 {
			buyers, worth = append(buyers, i), append(worth, speeds(all, e))
		}
	}
	if len(buyers) == 0 {
		return sent
	}
	budgets := make([]float64, len(buyers))
	for n := range budgets {
		budgets[n] = 1
	}
	shares, _ := solve.Market(budgets, worth, 1e-2)
	for n, i := range buyers {
		for l := range all {
			if shares[n][l] > 0 && (sent[i] < 0 || worth[n][l]*shares[n][l] > worth[n][sent[i]]*shares[n][sent[i]]) {
				sent[i] = l
			}
		}
	}
	return sent
}

// runsOn is the lane of the GPUs the job holds; -1: none.
func runsOn(all []lane, e *engine.Entry) int {
	if len(e.On) == 0 {
		return -1
	}
	return slices.IndexFunc(all, func(l lane) bool { return l.typ == e.On.Type() })
}

// speeds are what all GPUs of a lane are worth to the job.
func speeds(all []lane, e *engine.Entry) []float64 {
	v := make([]float64, len(all))
	for l := range all {
		if rate, ok := e.Training.Rate(all[l].typ); ok && all[l].whole {
			v[l] = rate * float64(all[l].gpus)
		}
	}
	return v
}

// capacities returns the GPUs of each type that may be granted, in order of
// nodes and types.
func capacities(r *engine.Round) []lane {
	var all []lane
	of := func(typ string) *lane {
		for i := range all {
			if all[i].typ == typ {
				return &all[i]
			}
		}
		all = append(all, lane{typ: typ})
		return &all[len(all)-1]
	}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			of(d.Type).whole = d.Part == 0 || d.Part == 100
		}
	}
	for i := range all {
		all[i].gpus = r.Free.TotalFree(all[i].typ)
	}
	for _, e := range r.Active() {
		if competes(r, e) {
			for _, slot := range e.On {
				of(slot.Type).gpus += slot.Count
			}
		}
	}
	for i := range all {
		all[i].gpus = max(all[i].gpus, 0) // sick devices may be held by more than there are
	}
	return all
}
