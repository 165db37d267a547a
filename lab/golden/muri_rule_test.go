package golden

import (
	"cmp"
	"fmt"
	"slices"

	"fairbridge/lab/packs"
	"fairbridge/policy/interleave"
)

// muriOptions are what the rule knows and does.
type muriOptions struct {
	// ByAttained is Muri-L: nobody knows how long jobs run, and those that had the least are
	// first. Otherwise it is Muri-S: those with the least GPU time left.
	ByAttained bool
	// Unpacks parts packs in which a step takes longer than one of each job, one after another.
	Unpacks bool
}

// muriSystem returns the rule for one run.
func muriSystem(o muriOptions) packs.System {
	name := "muri-s"
	if o.ByAttained {
		name = "muri-l"
	}
	return packs.System{Name: name, Rule: &muriRule{muriOptions: o}, SameEventSeconds: 1e-4}
}

// muriRule is the rule of Muri-S and Muri-L as their published simulator has it (Y. Zhao et
// al., "Multi-Resource Interleaving for Deep Learning Training", SIGCOMM 2022): at every event jobs
// are grouped from scratch. Which of several matchings of the largest weight it takes is its own;
// where it takes another one, means move by up to two in a hundred.
type muriRule struct {
	muriOptions
	times interleave.Times
}

// turn is what of a job decides when it is its turn.
func (r *muriRule) turn(j *packs.Job) float64 {
	switch {
	case r.ByAttained:
		return j.ExecutedSeconds * float64(j.GPUs)
	case j.ExecutedSeconds == 0:
		return j.Duration * float64(j.GPUs)
	}
	return gpuSecondsLeft(j)
}

// Choose implements packs.Rule.
func (r *muriRule) Choose(m *packs.Moment) ([]packs.Pack, error) {
	slices.SortStableFunc(m.Active, func(a, b *packs.Job) int { return cmp.Compare(r.turn(a), r.turn(b)) })
	candidates := muriCandidates(m)
	groups, err := r.group(candidates, m.Cluster.GPUCount())
	if err != nil {
		return nil, err
	}
	if r.Unpacks {
		groups = r.unpack(m, groups)
	}
	slices.SortStableFunc(m.Active, func(a, b *packs.Job) int { return cmp.Compare(b.GPUs, a.GPUs) })
	return r.place(m, groups)
}

// muriCandidates returns the jobs that are to run, in order of their turn: while jobs fit on
// the cluster, each of them and the next of as many GPUs, as far as they make one pack.
func muriCandidates(m *packs.Moment) []*packs.Job {
	next := map[int]int{} // by GPUs: jobs of a pack that was given its place and is not full
	var candidates []*packs.Job
	for _, j := range m.Active {
		if next[j.GPUs] == 0 && m.Cluster.Place(j.GPUs) {
			next[j.GPUs] = interleave.MaxJobs
		}
		if next[j.GPUs] > 0 {
			next[j.GPUs]--
			candidates = append(candidates, j)
		}
	}
	return candidates
}

// group makes packs of the candidates that all fit.
func (r *muriRule) group(candidates []*packs.Job, totalGPUs int) ([][]*packs.Job, error) {
	g := interleave.Grouping{TotalGPUs: totalGPUs, Times: &r.times}
	alone := make([][]int, len(candidates))
	for i, j := range candidates {
		known, err := muriProfile(j)
		if err != nil {
			return nil, err
		}
		g.Jobs, g.GPUs, alone[i] = append(g.Jobs, known), append(g.GPUs, j.GPUs), []int{i}
	}
	var groups [][]*packs.Job
	for _, indexes := range g.Group(alone) {
		var jobs []*packs.Job
		for _, i := range indexes {
			jobs = append(jobs, candidates[i])
		}
		groups = append(groups, jobs)
	}
	return groups, nil
}

func muriProfile(j *packs.Job) (interleave.Job, error) {
	known, ok := interleave.JobOf(j.Sharing)
	if !ok {
		return known, fmt.Errorf("%s: to be grouped it needs the stages of a step", j.Location())
	}
	known.StepSeconds = j.StepSeconds
	return known, nil
}

// unpack parts packs that are slower than turns and keeps, of all packs, in order of the first
// turn of their jobs, those that fit.
func (r *muriRule) unpack(m *packs.Moment, groups [][]*packs.Job) [][]*packs.Job {
	var parted [][]*packs.Job
	for _, jobs := range groups {
		if p, err := r.newPack(jobs); err == nil && p.StepSeconds <= muriSumOfSteps(jobs) {
			parted = append(parted, jobs)
			continue
		}
		for _, j := range jobs {
			parted = append(parted, []*packs.Job{j})
		}
	}
	slices.SortStableFunc(parted, func(a, b []*packs.Job) int { return cmp.Compare(r.firstTurn(a), r.firstTurn(b)) })
	m.Cluster.Clear()
	return slices.DeleteFunc(parted, func(jobs []*packs.Job) bool { return !m.Cluster.Place(jobs[0].GPUs) })
}

func muriSumOfSteps(jobs []*packs.Job) float64 {
	sum := 0.0
	for _, j := range jobs {
		sum += j.StepSeconds
	}
	return sum
}

func (r *muriRule) firstTurn(jobs []*packs.Job) float64 {
	first := r.turn(jobs[0])
	for _, j := range jobs {
		first = min(first, r.turn(j))
	}
	return first
}

// place returns the packs that find a place, those of most GPUs first.
func (r *muriRule) place(m *packs.Moment, groups [][]*packs.Job) ([]packs.Pack, error) {
	groupOf, isPlaced := map[*packs.Job]int{}, make([]bool, len(groups))
	for g, jobs := range groups {
		for _, j := range jobs {
			groupOf[j] = g
		}
	}
	m.Cluster.Clear()
	var placed []packs.Pack
	for _, j := range m.Active {
		g, is := groupOf[j]
		if !is || isPlaced[g] || !m.Cluster.Place(j.GPUs) {
			continue
		}
		p, err := r.newPack(groups[g])
		if err != nil {
			return nil, err
		}
		isPlaced[g], placed = true, append(placed, p)
	}
	return placed, nil
}

// newPack works out how long a step takes of jobs that share GPUs, and their start: that of each
// puts off all.
func (r *muriRule) newPack(jobs []*packs.Job) (packs.Pack, error) {
	p := packs.Pack{Jobs: jobs}
	known := make([]interleave.Job, len(jobs))
	for i, j := range jobs {
		var err error
		if known[i], err = muriProfile(j); err != nil {
			return p, err
		}
		p.StartSeconds += j.StartSeconds
	}
	p.StepSeconds = r.times.StepSeconds(known)
	return p, nil
}
