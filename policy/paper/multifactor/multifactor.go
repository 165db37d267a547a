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
	Weights        Factors
	MaxAge         time.Duration `param:"max_age" default:"168h" min:"1" help:"PriorityMaxAge"`
	HalfLife       time.Duration `param:"half_life" default:"168h" min:"1" help:"PriorityDecayHalfLife, for usage that accounting does not have"`
	FavorSmall     bool          `param:"favor_small" help:"PriorityFavorSmall"`
	FairShare      string        `param:"fair_share" choices:"tree,classic" default:"tree" help:"Fair Tree, or PriorityFlags=NO_FAIR_TREE"`
	QOSOrder       []string      `param:"qos_order" help:"QOS names, the highest first"`
	PartitionOrder []string      `param:"partition_order" help:"partition names, the highest first"`
	Preempt        string        `param:"preempt" choices:"none,qos" default:"none" help:"PreemptType: none, or QOS by qos_order"`
	Depth          int           `param:"depth" default:"500" min:"1" help:"bf_max_job_test: blocked jobs with a reservation"`
	Window         time.Duration `param:"window" default:"24h" min:"1" help:"bf_window: how far ahead reservations are made"`
	Lengths        string        `param:"lengths" choices:"limit,estimate" default:"limit" help:"how long jobs are taken to run: their time limits, as Slurm does, or what is predicted"`
	paper.MinRunParam
	paper.MaxStopsParam
	MaxWait time.Duration `param:"max_wait" default:"0s" help:"wait after which a job goes to the front of the line with a reservation; 0s: never"`
}

// Factors is a number for each factor of the priority: the factors themselves, 0
// to 1, or Slurm's PriorityWeight* settings. All weights are 0 by default in Slurm,
// which is first come, first served; these are those of the example in its
// documentation.
type Factors struct {
	Age       float64 `param:"age" default:"1000" help:"PriorityWeightAge; Slurm's own default is 0, as of all weights"`
	FairShare float64 `param:"fairshare" default:"10000" help:"PriorityWeightFairshare"`
	Size      float64 `param:"size" default:"1000" help:"PriorityWeightJobSize"`
	Partition float64 `param:"partition" default:"1000" help:"PriorityWeightPartition"`
	QOS       float64 `param:"qos" default:"0" help:"PriorityWeightQOS"`
	GPUs      float64 `param:"gpus" default:"0" help:"PriorityWeightTRES of gres/gpu"`
}

// Decide implements policy.Policy.
func (m *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	used, err := updateDecayedUsage(s, m.HalfLife)
	if err != nil {
		return nil, fmt.Errorf("policy multifactor: %w", err)
	}
	length := engine.RunLengthByLimit
	if m.Lengths == "estimate" {
		length = engine.RunLengthByEstimate
	}
	p := engine.Pipeline{
		Name:     "multifactor",
		Predict:  predict.Ladder{},
		Order:    m.newPriorityOrder(used.snapshotWithUsage(s)),
		Backfill: &backfill.Conservative{MaxReservations: m.Depth, Horizon: m.Window, RunLength: length},
		Rules:    paper.Limits{MinRunParam: m.MinRunParam, MaxStopsParam: m.MaxStopsParam, MaxWaitParam: paper.MaxWaitParam{MaxWait: m.MaxWait}}.Rules(),
		// Slurm's own backfill knows time limits alone.
		LeavesBackfillToSlurm: m.Lengths != "estimate",
	}
	if m.Preempt == "qos" {
		p.Preempt = preempt.ByQOS(m.QOSOrder...)
	}
	plan, err := p.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = used.memo()
	return plan, nil
}

// priorityOrder puts jobs in line by priority.
type priorityOrder struct {
	*Policy
	fairShareByPerson                                  map[share.Person]float64
	clusterNodeCount, clusterCPUCount, clusterGPUCount float64 // of the cluster
}

// newPriorityOrder returns the order for a snapshot that says what was used.
func (m *Policy) newPriorityOrder(s *policy.Snapshot) priorityOrder {
	o := priorityOrder{Policy: m, fairShareByPerson: share.FairShare(s, m.FairShare == "tree"), clusterNodeCount: float64(max(len(s.Nodes), 1))}
	for i := range s.Nodes {
		o.clusterCPUCount += float64(s.Nodes[i].CPUs)
		o.clusterGPUCount += s.Nodes[i].WholeGPUs()
	}
	return o
}

// Order implements engine.Orderer.
func (o priorityOrder) Order(r *engine.Round) ([]*engine.Entry, error) {
	priority := make(map[policy.JobID]int64, len(r.Entries))
	for _, e := range r.Entries {
		f := o.factors(r, e)
		priority[e.ID] = f.priority(o.Weights, e.Nice)
		if r.OmitReasons {
			continue
		}
		e.Note = fmt.Sprintf("priority %d: age %.2f, fair share %.2f, size %.2f", priority[e.ID], f.Age, f.FairShare, f.Size)
	}
	return order.ByKeys{order.ActiveFirst, func(_ *engine.Round, x, y *engine.Entry) int {
		return cmp.Or(cmp.Compare(priority[y.ID], priority[x.ID]), cmp.Compare(x.ID, y.ID))
	}}.Order(r)
}

// factors returns the factors, 0 to 1 each.
func (o priorityOrder) factors(r *engine.Round, e *engine.Entry) Factors {
	age := r.Now.Sub(policy.Later(e.Submit, e.EligibleAt))
	return Factors{
		Age:       min(max(age.Seconds()/max(o.MaxAge.Seconds(), 1), 0), 1),
		FairShare: o.fairShareByPerson[share.Person{Account: e.Account, User: e.User}],
		Size:      o.sizeFactor(e),
		Partition: rankFactor(o.PartitionOrder, e.Partition),
		QOS:       rankFactor(o.QOSOrder, e.QOS),
		GPUs:      min(e.Ask.GPUs.WholeGPUs()/max(o.clusterGPUCount, 1), 1),
	}
}

// sizeFactor is the mean of the parts of the cluster's nodes and cores that the job
// asks; of the nodes alone for a job that names no cores.
func (o priorityOrder) sizeFactor(e *engine.Entry) float64 {
	part := min(float64(max(e.Ask.MinNodes, 1))/o.clusterNodeCount, 1)
	if e.Ask.CPUs > 0 && o.clusterCPUCount > 0 {
		part = (part + min(float64(e.Ask.CPUs)/o.clusterCPUCount, 1)) / 2
	}
	if o.FavorSmall {
		return 1 - part
	}
	return part
}

// priority is the sum of the factors by weight, less what the job is nice: at
// least 1, as 0 means held.
func (f Factors) priority(w Factors, nice int64) int64 {
	sum := f.Age*w.Age + f.FairShare*w.FairShare + f.Size*w.Size + f.Partition*w.Partition + f.QOS*w.QOS + f.GPUs*w.GPUs
	return max(int64(math.Round(sum))-nice, 1)
}

// rankFactor is 1 for the first name, less for each that follows, 0 for others.
func rankFactor(names []string, name string) float64 {
	i := slices.Index(names, name)
	if i < 0 {
		return 0
	}
	return float64(len(names)-i) / float64(len(names))
}

// System describes Slurm's multifactor priority in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "multifactor", Title: "Slurm's multifactor priority with backfill", Venue: "JSSPP", Year: 2003,
		Cite:         `A. Yoo, M. Jette, M. Grondona, "SLURM: Simple Linux Utility for Resource Management", JSSPP 2003; Slurm documentation, "Multifactor Priority Plugin"`,
		Idea:         "What Slurm does by itself: a weighted sum of age, fair share, size, partition and QOS, with a reservation for every blocked job.",
		OwnStages:    []string{"order", "backfill", "preempt"},
		NeededInputs: []string{"time limits", "shares and usage of accounts and users"},
		Fallback:     "without usage from accounting it counts what jobs received itself; a job without a limit runs a year",
		Reproduced:   "the order of a simulated slurmctld on the same jobs and usage; Fair Tree examples",
		Deviations: []string{
			"The site and association factors and TRES other than GPUs count nothing.",
			"Backfill looks at all jobs in every decision: bf_interval and the limits on its running time are not there.",
			"A job that its backfill keeps back waits and is not held: beside Slurm, Slurm's own backfill decides.",
			"With preempt=qos, the GPUs of a job that is preempted after the first reservation of a decision count as its own until its limit in the later ones.",
		},
	})
}

// decayedUsage is what every user used, fading with a half-life as in Slurm's
// accounting. It is kept in Plan.Memo, for snapshots that do not say.
type decayedUsage struct {
	At             time.Time                               `json:"at"`
	AttainedBefore map[policy.JobID]policy.GPUSeconds      `json:"had,omitempty"`  // by jobs of the last snapshot
	Used           map[string]map[string]policy.GPUSeconds `json:"used,omitempty"` // by account and user
}

// updateDecayedUsage adds what jobs received since the last snapshot. It returns nil
// where the snapshot knows better.
func updateDecayedUsage(s *policy.Snapshot, half time.Duration) (*decayedUsage, error) {
	last, err := policy.Recall[*decayedUsage](s.Memo)
	if err != nil || snapshotReportsUsage(s) {
		return nil, err
	}
	d := &decayedUsage{At: s.Now, AttainedBefore: map[policy.JobID]policy.GPUSeconds{}, Used: map[string]map[string]policy.GPUSeconds{}}
	if last != nil {
		fade := math.Exp2(-max(s.Now.Sub(last.At).Seconds(), 0) / max(half.Seconds(), 1))
		for account, users := range last.Used {
			for user, x := range users {
				d.addUsage(account, user, policy.GPUSeconds(float64(x)*fade))
			}
		}
	}
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Attained <= 0 {
			continue
		}
		d.AttainedBefore[j.ID] = j.Attained
		gained := j.Attained
		if last != nil {
			gained = max(j.Attained-last.AttainedBefore[j.ID], 0)
		}
		d.addUsage(j.Account, j.User, gained)
	}
	return d, nil
}

// snapshotReportsUsage reports whether the snapshot says what was used.
func snapshotReportsUsage(s *policy.Snapshot) bool {
	return slices.ContainsFunc(s.Accounts, func(a policy.Account) bool { return a.UsedService > 0 }) ||
		slices.ContainsFunc(s.Users, func(u policy.User) bool { return u.UsedService > 0 })
}

func (d *decayedUsage) addUsage(account, user string, x policy.GPUSeconds) {
	if d.Used[account] == nil {
		d.Used[account] = map[string]policy.GPUSeconds{}
	}
	if sum := d.Used[account][user] + x; sum >= 1 { // less is forgotten
		d.Used[account][user] = sum
	}
}

// snapshotWithUsage returns s with what every user used.
func (d *decayedUsage) snapshotWithUsage(s *policy.Snapshot) *policy.Snapshot {
	if d == nil {
		return s
	}
	c := *s
	c.Users = nil
	for account, users := range d.Used {
		for user, x := range users {
			c.Users = append(c.Users, policy.User{Name: user, Account: account, UsedService: x})
		}
	}
	slices.SortFunc(c.Users, func(a, b policy.User) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	})
	return &c
}

func (d *decayedUsage) memo() policy.Memo {
	if d == nil || len(d.Used) == 0 {
		return policy.Memo{}
	}
	return policy.Remember(d)
}
