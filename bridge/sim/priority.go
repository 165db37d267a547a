package sim

import (
	"math"
	"time"

	"fairbridge/bridge/sim/fairshare"
)

// highest is the most a priority can be: the two values above mean something
// else to Slurm.
const highest = 0xfffffffd

// priorities is the multifactor plugin: the age of jobs, the use of accounts,
// and the priorities that follow from them.
type priorities struct {
	*daemon
	jobs  *table
	usage *fairshare.Usage
	nodes int // of the cluster
}

func newPriorities(d *daemon, jobs *table) *priorities {
	p := &priorities{daemon: d, jobs: jobs, usage: fairshare.New(d.cfg.Accounts, d.cfg.HalfLife, d.cfg.Start), nodes: len(d.cfg.Nodes)}
	for _, u := range d.cfg.Users {
		if u.Used > 0 {
			p.usage.Add(fairshare.Association{Account: u.Account, User: u.Name}, u.Used)
		}
	}
	return p
}

// accrue begins to count a job's age once nothing but resources keeps it
// waiting, or from its begin time on.
func (p *priorities) accrue(j *job) {
	if j.held() || !j.accrue.IsZero() || p.jobs.waitsFor(j) != "" {
		return
	}
	j.accrue = p.sec()
	if j.begin.After(j.accrue) {
		j.accrue = j.begin
	}
}

// weigh computes a job's multifactor priority; a direct one stays.
func (p *priorities) weigh(j *job) {
	if j.direct || j.done() {
		return
	}
	c := p.cfg.Weights
	sum := c.Age*p.age(j) + c.FairShare*p.usage.Factor(j.association()) +
		c.JobSize*p.size(j) + c.Partition + c.QOS[j.spec.QOS]
	j.priority = min(max(int64(math.Round(sum))-j.spec.Nice+j.site, 1), highest)
}

func (p *priorities) age(j *job) float64 {
	if j.accrue.IsZero() || j.accrue.After(p.Now()) {
		return 0
	}
	return min(float64(p.Now().Sub(j.accrue))/float64(p.cfg.MaxAge), 1)
}

// size is the share of the cluster's nodes the job wants.
func (p *priorities) size(j *job) float64 {
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
			p.accrue(j)
			p.weigh(j)
			weighed = true
		}
	}
	return weighed
}

// chargeRest books what a run that ends has used since usage last decayed.
func (p *priorities) chargeRest(j *job) { p.charge(j, p.Now().Sub(p.usage.Decayed())) }

// charge books up to d of what a running job has used.
func (p *priorities) charge(j *job, d time.Duration) {
	_, n := j.slots.GPUs()
	p.usage.Add(j.association(), float64(n)*min(d, p.Now().Sub(j.began)).Seconds())
}
