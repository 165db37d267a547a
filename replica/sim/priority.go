package sim

import (
	"math"
	"time"

	"fairbridge/replica/sim/fairshare"
)

// maxPriority is the most a priority can be: the two values above mean something
// else to Slurm.
const maxPriority = 0xfffffffd

// priorities is the multifactor plugin: the age of jobs, the use of accounts,
// and the priorities that follow from them.
type priorities struct {
	*daemon
	jobs      *jobTable
	usage     *fairshare.Usage
	nodeCount int // of the cluster
	// fairShareByAssociation are the fair-share factors of the last computation. Slurm works them
	// out then and not for a new job, which would go before its owner's older ones.
	fairShareByAssociation map[fairshare.Association]float64
}

func newPriorities(d *daemon, jobs *jobTable) *priorities {
	p := &priorities{daemon: d, jobs: jobs, usage: fairshare.NewUsage(d.config.Accounts, d.config.UsageHalfLife, d.config.Start), nodeCount: len(d.config.Nodes), fairShareByAssociation: map[fairshare.Association]float64{}}
	for _, u := range d.config.Users {
		if u.UsedGPUSeconds > 0 {
			p.usage.AddUse(fairshare.Association{Account: u.DefaultAccount, User: u.Name}, u.UsedGPUSeconds)
		}
	}
	return p
}

// startAging begins to count a job's age once nothing but resources keeps it
// waiting, or from its begin time on.
func (p *priorities) startAging(j *job) {
	if j.isHeld() || !j.accrueTime.IsZero() || p.jobs.dependencyReason(j) != "" {
		return
	}
	j.accrueTime, p.lastShownChange = p.nowTruncated(), p.Now()
	if j.beginTime.After(j.accrueTime) {
		j.accrueTime = j.beginTime
	}
}

// setPriority computes a job's multifactor priority; a direct one stays.
func (p *priorities) setPriority(j *job) {
	if j.hasDirectPriority || j.isDone() {
		return
	}
	c := p.config.PriorityWeights
	sum := c.Age*p.ageFactor(j) + c.FairShare*p.fairShareFactor(j.association()) +
		c.JobSize*p.sizeFactor(j) + c.Partition + c.PointsByQOS[j.spec.QOS]
	j.priority = min(max(int64(math.Round(sum))-j.spec.Nice+j.siteFactor, 1), maxPriority)
}

// fairShareFactor is that of the last computation, or of now for who has submitted nothing since.
func (p *priorities) fairShareFactor(a fairshare.Association) float64 {
	f, known := p.fairShareByAssociation[a]
	if !known {
		f = p.usage.Factor(a, p.config.IsFairTree)
		p.fairShareByAssociation[a] = f
	}
	return f
}

func (p *priorities) ageFactor(j *job) float64 {
	if j.accrueTime.IsZero() || j.accrueTime.After(p.Now()) {
		return 0
	}
	return min(float64(p.Now().Sub(j.accrueTime))/float64(p.config.PriorityMaxAge), 1)
}

// sizeFactor is the share of the cluster's nodes the job wants.
func (p *priorities) sizeFactor(j *job) float64 {
	return min(float64(j.spec.MinNodes)/float64(max(p.nodeCount, 1)), 1)
}

// recomputePriorities is the priority thread: usage is brought up to date and decayed,
// then every waiting job is weighed again. It reports whether there was any.
func (p *priorities) recomputePriorities() (weighed bool) {
	last := p.usage.LastDecay()
	p.usage.DecayTo(p.Now())
	for _, j := range p.jobs.sortedJobs {
		if j.state == stateRunning {
			p.chargeUsage(j, p.Now().Sub(last))
		}
	}
	p.fairShareByAssociation = p.usage.KnownFactors(p.config.IsFairTree)
	for _, j := range p.jobs.sortedJobs {
		if j.state == statePending {
			p.startAging(j)
			before := j.priority
			if p.setPriority(j); j.priority != before {
				p.lastShownChange = p.Now()
			}
			weighed = true
		}
	}
	return weighed
}

// chargeSinceDecay books what a run that ends has used since usage last decayed.
func (p *priorities) chargeSinceDecay(j *job) { p.chargeUsage(j, p.Now().Sub(p.usage.LastDecay())) }

// chargeUsage books up to d of what a running job has used.
func (p *priorities) chargeUsage(j *job, d time.Duration) {
	_, n := j.slots.GPUTypeAndCount()
	p.usage.AddUse(j.association(), float64(n)*min(d, p.Now().Sub(j.exactStart)).Seconds())
}
