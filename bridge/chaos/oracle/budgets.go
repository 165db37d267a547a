package oracle

import (
	"fmt"
	"time"

	"fairbridge/bridge/chaos/site"
	"fairbridge/bridge/slurm"
)

// stopList are those of a trial, in the order in which Slurm carried them out.
type stopList []stop

// sumLike adds up the stops like this one that were sent within such a time before it,
// but those that the database cannot know.
func (all stopList) sumLike(x *stop, within time.Duration, l *ledger, like func(*stop) bool) (n int, gpus, lost float64) {
	for i := range all {
		s := &all[i]
		if s.at.After(x.at.Add(-within)) && !s.at.After(x.at) && like(s) && !l.isBeforeRestore(s.at) {
			n, gpus, lost = n+1, gpus+s.gpus, lost+s.lost
		}
	}
	return n, gpus, lost
}

// checkStopped takes a requeue that ended a run, and judges I7 and whose job it was.
func (o *Oracle) checkStopped(k *Call, j *slurm.Job) {
	x := stop{
		at: k.At, cycle: k.By.stepCount, job: j.ID, user: j.User, account: j.Account, gpus: float64(gpusHeld(j)), lost: restartLoss(j), daemon: k.By,
		carriedOutAt: o.World.Now(),
	}
	if k.row != nil && k.row.Before.Stop != nil {
		x.beneficiary = k.row.Before.Stop.Beneficiary
		if b := o.actualJob(x.beneficiary); b != nil {
			x.restarts = b.Restarts
		}
	}
	if j.Comment == "" {
		o.Breach("opted", j.ID, "it was stopped by %s and its owner had not opted in", k.By.Name)
	}
	o.stops = append(o.stops, x)
	for _, why := range append(checkStopCount(o, &x), checkStopSize(o, k, &x)...) {
		o.Breach("I7", x.job, "%s", why)
	}
}

// I7: at most so many preemptions per job, user and account. Counted by when they
// were sent.
func checkStopCount(o *Oracle, x *stop) []string {
	c := &o.Site.Gate
	var out []string
	for _, b := range []struct {
		what   string
		within time.Duration
		most   int
		like   func(*stop) bool
	}{
		{"of one job in 4 hours", 4 * time.Hour, c.JobStops4h, func(s *stop) bool { return s.job == x.job }},
		{"of one job in a day", 24 * time.Hour, c.JobStops24h, func(s *stop) bool { return s.job == x.job }},
		{"of one user in an hour", time.Hour, c.UserStops1h, func(s *stop) bool { return s.user == x.user }},
		{"of one account in an hour", time.Hour, c.AccountStops1h, func(s *stop) bool { return s.account == x.account }},
	} {
		if n, _, _ := o.stops.sumLike(x, b.within, &o.ledger, b.like); n > b.most {
			out = append(out, fmt.Sprintf("%d stops %s, at most %d", n, b.what, b.most))
		}
	}
	return out
}

// checkStopSize is I7 on sizes: so many GPUs per interval and per hour, so much work
// lost in a day.
func checkStopSize(o *Oracle, k *Call, x *stop) []string {
	c, inUse := &o.Site.Gate, k.By.gpusInUse()
	var out []string
	for _, b := range []struct {
		when    string
		within  time.Duration
		percent float64
		floor   int
		like    func(*stop) bool
	}{
		{"in an hour", time.Hour, c.StopPercent1h, c.StopFloor1h, func(*stop) bool { return true }},
		{"in a cycle", site.Interval, c.StopPercent, c.StopFloor, func(s *stop) bool { return s.daemon == x.daemon && s.cycle == x.cycle }},
	} {
		n, gpus, _ := o.stops.sumLike(x, b.within, &o.ledger, b.like)
		if n > b.floor && gpus*100 > b.percent*inUse && !k.Late {
			out = append(out, fmt.Sprintf("%d stops %s took %g GPUs of %g, at most %g%%", n, b.when, gpus, inUse, b.percent))
		}
	}
	if _, _, lost := o.stops.sumLike(x, 24*time.Hour, &o.ledger, func(*stop) bool { return true }); lost > c.LostPercent24h/100*24*3600*inUse {
		out = append(out, fmt.Sprintf("%.0f GPU seconds are lost in a day", lost))
	}
	return out
}
