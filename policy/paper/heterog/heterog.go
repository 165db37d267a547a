// Package heterog lets one job run on GPUs of several types at once, each of which does its share of the
// batch, where the job declares that it can: in proportion to their speeds, so that none waits for
// another. All other jobs run on GPUs of one type.
//
// X. Yi, S. Zhang, Z. Luo, G. Long, L. Diao, C. Wu, Z. Zheng, J. Yang, W. Lin, "Optimizing Distributed
// Training Deployment in Heterogeneous GPU Clusters", CoNEXT 2020.
//
// The paper rewrites the graph of a program and learns how; what of it a scheduler decides is whether
// a job gets several types, which, and which part of the batch each GPU does.
package heterog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/pool"
	"fairbridge/policy/predict"
)

// Values of Policy.Mix.
const (
	mixProportional = "proportional"
	mixEven         = "even"
	mixNever        = "never"
)

// Policy is HeteroG's decision on mixes with its parameters.
type Policy struct {
	Mix  string  `param:"mix" choices:"proportional,even,never" default:"proportional" help:"what GPUs of several types do of a batch: parts in proportion to their speeds; equal parts; or no job runs on several types"`
	Gain float64 `param:"gain" default:"0.15" min:"0" help:"by which part a job must be faster on several types than on the best single one that has room, to be given them"`
	Cost float64 `param:"cost" default:"0.05" min:"0" help:"what exchanging between GPUs of several types adds to a step, as a part of the step on the fastest of them"`
	paper.MaxWaitParam
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	plan, err := engine.Pipeline{
		Name:     "heterog",
		Predict:  predict.Ladder{},
		Order:    order.ByLength{UnknownLength: predict.MedianRunTime(s.History)},
		Place:    &mixPlacer{Policy: p},
		Backfill: backfill.Greedy{},
		Rules:    p.Rules(),
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	p.recommendShares(s, plan)
	return plan, nil
}

// System describes HeteroG in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "heterog", Title: "HeteroG: one job on GPUs of several types", Venue: "CoNEXT", Year: 2020,
		Cite:         `X. Yi et al., "Optimizing Distributed Training Deployment in Heterogeneous GPU Clusters", CoNEXT 2020`,
		Idea:         "Let a job run on GPUs of several types at once, each doing as much of the batch as it is fast.",
		OwnStages:    []string{"predict", "order", "place", "backfill"},
		NeededInputs: []string{"which jobs accept several types (to mix)", "how fast a job goes on which type of GPU", "how long a job still runs (to wait for one type)"},
		Fallback:     "a job that does not accept several types, or of which speeds are not known, runs on one type: the fastest for it that has room; none where only several together have",
		Reproduced: "1,000 gangs of 1 to 16 GPUs on 16 GPUs of each of two types, one twice as fast, at a load of .9, medians of 15 seeds: against single types jobs complete in 1/1.06 of the time " +
			"if three of ten accept both (.93 to 1.29; wanted 1/1.08), in 1/1.33 if six of ten do; with equal parts in 1/.86; two GPUs take 40 units of time for what a fast one takes 48 for, and equal parts 48",
		Deviations: []string{
			"The graph of a program is not rewritten and nothing is learnt: that is the framework's part. Whether a job gets several types, which, and their parts of the batch is worked out exactly.",
			"The paper deploys one job; here many wait, and the one that will be done soonest goes first. No job is stopped for another.",
			"The number of GPUs is what the job asks for; it is not given more because some are slow.",
			"Slurm cannot say in one job how many GPUs of which type it wants: no job beside Slurm is given several types, and shares of a batch are advice that only simulations follow.",
		},
		MayStarve:       true,
		SimulatorParams: paper.Params{"max_wait": "0s"},
	})
}

// recommendShares writes into the plan what each GPU of a job on several types should do of its batch.
func (p *Policy) recommendShares(s *policy.Snapshot, plan *policy.Plan) {
	if p.Mix != mixProportional {
		return
	}
	var r *engine.Round
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		if !d.On.HasSeveralTypes() {
			continue
		}
		j := s.Job(d.Job)
		if !j.AcceptsMixedTypes {
			continue
		}
		if r == nil {
			r = &engine.Round{Snapshot: s, FreePool: pool.New(s)}
		}
		d.BatchShares = newGangSpeeds(r, &engine.Entry{Job: j, WantedDeviceCount: d.GPUs}).shares(d.On)
		if !s.OmitReasons {
			d.Why += describeShares(d.BatchShares)
		}
	}
}

func describeShares(shares policy.BatchShares) string {
	var parts []string
	for _, s := range shares {
		parts = append(parts, fmt.Sprintf("%.3g of the batch on each %s", s.PerGPU, s.Type))
	}
	if len(parts) == 0 {
		return ""
	}
	return "; it should do " + strings.Join(parts, ", ")
}

// waits are how long GPUs of a type take to come free, as running jobs are predicted to end. It
// counts GPUs wherever they are.
type waits struct {
	round          *engine.Round
	releasesByType map[string][]release // sooner ones first
}

type release struct {
	after   time.Duration
	devices int
}

func newWaits(r *engine.Round) *waits {
	w := &waits{r, map[string][]release{}}
	for _, e := range r.RunningEntries() {
		after, ok := engine.RunLengthByEstimate(r, e)
		if !ok {
			continue
		}
		for _, slot := range e.On {
			w.releasesByType[slot.Type] = append(w.releasesByType[slot.Type], release{after, slot.Count})
		}
	}
	for _, all := range w.releasesByType {
		slices.SortStableFunc(all, func(a, b release) int { return cmp.Compare(a.after, b.after) })
	}
	return w
}

// until returns after how long as many devices of the type are free; ok is false when that is not known.
func (w *waits) until(gpuType string, devices int) (after time.Duration, ok bool) {
	free := w.round.FreePool.TotalFree(gpuType)
	for _, r := range w.releasesByType[gpuType] {
		if free >= devices {
			break
		}
		free, after = free+r.devices, r.after
	}
	return after, free >= devices
}

// mixPlacer chooses between GPUs of one type, of several, and waiting for those of one.
type mixPlacer struct {
	*Policy
	waits *waits
}

var errOneType = errors.New("only GPUs of several types together are free, and it does not run on such")

// Place implements engine.Placer.
func (p *mixPlacer) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) {
	gang := e.GangAsk()
	if gang.GPUs.Type != "" {
		return pool.Fit(r.FreePool, e.Partition, gang)
	}
	single := fitOneType(r.FreePool, e.Partition, gang)
	mixed, g := p.fitMix(r, e, gang)
	switch {
	case single == nil && mixed == nil:
		return nil, errOneType
	case mixed == nil:
		return single, nil
	case single != nil && g.speed(mixed, p.Mix, p.Cost) < (1+p.Gain)*g.speedOn(single.FirstType()):
		return single, nil
	case single != nil:
		return mixed, nil
	}
	return mixed, p.checkWorthStarting(r, e, g, mixed)
}

// fitOneType finds room on GPUs of one type, the fastest for the job first; nil: there is none.
func fitOneType(free *pool.Pool, partition string, gang policy.Ask) policy.Alloc {
	one := gang
	for _, one.GPUs.Type = range free.TypesFor(&gang) {
		if one.GPUs.Type == "" {
			continue
		}
		if on, err := pool.Fit(free, partition, one); err == nil {
			return on
		}
	}
	return nil
}

// fitMix finds room on GPUs of several types; nil: there is none, or the job may not have such.
func (p *mixPlacer) fitMix(r *engine.Round, e *engine.Entry, gang policy.Ask) (policy.Alloc, *gangSpeeds) {
	if p.Mix == mixNever || !e.AcceptsMixedTypes || gang.GPUs.Count < 2 {
		return nil, nil
	}
	g := newGangSpeeds(r, e)
	if len(g.types) < 2 {
		return nil, nil
	}
	on := g.fillFastestFirst(r.FreePool, e.Partition, gang)
	if on == nil || !on.HasSeveralTypes() || !pool.AllowsAlloc(r.FreePool, on, e.Partition, gang) || !canTake(r.FreePool, on, gang) {
		return nil, nil
	}
	return on, g
}

// canTake reports whether the devices are free with the cores and memory that the gang asks.
func canTake(free *pool.Pool, on policy.Alloc, gang policy.Ask) bool {
	mark := free.UndoMark()
	defer free.Rewind(mark)
	return free.Take(on, gang.CPUs, gang.MemMB) == nil
}

// checkWorthStarting says so where the job ends sooner if it waits for GPUs of one type.
func (p *mixPlacer) checkWorthStarting(r *engine.Round, e *engine.Entry, g *gangSpeeds, mixed policy.Alloc) error {
	if e.Estimate().TimeLeft <= 0 {
		return nil
	}
	if p.waits == nil {
		p.waits = newWaits(r)
	}
	work := e.Estimate().TimeLeft.Seconds() * g.fastest()
	now := work / g.speed(mixed, p.Mix, p.Cost)
	for _, t := range g.types {
		wait, ok := p.waits.until(t.name, e.WantedDeviceCount)
		if total := wait.Seconds() + work/t.speed; ok && total <= now {
			return fmt.Errorf("on %v it would run for %s, and is done sooner if it waits %s for %s", mixed,
				policy.FormatSeconds(now), policy.FormatDuration(wait), policy.GPUs{Type: t.name, Count: e.WantedDeviceCount})
		}
	}
	return nil
}
