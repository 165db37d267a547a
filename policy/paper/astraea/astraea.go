// Package astraea is long-term fairness of GPU time: first among accounts, by what
// each received in a window against its quota, then among the jobs of an
// account, by what each received against what it deserved. Jobs run in leases,
// at whose end they compete again; one that is chosen again runs on.
//
// Z. Ye, P. Sun, W. Gao, T. Zhang, X. Wang, S. Yan, Y. Luo, "ASTRAEA: A Fair
// Deep Learning Scheduler for Multi-Tenant GPU Clusters", TPDS 2022.
package astraea

import (
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/paper"
	"fairbridge/policy/preempt"
)

// Policy is ASTRAEA with its parameters.
type Policy struct {
	Lease       time.Duration `param:"lease" default:"15m" min:"1" help:"how long a job holds its GPUs before it competes again"` // 20 times its checkpoint cost where that is longer
	StarveAfter time.Duration `param:"starve_after" default:"6h" min:"1" help:"wait after which a job goes first in its account"`
	Delay       time.Duration `param:"delay" default:"5m" help:"over-served jobs this young in their lease give way to a new job of their account"`
	Levels      int           `param:"levels" default:"5" min:"1" max:"100" help:"steps of the scale of a job's fairness"`
	Favour      float64       `param:"favour" default:"0.2" max:"1" help:"accounts below this fraction of their quota are served first"`
	Window      time.Duration `param:"window" default:"24h" min:"60" help:"over which an account's recent service is counted"`
	Block       string        `param:"block" choices:"all,starving" default:"all" help:"who holds up those behind when it finds no place"`
	paper.MaxStopsParam
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (a *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	last, err := recallDeservedService(s)
	if err != nil {
		return nil, fmt.Errorf("policy astraea: %w", err)
	}
	stage := &allocator{Policy: a, deservedService: last}
	plan, err := engine.Pipeline{
		Name:     "astraea",
		Allocate: stage,
		Backfill: blockingBackfill{a},
		Preempt:  preempt.ByLease,
		// The leases are the shortest runs; the rules only count stops.
		Rules: paper.Limits{MinRunParam: paper.MinRunParam{MinRun: 1}, MaxStopsParam: a.MaxStopsParam, MaxWaitParam: a.MaxWaitParam}.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(stage.deservedService)
	return plan, nil
}

// System describes ASTRAEA in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "astraea", Title: "ASTRAEA: long-term GPU-time fairness", Venue: "TPDS", Year: 2022,
		Cite:         `Z. Ye et al., "ASTRAEA: A Fair Deep Learning Scheduler for Multi-Tenant GPU Clusters", IEEE TPDS 2022`,
		Idea:         "Give each account its quota of GPU time over a day, and each job its part of it, in renewable leases.",
		OwnStages:    []string{"share", "order", "backfill", "preempt"},
		NeededInputs: []string{"account weights and recent service", "GPU time received", "run times of finished jobs (to prefer those about to end)"},
		Fallback:     "none needed: without history no job is thought to be about to end; the default when nothing is known of a job",
		Reproduced: "a day of 8 accounts on 68 GPUs, one of which floods them, medians of 5 seeds: first come, first served has 3.8 times its error towards accounts " +
			"(the paper: up to 9.4 times), Tiresias and Themis 3.2 times; average completion time .96 of EASY's; a job of the others waits for 6 hours and a lease at most; " +
			"the scale of fairness, the accounts' order with quotas 4 and 4, and an idle account served first",
		Deviations: []string{
			"An account's quota below one GPU keeps its fraction; the paper's formula gives it nothing.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"max_stops": -1, "max_wait": "0s"},
	})
}

// blockingBackfill is an engine.Backfiller: no job takes devices that a blocked job could
// use.
type blockingBackfill struct{ *Policy }

// NewPassCheck implements engine.Backfiller.
func (b blockingBackfill) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	if b.Block != "all" && !b.isStarving(r, blocked) {
		return func(*engine.Entry, policy.Alloc) error { return nil }
	}
	return func(_ *engine.Entry, on policy.Alloc) error {
		if !mayUseDevices(r.Snapshot, blocked.Job, on) {
			return nil
		}
		return fmt.Errorf("job %s is ahead and could use them: %w", blocked.Label(), engine.ErrReservedNodes)
	}
}

// mayUseDevices reports whether the job could use any of the devices.
func mayUseDevices(s *policy.Snapshot, j *policy.Job, on policy.Alloc) bool {
	return slices.ContainsFunc(on, func(slot policy.Slot) bool {
		n := s.Node(slot.Node)
		return n != nil && n.InPartition(j.Partition) && !slices.Contains(j.Ask.ExcludedNodes, n.Name) &&
			(len(j.Ask.RequiredNodes) == 0 || slices.Contains(j.Ask.RequiredNodes, n.Name)) &&
			(j.Ask.GPUs.Type == "" || j.Ask.GPUs.Type == slot.Type)
	})
}

// deservedService remembers, per job, the GPU time it would have received so far had
// all jobs always had the same part of its account's quota. It is kept in
// Plan.Memo, as two lists in order of job: small for many jobs.
type deservedService struct {
	At       time.Time           `json:"at"`
	Jobs     []policy.JobID      `json:"jobs"`
	Deserved []policy.GPUSeconds `json:"deserved"`
}

func recallDeservedService(s *policy.Snapshot) (*deservedService, error) {
	d, err := policy.Recall[*deservedService](s.Memo)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return &deservedService{}, nil
	}
	if len(d.Jobs) != len(d.Deserved) || !slices.IsSorted(d.Jobs) {
		return nil, fmt.Errorf("reading what was remembered: %d jobs, %d values, sorted %t",
			len(d.Jobs), len(d.Deserved), slices.IsSorted(d.Jobs))
	}
	return d, nil
}

// update adds what every job deserved since the last round: of its account's quota the
// same part as the others that run or could start, but no more than it asks. A job
// seen for the first time deserved it since it arrived. Jobs that left are
// forgotten.
func (d *deservedService) update(r *engine.Round, quota map[string]float64) *deservedService {
	count := map[string]float64{}
	for _, e := range r.Entries {
		if r.MayRun(e) {
			count[e.Account] += float64(e.TaskCount())
		}
	}
	n := &deservedService{At: r.Now, Jobs: make([]policy.JobID, len(r.Entries)), Deserved: make([]policy.GPUSeconds, len(r.Entries))}
	for i, row := range r.JobIndexes(d.Jobs) {
		e, sum, since := r.Entries[i], policy.GPUSeconds(0), d.At
		if row >= 0 {
			sum = d.Deserved[row]
		} else {
			since = e.Arrive
		}
		gpus := 0.0
		if r.MayRun(e) {
			gpus = min(e.Ask.GPUs.WholeGPUs(), quota[e.Account]/count[e.Account])
		}
		sum += policy.ServiceForTime(gpus, max(r.Now.Sub(since), 0))
		n.Jobs[i], n.Deserved[i] = e.ID, policy.GPUSeconds(math.Round(float64(sum)*10)/10)
	}
	return n
}

// freeDevices counts the devices that can be granted, without regard to where they
// are: by type, and all whole GPUs together.
type freeDevices struct {
	freeCountByType map[string]float64
	isSliceType     map[string]bool // types that are parts of a GPU
	freeWholeGPUs   float64
}

// countFreeDevices counts the healthy devices of nodes that are up.
func countFreeDevices(s *policy.Snapshot) *freeDevices {
	f := &freeDevices{freeCountByType: map[string]float64{}, isSliceType: map[string]bool{}}
	for i := range s.Nodes {
		if s.Nodes[i].DownReason != "" {
			continue
		}
		for _, d := range s.Nodes[i].GPUs {
			f.isSliceType[d.Type] = d.PartPercent != 0 && d.PartPercent != 100
			f.add(d.Type, float64(max(d.Count-d.SickCount, 0)))
		}
	}
	return f
}

func (f *freeDevices) add(typ string, devices float64) {
	f.freeCountByType[typ] += devices
	if !f.isSliceType[typ] {
		f.freeWholeGPUs += devices
	}
}

// subtractHeld takes what a running job holds off, on nodes that are up.
func (f *freeDevices) subtractHeld(s *policy.Snapshot, e *engine.Entry) {
	for _, slot := range e.On {
		if n := s.Node(slot.Node); n != nil && n.DownReason == "" {
			f.add(slot.Type, -float64(slot.Count))
		}
	}
}

// take takes what the entry holds or asks, if it is there.
func (f *freeDevices) take(e *engine.Entry) bool {
	need, typ := float64(e.DeviceCount()), e.Ask.GPUs.Type
	if typ == "" && len(e.On) > 0 {
		typ = e.On.FirstType()
	}
	switch {
	case typ == "" && f.freeWholeGPUs < need:
		return false
	case typ == "":
		f.freeWholeGPUs -= need
		return true
	case f.freeCountByType[typ] < need || !f.isSliceType[typ] && f.freeWholeGPUs < need:
		return false
	}
	f.add(typ, -need)
	return true
}
