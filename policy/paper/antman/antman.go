// Package antman runs two kinds of jobs on the same GPUs: guaranteed ones, within their account's
// quota, and opportunistic ones on what those leave: idle GPUs, and GPUs whose guaranteed job is
// known not to suffer. An opportunistic job leaves when a guaranteed one wants its GPUs or is slowed
// by it.
//
// W. Xiao, S. Ren, Y. Li, Y. Zhang, P. Hou, Z. Li, Y. Feng, W. Lin, Y. Jia, "AntMan: Dynamic Scaling
// on GPU Clusters for Deep Learning", OSDI 2020.
//
// The paper's framework shrinks the memory and the kernels of an opportunistic job from one batch to
// the next. Slurm cannot, and so it is stopped instead.
package antman

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/interference"
	"fairbridge/policy/pack"
	"fairbridge/policy/paper"
	"fairbridge/policy/pool"
	"fairbridge/policy/predict"
	"fairbridge/policy/preempt"
)

// Policy is AntMan with its parameters.
type Policy struct {
	Quotas        map[string]float64 `param:"quotas" help:"GPUs guaranteed to each account; an account that is not named has its part of the cluster by weight"`
	Opportunistic bool               `param:"opportunistic" default:"true" help:"run jobs on what others leave; otherwise all jobs are guaranteed ones and wait for their quota"`
	Downgrade     time.Duration      `param:"downgrade" default:"10m" help:"wait for the quota after which a job that may be stopped runs as an opportunistic one, until there is quota for it; one that asks more than the quota does so at once"`
	Share         bool               `param:"share" default:"true" help:"let an opportunistic job run beside a guaranteed one, where both owners agree; otherwise on idle GPUs only"`
	Busy          float64            `param:"busy" default:"0.8" min:"0" max:"1" help:"share of the time in which a GPU computes from which on no opportunistic job joins it"`
	MemoryMB      float64            `param:"memory" default:"16384" min:"0" help:"megabytes used on a GPU above which no opportunistic job joins it"`
	Slowdown      float64            `param:"slowdown" default:"0.08" min:"0" max:"1" help:"how much of its speed a guaranteed job may be expected to lose to an opportunistic one, but for one in ten"`
	Hurt          float64            `param:"hurt" default:"0.05" min:"0" max:"1" help:"how much of its speed a guaranteed job must be seen to lose for its neighbour to leave"`
	MinRun        time.Duration      `param:"min_run" default:"1s" min:"1" help:"shortest run of an opportunistic job before it may be stopped"`
	MaxStops      int                `param:"max_stops" default:"-1" min:"-1" help:"how often one job may be stopped in its life before it runs as a guaranteed one only; 0 and -1: without limit"`
	MaxWait       time.Duration      `param:"max_wait" default:"24h" help:"wait after which a job is guaranteed its GPUs although the quota of its account is used up; 0s: never"`
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	was, err := policy.Recall[memo](s.Memo)
	if err != nil {
		return nil, fmt.Errorf("policy antman: %w", err)
	}
	c := &classes{Policy: p, was: was}
	plan, err := engine.Pipeline{
		Name:     "antman",
		Predict:  predict.Ladder{},
		Admit:    c,
		Allocate: c,
		Pack:     &besideGuaranteed{classes: c},
		Backfill: keepsParts{c},
		Preempt: preempt.ByTier(func(_ *engine.Round, e *engine.Entry) int {
			if c.isOpportunistic(e) {
				return 1
			}
			return 0
		}),
		Rules: engine.Rules{MinRun: p.MinRun, MinRunCheckpoints: -1, MaxStops: -1, MaxWait: -1},
	}.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = c.newMemo(plan)
	return plan, nil
}

// System describes AntMan in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "antman", Title: "AntMan: opportunistic jobs on what guaranteed ones leave", Venue: "OSDI", Year: 2020,
		Cite:         `W. Xiao et al., "AntMan: Dynamic Scaling on GPU Clusters for Deep Learning", OSDI 2020`,
		Idea:         "Guarantee each account its quota, and run opportunistic jobs on idle GPUs and beside jobs that do not suffer from it.",
		OwnStages:    []string{"admit", "order", "pack", "preempt", "backfill"},
		NeededInputs: []string{"quotas or weights of accounts", "how much of a GPU a job uses, time and memory (to share)", "progress (to see who is slowed)"},
		Fallback:     "opportunistic jobs run on idle GPUs only where nothing is known of GPUs that are in use",
		Reproduced: "four tenants of equal quotas on 64 GPUs that ask for 1.17 of them, two fifths opportunistic, medians of five draws against quotas alone: beside guaranteed jobs GPUs compute 1.31 times as much " +
			"(the paper: 34 % more), opportunistic jobs wait .18 of the time, and guaranteed ones take 1.021 of their time alone at the 95th percentile; on idle GPUs only 1.17 and .60, none slowed; " +
			"against what Slurm does by itself they compute 1.12 times as much, and guaranteed jobs wait .16 of the time",
		Deviations: []string{
			"Neither memory nor kernels of a running job are scaled: an opportunistic job that is in the way is stopped and requeued.",
			"A guaranteed job takes the GPUs of opportunistic ones; in the paper it may also join them there.",
			"An opportunistic job joins a GPU only if the guaranteed one there is expected to keep its speed, by classes of jobs; in the paper utilisation and memory alone decide.",
			"A guaranteed job that was slowed once gets no neighbour again.",
			"A job that must not be stopped is never opportunistic, also where its owner says so: it waits for quota.",
			"An account may have one job of more than its quota, on what guaranteed jobs leave, while it uses nothing else: in the paper none asks for more.",
		},
		SimulatorParams: paper.Params{"max_wait": "0s"},
		MayStarve:       true,
	})
}

// keepsParts is an engine.Backfiller: what is free of the GPUs that a blocked guaranteed job waits for
// is kept for it against other guaranteed jobs. Opportunistic ones may have it until the rest is free.
type keepsParts struct{ *classes }

// NewPassCheck implements engine.Backfiller.
func (k keepsParts) NewPassCheck(r *engine.Round, blocked *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	kept := map[string]int{}
	if !k.isOpportunistic(blocked) {
		kept = partsFor(r, blocked)
	}
	gang := blocked.GangAsk()
	return func(e *engine.Entry, on policy.Alloc) error {
		if k.isOpportunistic(e) {
			return nil
		}
		for _, s := range on {
			if n := kept[s.Node]; n > 0 && (gang.GPUs.Type == "" || gang.GPUs.Type == s.Type) && r.FreePool.FreeOnNode(s.Node, gang.GPUs.Type)-s.Count < n {
				return fmt.Errorf("%s of node %s are kept for job %s, which waits for more: %w", policy.FormatCount(n, "free GPU"), s.Node, blocked.Label(), engine.ErrReservedNodes)
			}
		}
		return nil
	}
}

// partsFor returns how many free devices are kept for a job, by node: on the node with most if it must be
// on one, else on those with most until there are as many as it asks.
func partsFor(r *engine.Round, e *engine.Entry) map[string]int {
	gang, kept := e.GangAsk(), map[string]int{}
	missing := gang.GPUs.Count
	for missing > 0 {
		best := pool.Room{}
		for _, room := range r.FreePool.ListRooms(e.Partition, gang) {
			if kept[room.NodeName] == 0 && room.DeviceCount > best.DeviceCount {
				best = room
			}
		}
		if best.DeviceCount == 0 {
			break
		}
		kept[best.NodeName] = min(best.DeviceCount, missing)
		if missing -= kept[best.NodeName]; gang.MaxNodes == 1 {
			break
		}
	}
	return kept
}

// besideGuaranteed is an engine.Packer: it finds GPUs of guaranteed jobs for opportunistic ones, the
// least busy first. It serves one round.
type besideGuaranteed struct {
	*classes
	devices *pack.Devices
}

var errNoRoom = errors.New("no GPUs whose guaranteed job keeps its speed beside it")

// oneInTen is how many standard errors below what is expected one in ten is.
const oneInTen = 1.2816

// Pack implements engine.Packer.
func (b *besideGuaranteed) Pack(r *engine.Round, e *engine.Entry) (engine.SharedPlace, error) {
	if !b.Share || !b.isOpportunistic(e) {
		return engine.SharedPlace{}, errNoRoom
	}
	if b.devices == nil {
		b.devices = pack.ListDevices(r)
	}
	var candidates []*pack.Device
	for _, d := range b.devices.Current() {
		if e.AcceptsType(d.Slot.Type) && b.takes(r, d, e) {
			candidates = append(candidates, d)
		}
	}
	slices.SortStableFunc(candidates, func(x, y *pack.Device) int {
		return cmp.Or(cmp.Compare(busy(x), busy(y)), x.Slot.Compare(y.Slot), cmp.Compare(x.Slot.Devices, y.Slot.Devices))
	})
	chosen := choose(r, e, candidates)
	if chosen == nil {
		return engine.SharedPlace{}, errNoRoom
	}
	return b.devices.Share(e, chosen...), nil
}

func busy(d *pack.Device) float64 { return interference.Utilisation(d.Jobs[0].Job).Value }

// takes reports whether the device has one job, a guaranteed one that runs, leaves enough and is expected
// to keep its speed beside the entry.
func (b *besideGuaranteed) takes(r *engine.Round, d *pack.Device, e *engine.Entry) bool {
	host := d.Jobs[0]
	if len(d.Jobs) > 1 || b.isOpportunistic(host) || host.State != policy.Running || d.Slot.Devices == 0 || b.was.isHurt(host.ID) {
		return false
	}
	u, used := interference.Utilisation(host.Job), host.Sharing.UsedMemMB()
	if !u.Known || u.Value >= b.Busy || used <= 0 || float64(used) > b.MemoryMB || e.Sharing.UsedMemMB() <= 0 {
		return false
	}
	return interference.JobBeside(host.Job, e.Job).Low(oneInTen) >= 1-b.Slowdown && pack.Accepts(r, d.Jobs, policy.Alloc{d.Slot}, e)
}

// choose takes the first devices that make a lawful place for the gang: of all, else of the node where the
// busiest of them is least so; nil: there are none.
func choose(r *engine.Round, e *engine.Entry, from []*pack.Device) []*pack.Device {
	n := e.WantedDeviceCount
	if len(from) < n || n == 0 {
		return nil
	}
	if isLawful(r, e, from[:n]) {
		return from[:n]
	}
	byNode := map[string][]*pack.Device{}
	for _, d := range from {
		at := d.Slot.Node + "\x00" + d.Slot.Type
		byNode[at] = append(byNode[at], d)
		if len(byNode[at]) == n && isLawful(r, e, byNode[at]) {
			return byNode[at]
		}
	}
	return nil
}

// isLawful reports whether the gang may run on the devices.
func isLawful(r *engine.Round, e *engine.Entry, on []*pack.Device) bool {
	gang := e.GangAsk()
	gang.GPUs.Type = cmp.Or(gang.GPUs.Type, on[0].Slot.Type)
	return pool.AllowsAlloc(r.FreePool, pack.AllocOf(on), e.Partition, gang)
}
