package pipeswitch

import (
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// lender says to which waiting jobs GPUs of services may be lent. It implements engine.Admitter.
type lender struct {
	refusals map[policy.JobID]error
}

// Admit implements engine.Admitter.
func (l lender) Admit(_ *engine.Round, e *engine.Entry) error { return l.refusals[e.ID] }

// account is what may be lent of the GPUs of a service's type in its partition.
type account struct {
	*policy.InferenceService
	total, lent int // GPUs that are up; of them, those that others than its replicas have or are to have
	needed      int // by its replicas now
	guard       int
}

// newLender asks the services about all waiting jobs, in the order in which they would be lent to.
func newLender(p *Policy, s *policy.Snapshot) lender {
	l := lender{map[policy.JobID]error{}}
	var accounts []account
	for i := range s.InferenceServices {
		accounts = append(accounts, p.newAccount(s, &s.InferenceServices[i]))
	}
	if len(accounts) == 0 {
		return l
	}
	for _, j := range p.waitingBorrowers(s) {
		if err := p.lend(accounts, j, s.Now); err != nil {
			l.refusals[j.ID] = err
		}
	}
	return l
}

// newAccount counts the GPUs of a service's kind, and who has them.
func (p *Policy) newAccount(s *policy.Snapshot, v *policy.InferenceService) account {
	a := account{InferenceService: v}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.DownReason != "" || !slices.Contains(n.Partitions, v.Partition) {
			continue
		}
		for _, d := range n.GPUs {
			if a.isOfKind(d.Type) && d.IsWholeGPU() {
				a.total += d.Count - d.SickCount
			}
		}
	}
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.Partition == v.Partition && j.ReplicaOf != v.Name {
			a.lent += a.countHeld(j)
		}
	}
	held, waiting := s.CountReplicaGPUs(v.Name)
	a.needed = held + waiting
	if p.GuardPercent > 0 {
		a.guard = max(int(math.Round(p.GuardPercent/100*float64(v.OwnGPUs))), 1)
	}
	return a
}

func (a *account) isOfKind(gpuType string) bool {
	return a.GPUType == "" || gpuType == "" || a.GPUType == gpuType
}

// countHeld counts the GPUs of the kind that a job has.
func (a *account) countHeld(j *policy.Job) (n int) {
	for _, slot := range j.On {
		if a.isOfKind(slot.Type) {
			n += slot.Count
		}
	}
	return n
}

// waitingBorrowers are the jobs that wait and are no replicas, in the order in which they are lent to.
func (p *Policy) waitingBorrowers(s *policy.Snapshot) []*policy.Job {
	var out []*policy.Job
	for i := range s.Jobs {
		if j := &s.Jobs[i]; j.ReplicaOf == "" && !j.HoldsGPUs() && j.CanStart(s.Now) {
			out = append(out, j)
		}
	}
	slices.SortStableFunc(out, func(a, b *policy.Job) int {
		if c := p.restartCost(a) - p.restartCost(b); c != 0 {
			return int(min(max(c, -1), 1))
		}
		return a.Arrive.Compare(b.Arrive)
	})
	return out
}

// lend notes that a job gets GPUs, or says why it may not: less would be left than a service needs now and for so
// long as the job's GPUs must be idle to be worth its stop.
func (p *Policy) lend(accounts []account, j *policy.Job, now time.Time) error {
	gpus := j.Ask.GPUs.Count
	for i := range accounts {
		a := &accounts[i]
		if a.Partition != j.Partition || !a.isOfKind(j.Ask.GPUs.Type) {
			continue
		}
		window := time.Duration(p.Factor * float64(p.restartCost(j)))
		kept := min(max(a.needed, a.PeakGPUs(now, window))+a.guard, a.OwnGPUs)
		if j.UnstoppableReason != "" {
			kept = a.OwnGPUs
		}
		if free := a.total - a.lent - kept; gpus > free {
			return fmt.Errorf("of the %d GPUs, %d are lent, and service %s keeps %d (needed now: %d; its own: %d)%s", a.total, a.lent, a.Name, kept, a.needed, a.OwnGPUs, whyOwn(j))
		}
	}
	for i := range accounts {
		if a := &accounts[i]; a.Partition == j.Partition && a.isOfKind(j.Ask.GPUs.Type) {
			a.lent += gpus
		}
	}
	return nil
}

func whyOwn(j *policy.Job) string {
	if j.UnstoppableReason == "" {
		return ""
	}
	return ", as the job may not be stopped"
}
