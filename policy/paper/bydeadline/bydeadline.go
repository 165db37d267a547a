// Package bydeadline serves the job first that loses most, for each GPU-second it takes, by waiting for
// another: of each job it is said what it is worth to be done at which time. A job whose deadline
// cannot be met any more loses nothing by waiting and goes behind those that can, in place of
// dragging them along. No job is stopped.
//
// D. Betser, on deadlines as service level agreements with simulation-backed negotiation, Master of
// Engineering thesis, MIT 2012 (the idea: values of completion times, and answers by simulation before a job is
// submitted; it has no scheduler of its own). The index: A. P. J. Vepsalainen, T. E. Morton, "Priority Rules for Job Shops with
// Weighted Tardiness Costs", Management Science 1987 (apparent tardiness cost).
package bydeadline

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/deadline"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
)

// Policy is the policy with its parameters.
type Policy struct {
	Lookahead  float64 `param:"lookahead" default:"2" min:"0.1" max:"100" help:"how far before its last moment a job with a deadline begins to press, in mean run times of the jobs that wait (the kappa of apparent tardiness cost)"`
	Decay      float64 `param:"decay" default:"1" min:"0.01" max:"100" help:"within what part of the time from its arrival to its deadline a soft deadline loses all its value after it"`
	BestEffort float64 `param:"best_effort" default:"0.01" max:"100" help:"what an hour of delay costs a job without a deadline, or with one that is missed, in values of a deadline"`
	Backfill   string  `param:"backfill" choices:"easy,greedy" default:"easy" help:"who may pass a blocked job: those who do not delay it, or every job"`
	deadline.Rule
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	return p.Rule.Decide(s, p.decide)
}

func (p *Policy) decide(s *policy.Snapshot) (*policy.Plan, error) {
	pipeline := engine.Pipeline{
		Name:     "by-deadline",
		Predict:  predict.Ladder{},
		Order:    byValue{p},
		Backfill: backfill.EASY{RunLength: engine.RunLengthByEstimate},
		Rules:    p.Rules(),
	}
	if p.Backfill == "greedy" {
		pipeline.Backfill = backfill.Greedy{}
	}
	return pipeline.Decide(s)
}

// byValue orders by the index.
type byValue struct{ *Policy }

// Order implements engine.Orderer.
func (p byValue) Order(r *engine.Round) ([]*engine.Entry, error) {
	line := p.listValues(r)
	line.sortByIndex(r)
	if !r.OmitReasons {
		line.explain()
	}
	return line.entries(), nil
}

// System describes the policy in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "by-deadline", Title: "By-deadline agreements: what a completion is worth", Venue: "M.Eng. thesis, MIT", Year: 2012,
		Cite:         `D. Betser, by-deadline service level agreements with simulation-backed negotiation, M.Eng. thesis, MIT 2012; index: A. P. J. Vepsalainen, T. E. Morton, "Priority Rules for Job Shops with Weighted Tardiness Costs", Management Science 1987`,
		Idea:         "Say what being done by when is worth; serve the job that loses most, a GPU-second, by waiting; let what is late anyway wait.",
		OwnStages:    []string{"predict", "order", "backfill"},
		NeededInputs: []string{"deadlines", "what they are worth", "how long a job will run"},
		Fallback:     "a job without a deadline loses a little an hour; one without a value is worth as much as the mean of its account; one of unknown length counts as the mean of the others",
		Reproduced:   "the worked examples of the rules: steps, linear costs (Smith's rule), equal jobs (earliest deadline first); the thesis has no figures: in drawn overload of 1.2 of 32 GPUs the deadlines met are worth 2.88 times (2.08 to 4.59, five seeds) those of EDF, 6.10 times FIFO's, 2.18 times those of multifactor and 1.04 times those of SJF, in exact fidelity with run times known",
		Deviations: []string{
			"The thesis is an idea and a prototype that shows users what a schedule does: the index, the search and all constants here are the reference's or ours. Its negotiation is in explain and when, for every policy.",
			"The deadline of a job beyond its account's share of the GPUs does not count, unless a deadline budget was granted (deadlines_count=always counts all).",
			"Values are relative to the mean of their account's jobs, so that no account gains by large numbers.",
			"It stops no job. Swaps in a predicted schedule, which the reference has, are left out: on drawn overload they were worth 1 % less than the index alone, at ten times its time.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"deadlines_count": "always", "max_wait": "0s"},
	})
}

// worth is what a job is worth by when it is done, in values of a deadline of middle worth, never rising: step if it is done
// by a time, falling to nothing from there to another, and a slope from now on. Times are seconds from now.
type worth struct {
	step     float64 // 0: it has no deadline
	deadline float64
	zeroAt   float64 // of a soft deadline; no later than the deadline: it is hard
	slope    float64 // lost with each second
}

// loss returns what a job that would be done at a time loses if that is later by delay: what it
// surely loses, and of what it may come to lose the less the further away that is (exponentially, by
// patience in seconds).
func (w *worth) loss(done, delay, patience float64) float64 {
	sure := w.slope * delay
	switch {
	case w.step == 0 || done > max(w.deadline, w.zeroAt):
		return sure
	case w.zeroAt > w.deadline && done > w.deadline:
		return sure + w.step*min(delay/(w.zeroAt-w.deadline), 1)
	case w.zeroAt > w.deadline:
		return sure + w.step*min(delay/(w.zeroAt-w.deadline), 1)*math.Exp(-(w.deadline-done)/patience)
	}
	return sure + w.step*math.Exp(-(w.deadline-done)/patience)
}

// newWorth returns what a job is worth; mean is that of the values that jobs of its account say.
func (p *Policy) newWorth(r *engine.Round, e *engine.Entry, mean float64) worth {
	w := worth{slope: p.BestEffort / 3600}
	if e.Deadline.IsZero() {
		return w
	}
	w.step, w.deadline = valueOf(e.Job)/mean, e.Deadline.Sub(r.Now).Seconds()
	if e.SoftDeadline {
		w.zeroAt = w.deadline + max(p.Decay*e.Deadline.Sub(e.Arrive).Seconds(), 1)
	}
	return w
}

// valueOf is what its owner says that a deadline is worth.
func valueOf(j *policy.Job) float64 {
	if j.DeadlineValue > 0 {
		return j.DeadlineValue
	}
	return 1
}

// meanValues returns the mean of the values of deadlines by account.
func meanValues(r *engine.Round) map[string]float64 {
	sum, count := map[string]float64{}, map[string]float64{}
	for _, e := range r.Entries {
		if !e.Deadline.IsZero() {
			sum[e.Account] += valueOf(e.Job)
			count[e.Account]++
		}
	}
	for account := range sum {
		sum[account] /= count[account]
	}
	return sum
}

// valued is a job with what it is worth.
type valued struct {
	*engine.Entry
	worth
	length float64 // seconds it takes
	gpus   float64 // whole ones
	index  float64 // what it loses by waiting for another, for each GPU-second it takes
}

// line is the jobs in the order in which they are served; those that run come first, and are not
// stopped, and those last that cannot start.
type line []valued

// listValues says of every job what it is worth.
func (p *Policy) listValues(r *engine.Round) line {
	means, mean := meanValues(r), meanLength(r)
	all := make(line, len(r.Entries))
	for i, e := range r.Entries {
		v := valued{
			Entry: e, worth: p.newWorth(r, e, means[e.Account]), length: e.Estimate().TimeLeft.Seconds(),
			gpus: max(e.Ask.GPUs.WholeGPUs(), .01),
		}
		if v.length <= 0 {
			v.length = mean
		}
		v.index = v.loss(v.length, mean, p.Lookahead*mean) / (v.gpus * v.length)
		all[i] = v
	}
	return all
}

// meanLength is the mean time that waiting jobs take, an hour where nothing is known: a job that
// is passed waits for about as long.
func meanLength(r *engine.Round) float64 {
	sum, count := 0., 0.
	for _, e := range r.Entries {
		if !e.HoldsGPUs() && e.Estimate().TimeLeft > 0 {
			sum += e.Estimate().TimeLeft.Seconds()
			count++
		}
	}
	if count == 0 {
		return 3600
	}
	return sum / count
}

// class is 0 for jobs that run, 1 for those that may start and 2 for others.
func (v *valued) class(r *engine.Round) int {
	switch {
	case v.HoldsGPUs():
		return 0
	case r.MayRun(v.Entry):
		return 1
	}
	return 2
}

// sortByIndex puts the job first that loses most.
func (l line) sortByIndex(r *engine.Round) {
	slices.SortFunc(l, func(a, b valued) int {
		return engine.ThenArrival(cmp.Or(cmp.Compare(a.class(r), b.class(r)), cmp.Compare(b.index, a.index)), a.Entry, b.Entry)
	})
}

func (l line) entries() []*engine.Entry {
	all := make([]*engine.Entry, len(l))
	for i := range l {
		all[i] = l[i].Entry
	}
	return all
}

// explain notes for owners what their jobs were ordered by.
func (l line) explain() {
	for i := range l {
		v := &l[i]
		slack := v.deadline - v.length
		switch {
		case v.step == 0:
			v.Note = "it has no deadline that counts, and loses little by waiting"
		case slack < 0 && v.zeroAt <= v.deadline:
			v.Note = fmt.Sprintf("its deadline %s cannot be met any more, as it takes %s yet; it goes behind jobs that can be in time", formatTime(v.Job), policy.FormatSeconds(v.length))
		case slack < 0:
			v.Note = fmt.Sprintf("it will be late for its soft deadline %s, and loses the more the later it is", formatTime(v.Job))
		default:
			v.Note = fmt.Sprintf("its deadline is %s, which leaves it %s, worth %.2g times the mean of its account", formatTime(v.Job), policy.FormatSeconds(slack), v.step)
		}
	}
}

func formatTime(j *policy.Job) string { return j.Deadline.UTC().Format("2006-01-02 15:04 MST") }
