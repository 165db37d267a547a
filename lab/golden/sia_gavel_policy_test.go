package golden

import (
	"cmp"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/solve/lp"
)

// siaGavel is the Gavel that Sia's authors ran beside Sia, restated from the rules of their
// simulator (github.com/siasosp23/artifacts, aaf7a0d); it is not our policy gavel. In every round of
// six minutes the fractions of time are those of the largest sum of steps per second. A job is
// served by its fraction over its part of all the time that was ever received on the type, so that
// those that came last go first, and jobs without a fraction fill what is left. GPUs are dealt out
// one after another, the largest jobs first, without regard to nodes; a job keeps its own where no
// larger one took them.
type siaGavel struct {
	types    []string
	received map[policy.JobID][]float64 // seconds, by type
	total    []float64                  // of all jobs there ever were
	held     map[policy.JobID][]gpu
}

// gpu is one GPU: its type, node and number on the node.
type gpu struct{ kind, node, number int }

const siaGavelRound = 360.0 // seconds

// Decide implements policy.Policy.
func (g *siaGavel) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	g.addJobs(s)
	x, err := g.fractions(s)
	if err != nil {
		return nil, err
	}
	served := g.serve(s, x)
	g.place(s, served)
	plan := &policy.Plan{SnapshotSeq: s.Seq, Policy: "gavel of sia"}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		d := policy.Decision{Job: j.ID, Rank: i + 1, GPUs: j.Ask.GPUs.Count, On: allocOf(s, g.held[j.ID]), Why: "its turn"}
		switch {
		case len(d.On) > 0 && d.On.Equal(j.On):
			d.Verb = policy.Keep
		case len(d.On) > 0 && j.HoldsGPUs():
			d.Verb = policy.Move
		case len(d.On) > 0:
			d.Verb = policy.Start
		case j.HoldsGPUs():
			d.Verb = policy.Stop
		default:
			d.Verb = policy.Wait
		}
		plan.Decisions = append(plan.Decisions, d)
	}
	return plan, nil
}

// addJobs gives a new job half a round on each type.
func (g *siaGavel) addJobs(s *policy.Snapshot) {
	if g.received == nil {
		g.received, g.held, g.total = map[policy.JobID][]float64{}, map[policy.JobID][]gpu{}, make([]float64, len(g.types))
	}
	present := map[policy.JobID][]gpu{}
	for i := range s.Jobs {
		id := s.Jobs[i].ID
		if g.received[id] == nil {
			for k := range g.types {
				g.received[id] = append(g.received[id], siaGavelRound/2)
				g.total[k] += siaGavelRound / 2
			}
		}
		if of, ok := g.held[id]; ok {
			present[id] = of
		}
	}
	g.held = present
}

// fractions is the division of time with the most steps per second of all jobs. Jobs that are
// alike have equal fractions, as a solver that ends inside gives them.
func (g *siaGavel) fractions(s *policy.Snapshot) ([][]float64, error) {
	class, lead := classesOf(s.Jobs)
	count := make([]float64, len(lead))
	for _, c := range class {
		count[c]++
	}
	solution, err := g.problem(s, lead, count).Maximize()
	if err != nil {
		return nil, err
	}
	x, n := make([][]float64, len(s.Jobs)), len(g.types)
	for i, c := range class {
		for k := range n {
			x[i] = append(x[i], math.Round(1e5*solution.X[c*n+k]/count[c])/1e5)
		}
	}
	return x, nil
}

// classesOf returns the class of each job, and one job of each class: those of a class are alike.
func classesOf(jobs []policy.Job) (class []int, lead []*policy.Job) {
	for i := range jobs {
		j := &jobs[i]
		c := slices.IndexFunc(lead, func(o *policy.Job) bool {
			return o.Ask.GPUs.Count == j.Ask.GPUs.Count && slices.Equal(o.Training.Rates, j.Training.Rates)
		})
		if c < 0 {
			c, lead = len(lead), append(lead, j)
		}
		class = append(class, c)
	}
	return class, lead
}

// problem has a column for each class and type: the time of all its jobs there.
func (g *siaGavel) problem(s *policy.Snapshot, lead []*policy.Job, count []float64) lp.Problem {
	n := len(g.types)
	p := lp.Problem{Objective: make([]float64, n*len(lead))}
	for c, j := range lead {
		row := make([]float64, len(p.Objective))
		for k, typ := range g.types {
			p.Objective[c*n+k], _ = j.Training.Rate(typ)
			row[c*n+k] = 1
		}
		p.Rows, p.Bounds = append(p.Rows, row), append(p.Bounds, count[c])
	}
	for k, typ := range g.types {
		row := make([]float64, len(p.Objective))
		for c, j := range lead {
			row[c*n+k] = float64(j.Ask.GPUs.Count)
		}
		p.Rows, p.Bounds = append(p.Rows, row), append(p.Bounds, float64(len(listGPUs(s, k, typ))))
	}
	return p
}

// serve returns the type each job runs on in this round; -1: none.
func (g *siaGavel) serve(s *policy.Snapshot, x [][]float64) []int {
	type pair struct {
		job, kind      int
		priority, part float64
	}
	var pairs []pair
	left, served := make([]int, len(g.types)), make([]int, len(s.Jobs))
	for k, typ := range g.types {
		left[k] = len(listGPUs(s, k, typ))
		for i := range s.Jobs {
			served[i] = -1
			pairs = append(pairs, pair{i, k, x[i][k] * g.total[k] / g.received[s.Jobs[i].ID][k], x[i][k]})
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.priority, a.priority), cmp.Compare(b.part, a.part))
	})
	for _, p := range pairs {
		j := &s.Jobs[p.job]
		if n := j.Ask.GPUs.Count; served[p.job] < 0 && n <= left[p.kind] {
			served[p.job] = p.kind
			left[p.kind] -= n
			g.received[j.ID][p.kind] += siaGavelRound
			g.total[p.kind] += siaGavelRound
		}
	}
	return served
}

// place deals out the GPUs of each type, the largest jobs first.
func (g *siaGavel) place(s *policy.Snapshot, served []int) {
	last := g.held
	g.held = map[policy.JobID][]gpu{}
	for k, typ := range g.types {
		var here []*policy.Job
		for i := range s.Jobs {
			if served[i] == k {
				here = append(here, &s.Jobs[i])
			}
		}
		size := func(j *policy.Job) int { return j.Ask.GPUs.Count }
		slices.SortStableFunc(here, func(a, b *policy.Job) int { return cmp.Compare(size(b), size(a)) })
		all, taken := listGPUs(s, k, typ), map[gpu]bool{}
		for len(here) > 0 {
			n := 1
			for n < len(here) && size(here[n]) == size(here[0]) {
				n++
			}
			all = g.deal(here[:n], k, last, all, taken)
			here = here[n:]
		}
	}
}

// deal gives jobs of one size GPUs of a kind: what they had where it is free, else the next ones. It
// returns the GPUs after those.
func (g *siaGavel) deal(jobs []*policy.Job, kind int, last map[policy.JobID][]gpu, all []gpu, taken map[gpu]bool) []gpu {
	for _, j := range jobs {
		if had := last[j.ID]; len(had) > 0 && had[0].kind == kind && !slices.ContainsFunc(had, func(d gpu) bool { return taken[d] }) {
			g.take(j.ID, had, taken)
		}
	}
	for _, j := range jobs {
		for ; len(g.held[j.ID]) < j.Ask.GPUs.Count; all = all[1:] {
			if !taken[all[0]] {
				g.take(j.ID, all[:1], taken)
			}
		}
	}
	return all
}

func (g *siaGavel) take(id policy.JobID, of []gpu, taken map[gpu]bool) {
	for _, d := range of {
		taken[d] = true
		g.held[id] = append(g.held[id], d)
	}
}

// listGPUs are the GPUs of a type, node by node.
func listGPUs(s *policy.Snapshot, kind int, typ string) []gpu {
	var all []gpu
	for n := range s.Nodes {
		for _, d := range s.Nodes[n].GPUs {
			for i := range d.Count {
				if d.Type == typ {
					all = append(all, gpu{kind, n, i})
				}
			}
		}
	}
	return all
}

func allocOf(s *policy.Snapshot, of []gpu) policy.Alloc {
	var on policy.Alloc
	for n := range s.Nodes {
		count := 0
		for _, d := range of {
			if d.node == n {
				count++
			}
		}
		if count > 0 {
			on = append(on, policy.Slot{Node: s.Nodes[n].Name, Type: s.Nodes[n].GPUs[0].Type, Count: count})
		}
	}
	return on
}
