package oracle

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
)

// stopList are those of a trial, in the order in which Slurm carried them out.
type stopList []stop

// sumMatchingStops adds up the stops like this one that were sent within such a time before it,
// but those that the database cannot know.
func (all stopList) sumMatchingStops(x *stop, within time.Duration, l lostSpans, like func(*stop) bool) (n int, gpus, lost float64) {
	for i := range all {
		s := &all[i]
		if !s.isRecall && s.sentAt.After(x.sentAt.Add(-within)) && !s.sentAt.After(x.sentAt) && like(s) && !l.has(s.sentAt) {
			n, gpus, lost = n+1, gpus+s.gpuCount, lost+s.lostGPUSeconds
		}
	}
	return n, gpus, lost
}

// judgeStop takes a requeue that ended a run, and judges I7 and whose job it was.
func (o *Oracle) judgeStop(k *Call, j *slurm.Job) {
	x := stop{
		sentAt: k.SentAt, cycle: k.SentBy.stepCount, jobID: j.ID, user: j.User, account: j.Account, gpuCount: float64(heldGPUCount(j)), lostGPUSeconds: lostGPUSeconds(j), daemon: k.SentBy,
		carriedOutAt: o.World.Now(),
	}
	if k.ledgerRow != nil && k.ledgerRow.Before.Stop != nil {
		x.beneficiary = k.ledgerRow.Before.Stop.Beneficiary
		if b := o.actualJob(x.beneficiary); b != nil {
			x.beneficiaryRestarts = b.Restarts
		}
	}
	if !optedIn(j) {
		o.AddBreach("opted", j.ID, "it was stopped by %s and its owner had not opted in", k.SentBy.Name)
	}
	x.isRecall = k.ledgerRow != nil && o.isRecall(j, k.ledgerRow.Before.Stop)
	o.stops = append(o.stops, x)
	if x.isRecall {
		return
	}
	check := func(l lostSpans) []string {
		return append(checkStopCount(o, &x, l), checkStoppedGPUsAndWork(o, k, &x, l)...)
	}
	broken := check(o.ledger.lostSpans)
	for _, why := range broken {
		o.AddBreach("I7", x.jobID, "%s", why)
	}
	if len(broken) == 0 && len(check(nil)) > 0 {
		o.countExcuse(ExcuseDatabasePutBack)
	}
}

// I7: at most so many preemptions per job, user and account. Counted by when they
// were sent.
func checkStopCount(o *Oracle, x *stop, l lostSpans) []string {
	c := &o.Site.Budgets
	var out []string
	for _, b := range []struct {
		what   string
		within time.Duration
		most   int
		like   func(*stop) bool
	}{
		{"of one job in 4 hours", 4 * time.Hour, c.JobStops4h, func(s *stop) bool { return s.jobID == x.jobID }},
		{"of one job in a day", 24 * time.Hour, c.JobStops24h, func(s *stop) bool { return s.jobID == x.jobID }},
		{"of one user in an hour", time.Hour, c.UserStops1h, func(s *stop) bool { return s.user == x.user }},
		{"of one account in an hour", time.Hour, c.AccountStops1h, func(s *stop) bool { return s.account == x.account }},
	} {
		if n, _, _ := o.stops.sumMatchingStops(x, b.within, l, b.like); n > b.most {
			out = append(out, fmt.Sprintf("%d stops %s, at most %d", n, b.what, b.most))
		}
	}
	return out
}

// checkStoppedGPUsAndWork is I7 on sizes: so many GPUs per interval and per hour, so much work
// lost in a day.
func checkStoppedGPUsAndWork(o *Oracle, k *Call, x *stop, l lostSpans) []string {
	c, inUse := &o.Site.Budgets, k.SentBy.gpusInUse()
	var out []string
	for _, b := range []struct {
		when    string
		within  time.Duration
		percent float64
		floor   int
		like    func(*stop) bool
	}{
		{"in an hour", time.Hour, c.StopPercent1h, c.StopFloor1h, func(*stop) bool { return true }},
		{"in a cycle", site.CycleInterval, c.StopPercent, c.StopFloor, func(s *stop) bool { return s.daemon == x.daemon && s.cycle == x.cycle }},
	} {
		n, gpus, _ := o.stops.sumMatchingStops(x, b.within, l, b.like)
		most := stoppableGPUs(c, b.percent, inUse)
		if n > b.floor && gpus > most && !k.IsLate {
			out = append(out, fmt.Sprintf("%d stops %s took %g GPUs of %g, at most %g", n, b.when, gpus, inUse, most))
		}
	}
	if n, _, lost := o.stops.sumMatchingStops(x, time.Hour, l, func(*stop) bool { return true }); n > c.StopFloor1h && lost > c.LostPercent1h/100*3600*inUse && !k.IsLate {
		out = append(out, fmt.Sprintf("%.0f GPU seconds are lost in an hour", lost))
	}
	if _, _, lost := o.stops.sumMatchingStops(x, 24*time.Hour, l, func(*stop) bool { return true }); lost > c.LostPercent24h/100*24*3600*inUse {
		out = append(out, fmt.Sprintf("%.0f GPU seconds are lost in a day", lost))
	}
	return out
}

// stoppableGPUs is a percentage of the GPUs in use. Where they are few it is taken of as many as a
// small cluster counts as, but is no more than its own part.
func stoppableGPUs(c *bridge.Budgets, percent, inUse float64) float64 {
	most := percent * inUse
	if asLarge, own := percent*c.SmallClusterGPUs, c.SmallStopPercent*inUse; most < asLarge && most < own {
		most = min(asLarge, own)
	}
	return most / 100
}
