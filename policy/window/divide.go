package window

import (
	"math"
	"time"

	"fairbridge/policy/engine"
	"fairbridge/policy/predict"
	"fairbridge/policy/solve"
)

// plan returns the window that holds for the jobs, sorted by ID: the last one,
// or a new one.
func (p *Planner) plan(r *engine.Round, jobs []*engine.Entry) *Plan {
	holds, came := p.holds(p.Last, r.Now, jobs)
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
	for _, l := range lanes(r, jobs) {
		pl := planning{Settings: p.Settings, Round: r, lane: l, origin: next.Origin}
		pl.look(next.Jobs, came)
		pl.divide(next.Jobs)
	}
	return next
}

// planning divides the rounds of one lane.
type planning struct {
	*Settings
	*engine.Round
	lane
	origin time.Time
	views  []view
}

// view is what is known of a job.
type view struct {
	*engine.Entry
	predict.Rest
	all   float64 // share of its work: what is done of all
	gain  float64 // what a second adds to it
	fair  float64 // seconds from arrival to end with an equal share
	age   float64
	late  float64 // Left for fairness
	start float64 // seconds from where time counts to where age and fair do
}

// equal is a job's equal share of its GPUs.
func (p *planning) equal() float64 {
	return min(1, float64(max(p.gpus, 1))/float64(max(len(p.jobs), 1)))
}

// look predicts every job, and estimates its fair end anew if jobs came or
// left since.
func (p *planning) look(shares []Share, came bool) {
	p.views = make([]view, len(p.jobs))
	for n, i := range p.index {
		e, v, s := p.jobs[n], &p.views[n], &shares[i]
		v.Entry = e
		p.see(v)
		v.late = v.Left + p.Sigmas*v.Sigma
		if came || s.Fair.Since.IsZero() {
			s.Fair = s.Fair.add(p.Now, (v.Done+v.late)/p.equal())
		}
		v.fair = s.Fair.mean(p.Now)
		v.age = max(p.Now.Sub(e.Arrive).Seconds(), 0)
		if p.FromStart {
			v.start = s.Fair.Since.Sub(p.origin).Seconds()
			v.age = p.Now.Sub(s.Fair.Since).Seconds()
		}
		s.Left = v.Left
	}
}

// see says how far the job is: in epochs where it counts them, else in run
// time; a job of which nothing is known has a window before it.
func (p *planning) see(v *view) {
	rest, ok := p.Predict.Rest(v.Training)
	if ok {
		v.Rest = rest
		epochs := float64(v.Training.Epochs)
		v.all = min(float64(v.Training.Epoch), epochs-0.5) / epochs
		v.gain = 1 / (epochs * rest.Epoch)
		return
	}
	est := predict.Ladder(nil).Predict(p.Round, v.Entry)
	v.Left, v.Sigma = est.Left.Seconds(), est.Sigma.Seconds()
	if v.Left <= 0 {
		v.Left = p.Settings.Round.Seconds() * float64(p.Window)
	}
	if g := v.Ask.GPUs.Whole(); g > 0 {
		v.Done = float64(v.Attained) / g
	}
	v.all = v.Done / (v.Done + v.Left)
	v.gain = 1 / (v.Done + v.Left)
}

// logarithm is that of the authors' programme.
var logarithm = solve.LogPieces(1e-6, 0.2, 0.4, 0.6, 0.8)

// divide solves for the rounds of every job and says which they are.
func (p *planning) divide(shares []Share) {
	rounds := min(p.Window, 64)
	w := solve.Window{Rounds: rounds, Size: p.gpus, U: logarithm, Stakes: make([]solve.Stake, len(p.views)),
		Tail: p.Tail * float64(len(p.views)*rounds)}
	for i := range p.views {
		w.Stakes[i] = p.stake(&p.views[i])
	}
	if !p.promise(&w) {
		p.weigh(&w)
	}
	for n, turns := range w.Plan() {
		s := &shares[p.index[n]]
		s.Type, s.Rounds, s.Weight = p.typ, turns, w.Stakes[n].Weight
	}
}

func (p *planning) stake(v *view) solve.Stake {
	d := p.Settings.Round.Seconds()
	use := math.Ceil((1 - v.all) / (v.gain * d))
	return solve.Stake{Size: v.Size(), Weight: 1, Done: v.all, Gain: v.gain * d, Left: v.Left, Cut: d,
		Most: int(min(max(use, 1), 64))}
}

// promise asks for the rounds without which a job would finish later than is
// fair, if the others get their equal share after the window. It reports
// whether all can be had.
func (p *planning) promise(w *solve.Window) bool {
	d := p.Settings.Round.Seconds()
	room := w.Rounds * w.Size
	for i := range p.views {
		v, s := &p.views[i], &w.Stakes[i]
		spare := p.RhoMax*(v.start+v.fair) - (v.start + v.age + d*float64(w.Rounds))
		if spare < 0 {
			return false
		}
		s.Least = int(max(math.Ceil((v.late-spare*p.equal())/d), 0))
		room -= s.Least * s.Size
		if s.Least > min(s.Most, w.Rounds) || room < 0 {
			return false
		}
	}
	return true
}

// weigh promises nothing, and gives more weight to jobs that would finish too
// late.
func (p *planning) weigh(w *solve.Window) {
	for i := range p.views {
		v, s := &p.views[i], &w.Stakes[i]
		s.Least = 0
		rho := (v.start + v.age + v.late/p.equal()) / max(v.start+v.fair, 1)
		if rho <= p.RhoMax {
			continue
		}
		power := p.Power
		if v.Left < p.Settings.Round.Seconds() {
			power = 100 // it could be done in a round
		}
		s.Weight = min(math.Pow(rho, power), p.Cap)
	}
}
