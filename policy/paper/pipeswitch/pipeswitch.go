// Package pipeswitch lends the idle GPUs of inference services to jobs that may be stopped, and calls
// them back as soon as a replica of the service waits.
//
// Z. Bai, Z. Zhang, Y. Zhu, X. Jin, "PipeSwitch: Fast Pipelined Context Switching for Deep Learning
// Applications", OSDI 2020.
//
// The paper switches a GPU between models in milliseconds. Under Slurm a switch is a requeue, and so
// what counts is how many GPUs are lent, to which jobs, and for how long they will be idle.
package pipeswitch

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
)

// Policy is the lending with its parameters.
type Policy struct {
	GuardPercent float64       `param:"guard" default:"10" min:"0" max:"100" help:"percent of a service's GPUs, one at least, that stay idle for it; 0: none"`
	Factor       float64       `param:"factor" default:"10" min:"0" help:"how many times its restart cost a job's GPUs must be expected to stay idle"`
	Cost         time.Duration `param:"cost" default:"1m" min:"0" help:"what a restart costs a job of which that is not known"`
	MinRun       time.Duration `param:"min_run" default:"1s" min:"1" help:"shortest run of a job before its GPUs are called back"`
	MaxStops     int           `param:"max_stops" default:"-1" min:"-1" help:"how often one job may be stopped in its life; 0 and -1: without limit"`
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	limits := paper.Limits{MinRunParam: paper.MinRunParam{MinRun: p.MinRun}, MaxStopsParam: paper.MaxStopsParam{MaxStops: p.MaxStops}, MaxWaitParam: p.MaxWaitParam}
	rules := limits.Rules()
	rules.MinRunCheckpoints = -1
	if len(s.InferenceServices) > 0 { // no job's reservation keeps a replica waiting
		rules.MaxWait = -1
	}
	return engine.Pipeline{
		Name:     "pipeswitch",
		Predict:  predict.Ladder{},
		Admit:    newLender(p, s),
		Order:    order.ByKeys{order.ActiveFirst, order.ReplicasFirst, order.LongestRunFirst, p.leastCostFirst},
		Backfill: backfill.EASY{},
		Preempt:  preempt.ByTier(tier),
		Rules:    rules,
	}.Decide(s)
}

// restartCost is what a restart costs the job.
func (p *Policy) restartCost(j *policy.Job) time.Duration { return cmp.Or(j.CheckpointCost, p.Cost) }

// tier lets all jobs of the partition of a service give way to its replicas.
func tier(r *engine.Round, e *engine.Entry) int {
	for i := range r.InferenceServices {
		if v := &r.InferenceServices[i]; v.Partition == e.Partition && e.ReplicaOf == "" {
			return 1
		}
	}
	return 0
}

// leastCostFirst lends to those first whom it costs least to be stopped.
func (p *Policy) leastCostFirst(_ *engine.Round, a, b *engine.Entry) int {
	return cmp.Compare(p.restartCost(a.Job), p.restartCost(b.Job))
}

// System describes PipeSwitch in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "pipeswitch", Title: "PipeSwitch: training on GPUs that inference leaves idle", Venue: "OSDI", Year: 2020,
		Cite:         `Z. Bai et al., "PipeSwitch: Fast Pipelined Context Switching for Deep Learning Applications", OSDI 2020`,
		Idea:         "Lend the idle GPUs of inference services to jobs that may be stopped, and call them back when the services need them.",
		OwnStages:    []string{"predict", "admit", "order", "preempt", "backfill"},
		NeededInputs: []string{"inference services: their GPUs, replicas and forecasts", "what a restart costs a job"},
		Fallback:     "without inference services, as under Slurm today, it is first come, first served",
		Reproduced: "a service of 32 GPUs whose demand follows the hours of the day, and training that always waits, three days, five draws: training has .69 (.65-.69) of the GPU time that the service does not need, " +
			"no replica comes a minute late, .0001 of what is lent is lost to restarts of a minute (the paper, which switches in milliseconds: nearly all); under what Slurm does by itself a replica is late in .30 (.29-.32) of the steps of ten minutes",
		Deviations: []string{
			"The switch itself is no matter of a scheduler: a job whose GPU is called back is requeued, which takes seconds to minutes where the paper has milliseconds. A service that cannot wait so long needs a larger guard.",
			"A GPU is called back when a replica waits for it, not ahead of the forecast.",
			"What a job loses is taken to grow with how long it has run, as its checkpoints are not seen.",
			"Jobs that must not be stopped get no GPU of a service.",
		},
		SimulatorParams: paper.Params{"max_wait": "0s"},
	})
}

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
