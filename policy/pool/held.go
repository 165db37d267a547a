package pool

import "fairbridge/policy"

// TakeHeld takes again what a running job holds: its devices with its cores and memory.
func TakeHeld(p *Pool, j *policy.Job) error {
	has := j.HeldAmounts()
	return p.Take(j.On, has.CPUs, has.MemMB)
}

// TakeHeldAgain is TakeHeld on devices that the job may share with others.
func TakeHeldAgain(p *Pool, j *policy.Job) error {
	has := j.HeldAmounts()
	return TakeAgain(p, j.On, has.CPUs, has.MemMB)
}

// GiveBackHeld puts back what a running job holds.
func GiveBackHeld(p *Pool, j *policy.Job) {
	has := j.HeldAmounts()
	p.GiveBack(j.On, has.CPUs, has.MemMB)
}

// OverdrawHeld takes what a running job holds whether or not it is free.
func OverdrawHeld(p *Pool, j *policy.Job) {
	has := j.HeldAmounts()
	p.Overdraw(j.On, has.CPUs, has.MemMB)
}

// FreeAmounts returns the free cores and memory of the node; negative where more are held than there are. Of
// a node that is not known it returns none.
func FreeAmounts(p *Pool, node string) policy.Amounts {
	i, ok := p.nodeIndexByName[node]
	if !ok {
		return policy.Amounts{}
	}
	return policy.Amounts{CPUs: p.nodes[i].freeCPUs, MemMB: p.nodes[i].freeMemMB}
}
