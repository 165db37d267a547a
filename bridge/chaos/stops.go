package chaos

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge/slurm"
)

// stop is a requeue of ours that ended a run.
type stop struct {
	at       time.Time // when it was sent
	cycle    int
	job      int64
	user     string
	account  string
	gpus     float64
	lost     float64   // GPU seconds
	to       int64     // the job it made room for
	took     time.Time // when Slurm carried it out
	restarts int       // of the job it made room for, then
	who      *proc
}

// I5: a requeue is sent at most once per run, only to running batch jobs that may
// be requeued and whose owner opted in.
func (s *send) requeueOnce() string {
	if s.e.Kind != slurm.Requeue {
		return ""
	}
	run := fmt.Sprintf("%d/%s", s.j.ID, s.truthOf(s.j.ID).SLUID)
	first, again := s.runs[run]
	if !again {
		s.runs[run] = s.w.Now()
	}
	if again && !s.unknowable(first) {
		return fmt.Sprintf("it was sent to run %s at %s already", run, stamp(first))
	}
	switch {
	case s.raced:
	case s.j.State != "RUNNING" || !s.j.Requeue || !s.dressed(*s.j).Batch:
		return fmt.Sprintf("it is %s, batch %t, may be requeued %t", s.j.State, s.j.Batch, s.j.Requeue)
	case s.j.Comment == "":
		return "its owner did not opt in"
	}
	return ""
}

// I6: run time before preemption is at least the quantum, and there is a time
// between two.
func (s *send) ranEnough() string {
	if s.e.Kind != slurm.Requeue || s.raced {
		return ""
	}
	if ran := s.w.Now().Sub(s.j.Start); ran < s.Gate.Quantum {
		return fmt.Sprintf("it ran %v, %v are its own", ran, s.Gate.Quantum)
	}
	for _, o := range s.stops {
		if ago := s.w.Now().Sub(o.at); o.job == s.j.ID && ago < s.Gate.Cooldown && !s.unknowable(o.at) {
			return fmt.Sprintf("it was stopped %v ago", ago)
		}
	}
	return ""
}

// I8: victims only if the named beneficiary would then fit, and is expected to gain
// several times the work lost.
func (s *send) beneficiary() string {
	if s.e.Kind != slurm.Requeue || s.raced || s.row == nil {
		return ""
	}
	if s.row.Before.Stop == nil {
		return "the ledger does not say for whom"
	}
	to := s.row.Before.Stop.For
	if to == s.j.ID {
		return "" // it moves
	}
	b := s.truthOf(to)
	switch {
	case b == nil || !b.Pending() || b.Held:
		if b == nil || s.book.of(b).edited == 0 {
			return fmt.Sprintf("it is for job %d, which does not wait", to)
		}
		return "" // somebody changed it since we looked
	case float64(b.Limit.Seconds())*float64(s.asks(b)) < s.Gate.GainFactor*s.loss(s.j):
		return fmt.Sprintf("job %d can gain %v on %d GPUs", to, b.Limit, s.asks(b))
	}
	return s.fits(b, to)
}

// fits says why the job would not fit once its victims are gone, by what Slurm was
// when the daemon looked.
func (s *send) fits(b *slurm.Job, to int64) string {
	free := s.free(b, to, func(string) bool { return true })
	if need := s.asks(b); free < need {
		return fmt.Sprintf("job %d wants %d GPUs, %d would be free", to, need, free)
	}
	return ""
}

// victims are the jobs stopped in this cycle for the same job, as they were.
func (s *send) victims(to int64) []slurm.Job {
	var out []slurm.Job
	all, _ := s.store.Intents(context.Background(), cluster, s.w.Now(), s.w.Now().Add(-30*time.Hour))
	for i := range all {
		in := &all[i]
		if in.Cycle != s.row.Cycle || in.Before.Stop == nil || in.Before.Stop.For != to {
			continue
		}
		if j := s.p.truth.Job(in.Edit.Run.Job); j != nil {
			out = append(out, *j)
		}
	}
	return out
}

// gpusOf is what a running job holds.
func gpusOf(j *slurm.Job) int {
	t, err := slurm.ParseTRES(j.Allocated)
	if err != nil {
		return 0
	}
	return t.GPUs()
}

// asks is how many GPUs a job wants.
func (s *send) asks(j *slurm.Job) int {
	t, err := slurm.ParseTRES(j.Request)
	if err != nil {
		return 0
	}
	return t.GPUs()
}

// loss is what a stop of the job costs, in GPU seconds: jobs that opted in say five
// seconds.
func (o *oracle) loss(j *slurm.Job) float64 { return 5 * float64(gpusOf(j)) }

// I9: no pair preempts each other within two quanta.
func (s *send) pingPong() string {
	if s.e.Kind != slurm.Requeue || s.row == nil || s.row.Before.Stop == nil {
		return ""
	}
	to := s.row.Before.Stop.For
	for _, o := range s.stops {
		if o.job == to && o.to == s.j.ID && to != s.j.ID && s.w.Now().Sub(o.at) < 2*s.Gate.Quantum && !s.unknowable(o.at) {
			return fmt.Sprintf("job %d was stopped for it %v ago", to, s.w.Now().Sub(o.at))
		}
	}
	return ""
}

// stopped takes a requeue that ended a run, and judges I7 and whose job it was.
func (o *oracle) stopped(k *call, j *slurm.Job) {
	x := stop{at: k.at, cycle: k.p.steps, job: j.ID, user: j.User, account: j.Account, gpus: float64(gpusOf(j)), lost: o.loss(j), who: k.p, took: o.w.Now()}
	if k.row != nil && k.row.Before.Stop != nil {
		x.to = k.row.Before.Stop.For
		if b := o.truthOf(x.to); b != nil {
			x.restarts = b.Restarts
		}
	}
	if j.Comment == "" {
		o.breach("opted", j.ID, "it was stopped by %s and its owner had not opted in", k.p.name)
	}
	o.stops = append(o.stops, x)
	o.budgets(k, x)
}

// I7: at most so many preemptions per job, user and account, so many GPUs per
// interval and per hour, so much work lost in a day. Counted by when they were
// sent.
func (o *oracle) budgets(k *call, x stop) {
	c := &o.Gate
	count := func(d time.Duration, same func(stop) bool) (n int, gpus, lost float64) {
		for _, s := range o.stops {
			if s.at.After(x.at.Add(-d)) && !s.at.After(x.at) && same(s) && !o.unknowable(s.at) {
				n, gpus, lost = n+1, gpus+s.gpus, lost+s.lost
			}
		}
		return n, gpus, lost
	}
	most := func(what string, n, limit int) {
		if n > limit {
			o.breach("I7", x.job, "%d stops %s, at most %d", n, what, limit)
		}
	}
	job, user, account, all := func(s stop) bool { return s.job == x.job }, func(s stop) bool { return s.user == x.user },
		func(s stop) bool { return s.account == x.account }, func(stop) bool { return true }
	n, _, _ := count(4*time.Hour, job)
	most("of one job in 4 hours", n, c.JobStops4h)
	n, _, _ = count(24*time.Hour, job)
	most("of one job in a day", n, c.JobStops24h)
	n, _, _ = count(time.Hour, user)
	most("of one user in an hour", n, c.UserStops1h)
	n, _, _ = count(time.Hour, account)
	most("of one account in an hour", n, c.AccountStops1h)
	n, gpus, _ := count(time.Hour, all)
	o.percent(k, x, "in an hour", n, gpus, c.StopPercent1h, c.StopFloor1h)
	n, gpus, _ = count(interval, func(s stop) bool { return s.who == x.who && s.cycle == x.cycle })
	o.percent(k, x, "in a cycle", n, gpus, c.StopPercent, c.StopFloor)
	if _, _, lost := count(24*time.Hour, all); lost > c.LostPercent24h/100*24*3600*o.inUse(k.p) {
		o.breach("I7", x.job, "%.0f GPU seconds are lost in a day", lost)
	}
}

func (o *oracle) percent(k *call, x stop, when string, n int, gpus, percent float64, floor int) {
	if n > floor && gpus*100 > percent*o.inUse(k.p) && !k.late {
		o.breach("I7", x.job, "%d stops %s took %g GPUs of %g, at most %g%%", n, when, gpus, o.inUse(k.p), percent)
	}
}

// inUse is how many GPUs of the nodes ran jobs when the daemon looked, of whatever
// partition: the budgets are percents of running GPUs, and nodes are shared.
func (o *oracle) inUse(p *proc) float64 {
	sum := 0.0
	for i := range p.truth.Jobs {
		if j := &p.truth.Jobs[i]; j.Running() {
			sum += float64(gpusOf(j))
		}
	}
	return sum
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
