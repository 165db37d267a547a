package window

import (
	"math"
	"time"

	"fairbridge/policy/engine"
	"fairbridge/policy/solve/knapsack"
)

// plan returns the window that holds for the jobs, sorted by ID: the last one,
// or a new one.
func (p *Planner) plan(r *engine.Round, jobs []*engine.Entry) *Plan {
	holds, changed := p.stillHolds(p.Last, r.Now, jobs)
	if holds {
		return p.Last
	}
	next := &Plan{Origin: r.Now, Made: r.Now, Jobs: make([]Share, len(jobs))}
	if p.Last != nil {
		next.Origin = p.Last.Origin
	}
	for i, e := range jobs {
		next.Jobs[i].ID = e.ID
		if s := p.Last.share(e.ID); s != nil {
			next.Jobs[i].Fair = s.Fair
		}
	}
	for _, t := range groupByType(r, jobs) {
		tp := typePlanner{Settings: p.Settings, Round: r, gpuType: t, origin: next.Origin}
		tp.predictAll(next.Jobs, changed)
		tp.solve(next.Jobs)
	}
	return next
}

// typePlanner divides the rounds of one GPU type.
type typePlanner struct {
	*Settings
	*engine.Round
	gpuType
	origin    time.Time
	forecasts []forecast
}

// equalShare is the part of its GPUs that each job has in an equal division.
func (p *typePlanner) equalShare() float64 {
	return min(1, float64(max(p.gpus, 1))/float64(max(len(p.jobs), 1)))
}

// logarithm is that of the authors' programme.
var logarithm = knapsack.PiecewiseLog(1e-6, 0.2, 0.4, 0.6, 0.8)

// solve finds the rounds of every job and writes them into its share.
func (p *typePlanner) solve(shares []Share) {
	rounds := min(p.Window, 64)
	w := knapsack.Problem{Rounds: rounds, Capacity: p.gpus, Utility: logarithm, Items: make([]knapsack.Item, len(p.forecasts)),
		Tail: p.Tail * float64(len(p.forecasts)*rounds)}
	for i := range p.forecasts {
		w.Items[i] = p.stake(&p.forecasts[i])
	}
	if !p.guarantee(&w) {
		p.weigh(&w)
	}
	for n, rounds := range w.Plan() {
		s := &shares[p.index[n]]
		s.Type, s.Rounds, s.Weight = p.name, rounds, w.Items[n].Weight
	}
}

func (p *typePlanner) stake(f *forecast) knapsack.Item {
	d := p.Settings.Round.Seconds()
	use := math.Ceil((1 - f.progress) / (f.perSecond * d))
	return knapsack.Item{Size: f.Size(), Weight: 1, Done: f.progress, Gain: f.perSecond * d, Left: f.Left, Cut: d,
		Most: int(min(max(use, 1), 64))}
}

// guarantee asks for the rounds without which a job would finish later than is
// fair, if the others get their equal share after the window. It reports
// whether all can be had.
func (p *typePlanner) guarantee(w *knapsack.Problem) bool {
	d := p.Settings.Round.Seconds()
	room := w.Rounds * w.Capacity
	for i := range p.forecasts {
		f, s := &p.forecasts[i], &w.Items[i]
		spare := p.RhoMax*(f.start+f.fair) - (f.start + f.age + d*float64(w.Rounds))
		if spare < 0 {
			return false
		}
		s.Least = int(max(math.Ceil((f.longest-spare*p.equalShare())/d), 0))
		room -= s.Least * s.Size
		if s.Least > min(s.Most, w.Rounds) || room < 0 {
			return false
		}
	}
	return true
}

// weigh guarantees nothing, and gives more weight to jobs that would finish too
// late.
func (p *typePlanner) weigh(w *knapsack.Problem) {
	for i := range p.forecasts {
		f, s := &p.forecasts[i], &w.Items[i]
		s.Least = 0
		rho := (f.start + f.age + f.longest/p.equalShare()) / max(f.start+f.fair, 1)
		if rho <= p.RhoMax {
			continue
		}
		power := p.Power
		if f.Left < p.Settings.Round.Seconds() {
			power = 100 // it could be done in a round
		}
		s.Weight = min(math.Pow(rho, power), p.Cap)
	}
}
