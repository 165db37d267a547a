package exact_test

import (
	"cmp"
	"math"
	"slices"
)

// plainJob is a job of the plain reference. Times are whole seconds.
type plainJob struct {
	id, gpus              int
	arrive, length, limit int
	left                  int // run time
	start, finish         int // of the run under way, and of the job
	stops                 int
	isRunning             bool
}

// plainCluster is a reference written to be obvious, not fast: a number of GPUs, any of
// which do for every job. It shares nothing with what is compared with it.
type plainCluster struct {
	now, free int
	jobs      []*plainJob // by arrival, then id
}

func newPlainCluster(gpus int, jobs []plainJob) *plainCluster {
	c := &plainCluster{free: gpus}
	for _, j := range jobs {
		j.left = j.length
		c.jobs = append(c.jobs, &j)
	}
	slices.SortFunc(c.jobs, func(a, b *plainJob) int { return cmp.Or(cmp.Compare(a.arrive, b.arrive), cmp.Compare(a.id, b.id)) })
	return c
}

// run goes from event to event until all jobs are done. At each, decide starts and
// stops jobs. No job arrives at 0, where it begins.
func (c *plainCluster) run(decide func(*plainCluster)) {
	for {
		next := math.MaxInt
		for _, j := range c.jobs {
			if j.isRunning {
				next = min(next, c.now+j.left)
			}
			if j.arrive > c.now {
				next = min(next, j.arrive)
			}
		}
		if next == math.MaxInt {
			return
		}
		for _, j := range c.jobs {
			if !j.isRunning {
				continue
			}
			if j.left -= next - c.now; j.left == 0 {
				j.isRunning, j.finish = false, next
				c.free += j.gpus
			}
		}
		c.now = next
		decide(c)
	}
}

// waiting returns the jobs that wait, by arrival.
func (c *plainCluster) waiting() (all []*plainJob) {
	for _, j := range c.jobs {
		if j.arrive <= c.now && j.left > 0 && !j.isRunning {
			all = append(all, j)
		}
	}
	return all
}

// running returns the jobs that run, by arrival.
func (c *plainCluster) running() (all []*plainJob) {
	for _, j := range c.jobs {
		if j.isRunning {
			all = append(all, j)
		}
	}
	return all
}

func (c *plainCluster) starts(j *plainJob) {
	j.isRunning, j.start = true, c.now
	c.free -= j.gpus
}

func (c *plainCluster) stops(j *plainJob) {
	j.isRunning = false
	j.stops++
	c.free += j.gpus
}

// plainFIFO starts jobs in order of arrival until one has no room.
func plainFIFO(c *plainCluster) {
	for _, j := range c.waiting() {
		if j.gpus > c.free {
			return
		}
		c.starts(j)
	}
}

// plainSJF starts every job that has room, the shortest first.
func plainSJF(c *plainCluster) {
	line := c.waiting()
	slices.SortStableFunc(line, func(a, b *plainJob) int { return cmp.Compare(a.length, b.length) })
	for _, j := range line {
		if j.gpus <= c.free {
			c.starts(j)
		}
	}
}

// plainEASY is EASY as A. W. Mu'alem and D. G. Feitelson, "Utilization, Predictability,
// Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with Backfilling",
// TPDS 2001, figure 1: first the shadow time and the extra GPUs of the first job that has
// no room; then each later job starts that has room now and either ends by the shadow
// time or needs no more than the extra GPUs.
func plainEASY(c *plainCluster) {
	plainFIFO(c)
	for {
		line := c.waiting()
		if len(line) == 0 {
			return
		}
		shadow, extra := c.shadow(line[0])
		i := slices.IndexFunc(line[1:], func(j *plainJob) bool {
			return j.gpus <= c.free && (c.now+j.limit <= shadow || j.gpus <= extra)
		})
		if i < 0 {
			return
		}
		c.starts(line[1+i])
	}
}

// shadow returns when the job has room if all that run end at their limits, and how many
// GPUs are then left over.
func (c *plainCluster) shadow(first *plainJob) (at, extra int) {
	ends := c.running()
	slices.SortStableFunc(ends, func(a, b *plainJob) int { return cmp.Compare(a.start+a.limit, b.start+b.limit) })
	free := c.free
	for i, j := range ends {
		free += j.gpus
		at = j.start + j.limit
		if i+1 < len(ends) && ends[i+1].start+ends[i+1].limit == at {
			continue
		}
		if free >= first.gpus {
			break
		}
	}
	return at, free - first.gpus
}

// plainConservative gives every job in order of arrival the first time from which as many
// GPUs as it needs stay free for its whole limit, as those before it have theirs. Those
// whose time is now start. It makes the calendar anew at every event.
func plainConservative(c *plainCluster) {
	type span struct{ from, to, gpus int }
	var spans []span
	for _, j := range c.running() {
		spans = append(spans, span{c.now, j.start + j.limit, -j.gpus})
	}
	total := c.free
	for _, j := range c.running() {
		total += j.gpus
	}
	freeAt := func(t int) int {
		free := total
		for _, s := range spans {
			if s.from <= t && t < s.to {
				free += s.gpus
			}
		}
		return free
	}
	for _, j := range c.waiting() {
		edges := []int{c.now}
		for _, s := range spans {
			edges = append(edges, s.from, s.to)
		}
		slices.Sort(edges)
		fits := func(from int) bool {
			return !slices.ContainsFunc(edges, func(t int) bool { return max(t, from) < from+j.limit && freeAt(max(t, from)) < j.gpus })
		}
		from := edges[slices.IndexFunc(edges, fits)]
		spans = append(spans, span{from, from + j.limit, -j.gpus})
		if from == c.now {
			c.starts(j)
		}
	}
}

// plainSRTF goes through all jobs, the one that is done soonest first. One that waits and
// has no room starts in the place of running jobs that have longer left, if they hold
// enough: those with most left, and of these not one that could run on. What is stopped
// starts again at another event.
func plainSRTF(c *plainCluster) {
	line := append(c.waiting(), c.running()...)
	slices.SortFunc(line, func(a, b *plainJob) int {
		return cmp.Or(cmp.Compare(a.left, b.left), cmp.Compare(a.arrive, b.arrive), cmp.Compare(a.id, b.id))
	})
	wait := c.waiting()
	for _, j := range line {
		if !slices.Contains(wait, j) {
			continue
		}
		if j.gpus > c.free {
			for _, v := range c.victims(line, j) {
				c.stops(v)
			}
		}
		if j.gpus <= c.free {
			c.starts(j)
		}
	}
}

// victims returns the jobs to stop for a job that has no room; none where all would not
// be enough. What started at this very event runs on.
func (c *plainCluster) victims(line []*plainJob, j *plainJob) (chosen []*plainJob) {
	free := c.free
	for _, v := range slices.Backward(line) {
		if v.isRunning && v.left > j.left && v.start < c.now && free < j.gpus {
			chosen = append(chosen, v)
			free += v.gpus
		}
	}
	if free < j.gpus {
		return nil
	}
	for i := len(chosen) - 1; i >= 0; i-- {
		if free-chosen[i].gpus >= j.gpus {
			free -= chosen[i].gpus
			chosen = slices.Delete(chosen, i, i+1)
		}
	}
	return chosen
}
