package sim

import (
	"math"
	"slices"
	"time"
)

// highest is the most a priority can be: the two values above mean something
// else to Slurm.
const highest = 0xfffffffd

// accrue begins to count a job's age once nothing but resources keeps it
// waiting, or from its begin time on.
func (w *World) accrue(j *job) {
	if j.held() || !j.accrue.IsZero() || w.waitsFor(j) != "" {
		return
	}
	j.accrue = w.sec()
	if j.begin.After(j.accrue) {
		j.accrue = j.begin
	}
}

// weigh computes a job's multifactor priority; a direct one stays.
func (w *World) weigh(j *job) {
	if j.direct || j.done() {
		return
	}
	c := w.cfg.Weights
	sum := c.Age*w.age(j) + c.FairShare*w.fairShare(assoc{j.spec.Account, j.spec.User}) +
		c.JobSize*w.size(j) + c.Partition + c.QOS[j.spec.QOS]
	j.priority = min(max(int64(math.Round(sum))-j.spec.Nice+j.site, 1), highest)
}

func (w *World) age(j *job) float64 {
	if j.accrue.IsZero() || j.accrue.After(w.Now()) {
		return 0
	}
	return min(float64(w.Now().Sub(j.accrue))/float64(w.cfg.MaxAge), 1)
}

// size is the share of the cluster's nodes the job wants.
func (w *World) size(j *job) float64 {
	return min(float64(j.spec.Nodes)/float64(max(len(w.nodes), 1)), 1)
}

// fairShare is Slurm's classic factor: two to the minus effective usage over
// shares. Users of one account have equal shares of it.
func (w *World) fairShare(a assoc) float64 {
	total, account, mates, seen := 0.0, 0.0, 0, false
	for _, k := range w.assocs() {
		total += w.usage[k]
		if k.account == a.account {
			account += w.usage[k]
			mates++
			seen = seen || k == a
		}
	}
	if !seen {
		mates++
	}
	if total == 0 {
		return 1
	}
	own, account := w.usage[a]/total, account/total
	effective := own + (account-own)/float64(mates)
	return math.Exp2(-effective / (w.shares(a.account) / float64(mates)))
}

// assocs returns all associations with usage, sorted, so that sums do not
// depend on chance.
func (w *World) assocs() []assoc {
	if w.sorted == nil {
		for k := range w.usage {
			w.sorted = append(w.sorted, k)
		}
		slices.SortFunc(w.sorted, func(x, y assoc) int {
			if x.account != y.account {
				return order(x.account, y.account)
			}
			return order(x.user, y.user)
		})
	}
	return w.sorted
}

// shares returns the account's part of all shares given out.
func (w *World) shares(account string) float64 {
	sum, mine, known := 0.0, 1.0, false
	for _, a := range w.cfg.Accounts {
		s := a.Shares
		if s <= 0 {
			s = 1
		}
		sum += s
		if a.Name == account {
			mine, known = s, true
		}
	}
	if !known {
		sum++
	}
	return mine / sum
}

// recompute is the priority thread: usage is brought up to date and decayed,
// then every waiting job is weighed again.
func (w *World) recompute() {
	w.decay()
	waiting := false
	for _, j := range w.order {
		if j.state == pending {
			w.accrue(j)
			w.weigh(j)
			waiting = true
		}
	}
	if waiting {
		w.dirty = w.Now()
	}
}

// decay adds the GPU seconds used since the last time and lets old use fade.
func (w *World) decay() {
	d := w.Now().Sub(w.usageAt)
	w.usageAt = w.Now()
	fade := math.Exp2(-float64(d) / float64(w.cfg.HalfLife))
	for k := range w.usage {
		w.usage[k] *= fade
	}
	for _, j := range w.order {
		if j.state == running {
			w.charge(j, d)
		}
	}
}

// charge books up to d of what a running job has used.
func (w *World) charge(j *job, d time.Duration) {
	_, n := j.holds()
	k := assoc{j.spec.Account, j.spec.User}
	if _, ok := w.usage[k]; !ok {
		w.sorted = nil
	}
	w.usage[k] += float64(n) * min(d, w.Now().Sub(j.began)).Seconds()
}

func order(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
