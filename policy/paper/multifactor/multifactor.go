// Package multifactor is what Slurm itself does with priority/multifactor and
// sched/backfill: a weighted sum of factors from 0 to 1 orders the queue, and
// every blocked job up to a depth has a reservation. It is what a site runs
// before anything else.
//
// Slurm documentation, "Multifactor Priority Plugin" and "Fair Tree Fairshare
// Algorithm"; A. Yoo, M. Jette, M. Grondona, "SLURM: Simple Linux Utility for
// Resource Management", JSSPP 2003.
package multifactor

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
	"fairbridge/policy/share"
)

// Policy is Slurm's multifactor priority with its parameters.
type Policy struct {
	Weights    Weights
	MaxAge     time.Duration // age at which the age factor is 1
	HalfLife   time.Duration // of usage, where the snapshot has none and it is counted here
	FavorSmall bool          // the size factor is 1 for the smallest jobs, not the largest
	Classic    bool          // classic fair share in place of Fair Tree
	QOS        []string      // the highest first: factor 1 for it, 0 for one that is not listed
	Partitions []string      // likewise
	PreemptQOS bool          // jobs of a higher QOS stop those of a lower one
	Depth      int           // blocked jobs with a reservation, as bf_max_job_test
	Window     time.Duration // how far ahead they are made, as bf_window
	MinRun     time.Duration // shortest run before a job may be stopped
	MaxStops   int           // stops in a job's life; negative: any number
	MaxWait    time.Duration // wait after which nobody may delay a job; 0: never
}

// Weights are Slurm's PriorityWeight* settings.
type Weights struct{ Age, FairShare, Size, Partition, QOS, GPUs float64 }

// Decide implements policy.Policy.
func (m *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	used, err := countUsage(s, m.HalfLife)
	if err != nil {
		return nil, fmt.Errorf("policy multifactor: %w", err)
	}
	p := engine.Pipeline{
		Name:     "multifactor",
		Predict:  predict.Ladder{},
		Order:    m.weigh(used.snapshot(s)),
		Backfill: &backfill.Conservative{Depth: m.Depth, Window: m.Window},
		Rules:    paper.Rules(m.MinRun, m.MaxStops, m.MaxWait),
	}
	if m.PreemptQOS {
		p.Preempt = preempt.QOS(m.QOS...)
	}
	plan, err := p.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = used.memo()
	return plan, nil
}

// byPriority is a line by multifactor priority.
type byPriority struct {
	*Policy
	fair        map[share.Person]float64
	nodes       float64
	cpus, whole float64
}

// weigh returns the line of the snapshot. Usage stands in the copy s.
func (m *Policy) weigh(s *policy.Snapshot) byPriority {
	b := byPriority{Policy: m, fair: share.FairShare(s, !m.Classic), nodes: float64(max(len(s.Nodes), 1))}
	for i := range s.Nodes {
		b.cpus += float64(s.Nodes[i].CPUs)
		b.whole += s.Nodes[i].Whole()
	}
	return b
}

// Order implements engine.Orderer.
func (b byPriority) Order(r *engine.Round) ([]*engine.Entry, error) {
	priority := make(map[policy.JobID]int64, len(r.Entries))
	for _, e := range r.Entries {
		f := b.factors(r, e)
		priority[e.ID] = f.sum(b.Weights, e.Nice)
		if r.Terse {
			continue
		}
		e.Note = fmt.Sprintf("priority %d: age %.2f, fair share %.2f, size %.2f", priority[e.ID], f.Age, f.FairShare, f.Size)
	}
	return order.By{order.ActiveFirst, func(_ *engine.Round, x, y *engine.Entry) int {
		return cmp.Or(cmp.Compare(priority[y.ID], priority[x.ID]), cmp.Compare(x.ID, y.ID))
	}}.Order(r)
}

// factors returns the factors, 0 to 1 each.
func (b byPriority) factors(r *engine.Round, e *engine.Entry) Weights {
	age := r.Now.Sub(policy.Later(e.Submit, e.Eligible))
	return Weights{
		Age:       min(max(age.Seconds()/max(b.MaxAge.Seconds(), 1), 0), 1),
		FairShare: b.fair[share.Person{Account: e.Account, User: e.User}],
		Size:      b.size(e),
		Partition: standing(b.Partitions, e.Partition),
		QOS:       standing(b.QOS, e.QOS),
		GPUs:      min(e.Ask.GPUs.Whole()/max(b.whole, 1), 1),
	}
}

// size is the mean of the parts of the cluster's nodes and cores that the job
// asks; of the nodes alone for a job that names no cores.
func (b byPriority) size(e *engine.Entry) float64 {
	part := min(float64(max(e.Ask.Nodes, 1))/b.nodes, 1)
	if e.Ask.CPUs > 0 && b.cpus > 0 {
		part = (part + min(float64(e.Ask.CPUs)/b.cpus, 1)) / 2
	}
	if b.FavorSmall {
		return 1 - part
	}
	return part
}

// sum is the priority: at least 1, as 0 means held.
func (f Weights) sum(w Weights, nice int64) int64 {
	sum := f.Age*w.Age + f.FairShare*w.FairShare + f.Size*w.Size + f.Partition*w.Partition + f.QOS*w.QOS + f.GPUs*w.GPUs
	return max(int64(math.Round(sum))-nice, 1)
}

// standing is 1 for the first name, less for each that follows, 0 for others.
func standing(names []string, name string) float64 {
	i := slices.Index(names, name)
	if i < 0 {
		return 0
	}
	return float64(len(names)-i) / float64(len(names))
}
