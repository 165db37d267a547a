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
	type change struct {
		at            float64
		account       string
		gpus          int
		running, wait int
	}
	var changes []change
	for i := range r.jobs {
		changes = append(changes, change{at: r.jobs[i].Arrive, wait: 1})
	}
	for _, s := range r.w.Segments() {
		changes = append(changes, change{r.sec(s.Start), s.Account, s.GPUs, 1, -1})
		back := 0
		if s.State == "REQUEUED" || s.State == "NODE_FAIL" {
			back = 1
		}
		changes = append(changes, change{r.sec(s.End), s.Account, -s.GPUs, -1, back})
	}
	slices.SortStableFunc(changes, func(a, b change) int { return compare(a.at, b.at) })
	var out []measure.Sample
	var now measure.Sample
	for i, c := range changes {
		now.At = c.at
		now.Busy += c.gpus
		now.Running += c.running
		now.Queued += c.wait
		if c.gpus != 0 {
			now.GPUs = with(now.GPUs, c.account, float64(c.gpus))
		}
		if i+1 == len(changes) || changes[i+1].at > c.at {
			out = append(out, now)
		}
	}
	return out
}

// with returns a copy of the map with n added to the key's value.
func with(m map[string]float64, key string, n float64) map[string]float64 {
	out := make(map[string]float64, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	out[key] += n
	return out
}
