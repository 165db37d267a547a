package exact

import (
	"cmp"

	"fairbridge/policy"
)

// cost is what a start costs the job, in seconds.
func (e *engine) cost(j *job) float64 {
	return cmp.Or(j.Checkpoint, e.Clock.Cost.Seconds())
}

// credit books run time: with progress, and holding the GPUs.
func (e *engine) credit(j *job, ran, held float64) {
	gpus := float64(j.on.Count())
	j.ran += ran
	j.gained += ran * gpus
	j.out.Ran += held
	j.out.Service += held * gpus
	e.run.BusyTime += ran * gpus
	e.accounts.charge(j.account, ran*gpus)
	e.users.charge(j.user, ran*gpus)
}

// remember adds an ended job to the history that policies see.
func (e *engine) remember(j *job) {
	e.past.add(policy.Sample{GPUs: j.GPUs, Ran: policy.Seconds(j.out.Ran), Service: policy.GPUSeconds(j.out.Service)})
	if u := &e.users; j.Limit > 0 {
		u.limits(j.user, j.out.Ran/j.Limit.Seconds())
	}
}

// crowd counts the jobs present: their sum over rounds or seconds, and those.
type crowd struct{ sum, span float64 }

func (c *crowd) add(jobs, span float64) { c.sum, c.span = c.sum+jobs*span, c.span+span }

// since returns the mean number of jobs since an earlier count.
func (c crowd) since(then crowd) float64 {
	if c.span == then.span {
		return 1
	}
	return (c.sum - then.sum) / (c.span - then.span)
}
