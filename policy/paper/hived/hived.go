// Package hived gives each account a virtual cluster of cells, whole nodes or parts of one, that
// it has whenever it wants them, as if they were its own. What is not in use runs opportunistic
// jobs, which leave when it is wanted.
//
// H. Zhao, Z. Han, Z. Yang, Q. Zhang, F. Yang, L. Zhou, M. Yang, F. C. M. Lau, Y. Wang, Y. Xiong,
// B. Wang, "HiveD: Sharing a GPU Cluster for Deep Learning with Guarantees", OSDI 2020.
package hived

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/cells"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/place"
	"fairbridge/policy/pool"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
)

// Policy is HiveD with its parameters.
type Policy struct {
	Cells []string `param:"cells" help:"cells of each account, like research=4x8 (four cells of 8 GPUs on one node) or vision=8x1:a100; none: every job is opportunistic"`
	paper.MinRunParam
	paper.MaxStopsParam

	quotas []quota
}

// Decide implements policy.Policy.
func (h *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	last, err := policy.Recall[memo](s.Memo)
	if err != nil {
		return nil, fmt.Errorf("policy hived: %w", err)
	}
	stage := &allocator{Policy: h, last: last}
	plan, err := engine.Pipeline{
		Name:     "hived",
		Predict:  predict.Ladder{},
		Allocate: stage,
		Place:    stage,
		Backfill: backfill.Greedy{},
		Preempt:  preempt.NoPreemption,
		Rules:    h.rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(stage.next)
	return plan, nil
}

// rules are the engine's: no job waits for so long that others' cells are reserved for it.
func (h *Policy) rules() engine.Rules {
	return paper.Limits{MinRunParam: h.MinRunParam, MaxStopsParam: h.MaxStopsParam, MaxWaitParam: paper.MaxWaitParam{MaxWait: time.Duration(0)}}.Rules()
}

// System describes HiveD in the catalogue.
func System() paper.System {
	s := paper.DescribeSystem(new(Policy), paper.System{
		Name: "hived", Title: "HiveD: virtual clusters of cells, guaranteed as if they were private", Venue: "OSDI", Year: 2020,
		Cite:         `H. Zhao et al., "HiveD: Sharing a GPU Cluster for Deep Learning with Guarantees", OSDI 2020`,
		Idea:         "Give each tenant cells (whole nodes, halves, pairs, GPUs) rather than a number of GPUs, bind them to the cluster by buddy allocation, and run opportunistic jobs on what is not in use.",
		OwnStages:    []string{"order", "place", "preempt"},
		NeededInputs: []string{"account", "which jobs are opportunistic"},
		Fallback:     "a job of an account without cells is opportunistic; one that may not be stopped runs only beside all that accounts are due",
		Reproduced:   "all 44 expectations of the published scheduler's own cases, to the device; in five drawn days and a half of 8 tenants, 256 GPUs and some 1,300 jobs none waited longer than with nodes of its tenant's own. With quotas that count GPUs .6 % of the gangs wait half an hour longer (median; 1 % expected) where jobs go where they fit best, 13.6 % where they go to the emptiest node",
		Deviations: []string{
			"Slurm chooses the devices of a node: beside it cells within a node are kept by their number, and whole nodes stay whole; in simulations devices are named.",
			"Cells larger than a node are not offered: the racks of the site are not asked for.",
			"Within an account jobs are served strictly by arrival and none is stopped for another of it; the paper leaves that to each tenant's own scheduler.",
			"A job is stopped only if its owner lets it, and after its shortest run: a guaranteed job waits no longer than that for its cells.",
			"An opportunistic job that may not be stopped starts only where nothing that is due is taken by it.",
		},
		SimulatorParams: paper.Params{"min_run": "1s", "max_stops": -1},
		MayStarve:       true,
	})
	inner := s.New
	s.New = func(given paper.Params) (policy.Policy, error) {
		p, err := inner(given)
		if err != nil {
			return nil, err
		}
		h := p.(*Policy)
		h.quotas, err = readQuotas(h.Cells)
		return h, err
	}
	return s
}

// line is the running jobs, then those with cells of their own, then opportunistic ones.
func (h *allocator) line() []*engine.Entry {
	line := slices.Clone(h.Entries)
	rank := func(e *engine.Entry) int {
		switch {
		case e.HoldsGPUs():
			return 0
		case h.verdicts[e.Index].isGuaranteed:
			return 1
		}
		return 2
	}
	slices.SortFunc(line, func(a, b *engine.Entry) int {
		if c := rank(a) - rank(b); c != 0 {
			return c
		}
		return engine.CompareArrival(a, b)
	})
	return line
}

// hasCells reports whether the job uses cells of its account, as far as those could hold it.
func (h *allocator) hasCells(e *engine.Entry) bool {
	return !e.IsOpportunistic() && slices.ContainsFunc(h.quotas, func(q quota) bool { return q.account == e.Account })
}

// mayLeave reports whether a job can be made to leave, now or later.
func (h *allocator) mayLeave(e *engine.Entry) bool {
	return e.UnstoppableReason == "" && e.State != policy.Suspended && (h.MaxStops <= 0 || e.StopCount < h.MaxStops)
}

// newCluster makes the cluster of the nodes with all virtual clusters, as far as the nodes have
// cells for them: those of the last of the list are left out first. Every account has one, if of no
// cells.
func newCluster(c cells.Config, quotas []quota, accounts []string) (*cells.Cluster, error) {
	for _, a := range accounts {
		c.VirtualClusters = append(c.VirtualClusters, cells.VirtualCluster{Name: a})
	}
	for _, q := range quotas {
		if chain, typ := q.find(&c); chain != "" {
			own := &c.VirtualClusters[slices.Index(accounts, q.account)].Cells
			*own = append(*own, cells.Quota{Chain: chain, Type: typ})
			number := &(*own)[len(*own)-1].Number
			*number = sort.Search(q.number, func(n int) bool {
				*number = n + 1
				return !c.Fits(chain)
			})
		}
	}
	return cells.New(c)
}

// find returns the chain with cells of the quota's size, the one of the smallest nodes first; "": there
// is none.
func (q *quota) find(c *cells.Config) (chain, typ string) {
	for _, p := range c.Physical {
		gpuType, _, _ := strings.Cut(p.Type, "*")
		if q.gpuType != "" && q.gpuType != gpuType {
			continue
		}
		name := cellName(gpuType, len(p.Devices), q.size)
		if _, ok := c.Types[name]; ok || name == gpuType {
			return p.Type, name
		}
	}
	return "", ""
}

// build makes the cells of the nodes, and virtual clusters of the accounts, and finds out which jobs the
// cells of their accounts could hold while no job runs on them.
func (h *allocator) build() (err error) {
	var accounts []string
	for _, q := range h.quotas {
		accounts = append(accounts, q.account)
	}
	for _, e := range h.Entries {
		accounts = append(accounts, e.Account)
	}
	h.mostOnNode = map[string]int{}
	for i := range h.Nodes {
		for _, d := range h.Nodes[i].GPUs {
			h.mostOnNode[d.Type], h.mostOnNode[""] = max(h.mostOnNode[d.Type], d.Count), max(h.mostOnNode[""], d.Count)
		}
	}
	slices.Sort(accounts)
	accounts = slices.Compact(accounts)
	h.cluster, err = newCluster(describeNodes(h.Snapshot), h.quotas, accounts)
	if err != nil {
		return err
	}
	holds := map[string]bool{}
	for _, e := range h.Entries {
		h.verdicts[e.Index].isGuaranteed = !e.HoldsGPUs() && h.hasCells(e) && h.couldHold(h.request(e, e.Ask.GPUs.Type, cells.MinPriority), holds)
	}
	return nil
}

// couldHold reports whether the cells of its account hold a job when nothing runs; holds is what was found of
// jobs like it.
func (h *allocator) couldHold(r cells.Request, holds map[string]bool) bool {
	key := fmt.Sprint(r.VirtualCluster, r.DeviceType, r.Members)
	can, known := holds[key]
	if !known {
		r.Reserves, r.IsSuggested = false, nil
		a, err := h.cluster.Schedule(r)
		can = err == nil && a.Wait != cells.NoCapacity
		holds[key] = can
	}
	return can
}

// memo is which cells running jobs have.
type memo struct {
	Gangs []cells.Adoption `json:"gangs,omitempty"` // in order of the jobs
}

// allocator gives the jobs of one round their cells.
type allocator struct {
	*Policy
	*engine.Round
	last, next memo
	cluster    *cells.Cluster
	mostOnNode map[string]int    // devices on a node, by type; "": of any
	blocked    map[string]string // accounts of which a job waits for cells, and which

	demandByType  map[string]int // see engine.Round.CountTypeDemand
	withoutGuests *pool.Pool     // what is free when all have left that run on cells of others and may be stopped
	verdicts      []verdict      // by Entry.Index
}

// verdict is what becomes of a job.
type verdict struct {
	on       policy.Alloc
	why      string // it has no place
	note     string
	stopsFor string // the job that it makes room for; "": none
	isSimple bool   // cells do not know its devices: slices and shards

	isGuaranteed bool // it waits for cells of its account
}

// Allocate implements engine.Allocator.
func (h *allocator) Allocate(r *engine.Round) ([]engine.Assignment, error) {
	h.Round, h.verdicts, h.blocked = r, make([]verdict, len(r.Entries)), map[string]string{}
	if err := h.build(); err != nil {
		return nil, err
	}
	mark := r.FreePool.UndoMark()
	h.adoptAll()
	h.takeBad()
	h.takeUnexplained()
	h.findRoomWithoutGuests()
	line := h.line()
	h.demandByType = r.CountTypeDemand(line)
	for _, e := range line {
		if !e.HoldsGPUs() {
			h.decide(e)
		}
	}
	r.FreePool.Rewind(mark)
	out := make([]engine.Assignment, len(line))
	for i, e := range line {
		v := h.verdicts[e.Index]
		out[i] = e.AssignmentWithoutLease()
		out[i].Alloc, out[i].Note = v.on, v.note
		if v.stopsFor != "" {
			out[i].Grant.StopReason = fmt.Sprintf("runs on cells that job %s of their account has now", v.stopsFor)
		}
		if a, ok := h.cluster.Describe(gangName(e)); ok && (e.HoldsGPUs() || v.on != nil) {
			h.next.Gangs = append(h.next.Gangs, a)
		}
	}
	slices.SortFunc(h.next.Gangs, func(a, b cells.Adoption) int { return strings.Compare(a.Gang, b.Gang) })
	return out, nil
}

// Place implements engine.Placer.
func (h *allocator) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	v := h.verdicts[e.Index]
	switch {
	case v.isSimple:
		return pool.Fit(r.FreePool, e.Partition, e.GangAsk())
	case len(e.WantedAlloc) == 0:
		return nil, errors.New(v.why)
	}
	return place.OnAssignedDevices{}.Place(r, e)
}
