package through

import (
	"slices"
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/sim/measure"
)

// measured turns Slurm's accounting into figures.
func (r *runner) measured() *measure.Run {
	out := &measure.Run{Policy: r.Name, Seed: r.Seed, Shares: map[string]float64{}}
	for _, a := range r.Accounts {
		out.Shares[a.Name] = a.Weight
	}
	for i := range r.Nodes {
		for _, d := range r.Nodes[i].GPUs {
			out.GPUs += d.Count - d.Sick
		}
	}
	out.Jobs = make([]measure.Outcome, len(r.jobs))
	for i := range r.jobs {
		j := &r.jobs[i]
		out.Jobs[i] = measure.Outcome{
			ID: j.ID, User: j.User, Account: j.Account, GPUs: j.GPUs, Arrive: j.Arrive, Start: -1, Alone: j.Duration,
		}
	}
	for _, s := range r.w.Segments() {
		r.add(out, &s)
	}
	r.present(out)
	out.Samples = r.samples()
	if r.clock != nil {
		out.Decide = r.clock.took
	}
	return out
}

// add counts one run of a job.
func (r *runner) add(out *measure.Run, s *sim.Segment) {
	o := &out.Jobs[r.ids[s.Job]]
	start, end := r.sec(s.Start), r.sec(s.End)
	gpus := float64(s.GPUs)
	if o.Start < 0 || start < o.Start {
		o.Start = start
	}
	o.Finish = max(o.Finish, end)
	o.Ran += end - start
	o.Service += gpus * (end - start)
	o.Lost += gpus * s.Lost.Seconds()
	if s.State == "REQUEUED" {
		o.Stops++
	}
	out.BusyTime += gpus * (end - start - s.Lost.Seconds())
	out.Makespan = max(out.Makespan, end)
}

func (r *runner) sec(t time.Time) float64 { return t.Sub(r.start).Seconds() }

// present fills in the mean number of jobs present while each was.
func (r *runner) present(out *measure.Run) {
	type change struct {
		at float64
		by float64
	}
	var changes []change
	for i := range out.Jobs {
		changes = append(changes, change{out.Jobs[i].Arrive, 1}, change{out.Jobs[i].Finish, -1})
	}
	slices.SortFunc(changes, func(a, b change) int { return compare(a.at, b.at, -a.by, -b.by) })
	at, area := make([]float64, len(changes)), make([]float64, len(changes)) // integral up to each change
	n := 0.0
	for i, c := range changes {
		if i > 0 {
			area[i] = area[i-1] + n*(c.at-changes[i-1].at)
		}
		at[i] = c.at
		n += c.by
	}
	until := func(t float64) float64 {
		i, _ := slices.BinarySearch(at, t)
		return area[i]
	}
	for i := range out.Jobs {
		if o := &out.Jobs[i]; o.Finish > o.Arrive {
			o.Present = (until(o.Finish) - until(o.Arrive)) / (o.Finish - o.Arrive)
		}
	}
}

func compare(list ...float64) int {
	for i := 0; i+1 < len(list); i += 2 {
		if list[i] != list[i+1] {
			if list[i] < list[i+1] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// samples is the cluster over time, one sample per change.
func (r *runner) samples() []measure.Sample {
	var changes []measure.Change
	for i := range r.jobs {
		changes = append(changes, measure.Change{At: r.jobs[i].Arrive, Queued: 1})
	}
	for _, s := range r.w.Segments() {
		changes = append(changes, measure.Change{At: r.sec(s.Start), Account: s.Account, GPUs: s.GPUs, Running: 1, Queued: -1})
		back := 0
		if s.State == "REQUEUED" || s.State == "NODE_FAIL" {
			back = 1
		}
		changes = append(changes, measure.Change{At: r.sec(s.End), Account: s.Account, GPUs: -s.GPUs, Running: -1, Queued: back})
	}
	return measure.Course(changes)
}
