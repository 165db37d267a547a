package sim

import (
	"math"
	"time"

	"fairbridge/bridge/sim/fairshare"
)

// maxPriority is the most a priority can be: the two values above mean something
// else to Slurm.
const maxPriority = 0xfffffffd

// priorities is the multifactor plugin: the age of jobs, the use of accounts,
// and the priorities that follow from them.
type priorities struct {
	*daemon
	jobs  *jobTable
	usage *fairshare.Usage
	nodes int // of the cluster
}

func newPriorities(d *daemon, jobs *jobTable) *priorities {
	p := &priorities{daemon: d, jobs: jobs, usage: fairshare.New(d.cfg.Accounts, d.cfg.HalfLife, d.cfg.Start), nodes: len(d.cfg.Nodes)}
	for _, u := range d.cfg.Users {
		if u.Used > 0 {
			p.usage.Add(fairshare.Association{Account: u.Account, User: u.Name}, u.Used)
		}
	}
	return p
}

// startAge begins to count a job's age once nothing but resources keeps it
// waiting, or from its begin time on.
func (p *priorities) startAge(j *job) {
	if j.isHeld() || !j.accrue.IsZero() || p.jobs.dependencyReason(j) != "" {
		return
	}
	j.accrue = p.nowSeconds()
	if j.begin.After(j.accrue) {
		j.accrue = j.begin
	}
}

// setPriority computes a job's multifactor priority; a direct one stays.
func (p *priorities) setPriority(j *job) {
	if j.directPriority || j.isDone() {
		return
	}
	c := p.cfg.Weights
	sum := c.Age*p.ageFactor(j) + c.FairShare*p.usage.Factor(j.association()) +
		c.JobSize*p.sizeFactor(j) + c.Partition + c.QOS[j.spec.QOS]
	j.priority = min(max(int64(math.Round(sum))-j.spec.Nice+j.siteFactor, 1), maxPriority)
}

func (p *priorities) ageFactor(j *job) float64 {
	if j.accrue.IsZero() || j.accrue.After(p.Now()) {
		return 0
	}
	return min(float64(p.Now().Sub(j.accrue))/float64(p.cfg.MaxAge), 1)
}

// sizeFactor is the share of the cluster's nodes the job wants.
func (p *priorities) sizeFactor(j *job) float64 {
	return min(float64(j.spec.Nodes)/float64(max(p.nodes, 1)), 1)
}

// recompute is the priority thread: usage is brought up to date and decayed,
// then every waiting job is weighed again. It reports whether there was any.
func (p *priorities) recompute() (weighed bool) {
	last := p.usage.Decayed()
	p.usage.Decay(p.Now())
	for _, j := range p.jobs.list {
		if j.state == running {
			p.charge(j, p.Now().Sub(last))
		}
	}
	for _, j := range p.jobs.list {
		if j.state == pending {
			p.startAge(j)
			p.setPriority(j)
			weighed = true
		}
	}
	return weighed
}

// chargeUncharged books what a run that ends has used since usage last decayed.
func (p *priorities) chargeUncharged(j *job) { p.charge(j, p.Now().Sub(p.usage.Decayed())) }

// charge books up to d of what a running job has used.
func (p *priorities) charge(j *job, d time.Duration) {
	_, n := j.slots.GPUs()
	p.usage.Add(j.association(), float64(n)*min(d, p.Now().Sub(j.exactStart)).Seconds())
}
