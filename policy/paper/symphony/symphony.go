// Package symphony infers how much of its GPUs each job really uses from counters that err, fail and come
// late, and decides by that belief and by how sure it is, not by the counters.
//
// S. S. Banerjee, S. Jha, Z. T. Kalbarczyk, R. K. Iyer, "Inductive-bias-driven Reinforcement Learning
// for Efficient Schedules in Heterogeneous Clusters", ICML 2020.
//
// The paper feeds its belief to a network that places kernels within microseconds. Here the belief is an exact
// linear-Gaussian filter (package policy/belief), and whom a job joins is a rule that can be read.
package symphony

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/belief"
	"fairbridge/policy/engine"
	"fairbridge/policy/interference"
	"fairbridge/policy/order"
	"fairbridge/policy/pack"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/antman"
	"fairbridge/policy/paper/lucid"
	"fairbridge/policy/predict"
)

// Values of Policy.Packs.
const (
	packsByRisk = "risk"
	packsLucid  = "lucid"
	packsAntMan = "antman"
)

// Policy is Symphony with its parameters.
type Policy struct {
	Packs   string        `param:"packs" choices:"risk,lucid,antman" default:"risk" help:"who decides by what is believed: risk, its own rule; lucid or antman, that policy with its defaults"`
	Noise   float64       `param:"noise" default:"0.2" min:"0" max:"2" help:"standard error of a reading of a GPU's utilisation, as a part of it; 0: the latest reading is believed"`
	Drift   float64       `param:"drift" default:"0.1" min:"0" max:"1" help:"by how much, 0..1, what a job uses changes in an hour: standard error"`
	Delay   time.Duration `param:"delay" default:"1m" help:"how old readings may be"`
	Caution float64       `param:"caution" default:"0.5" min:"0" help:"how many standard errors of the expected loss are added to it"`
	MaxLoss float64       `param:"max_loss" default:"0.15" min:"0" max:"1" help:"how much of its speed a job that shares GPUs may be expected to lose, caution included"`
	paper.MaxWaitParam
	corrector *belief.Corrector // nil: what the filter believes counts
	source    string            // whose belief counts, for reasons; "": they do not say
}

// WithCorrector returns the policy with what the filter believes corrected; nil: as it is. Reasons name the corrector, and what the
// filter is believed for in its place; without one they name source.
func WithCorrector(p *Policy, c *belief.Corrector, source string) *Policy {
	with := *p
	with.corrector, with.source = c, source
	return &with
}

// memory is what is remembered: what is believed, and what the policy that decides by it remembers.
type memory struct {
	Belief belief.State `json:"belief"`
	Track  belief.Track `json:"track,omitzero"` // of corrections
	Packs  policy.Memo  `json:"packs,omitzero"`
}

// Decide implements policy.Policy.
func (p *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	was, err := policy.Recall[memory](s.Memo)
	if err != nil {
		return nil, fmt.Errorf("policy symphony: %w", err)
	}
	next, told, source := p.believe(was, s)
	told.Memo = was.Packs
	decider, err := p.decider()
	if err != nil {
		return nil, fmt.Errorf("policy symphony: %w", err)
	}
	plan, err := decider.Decide(told)
	if err != nil {
		return nil, err
	}
	next.Packs = plan.Memo
	plan.Policy, plan.Memo = "symphony", policy.Remember(next)
	for i := range plan.Decisions {
		if d := &plan.Decisions[i]; source != "" && d.Why != "" {
			d.Why += "; what jobs use of their GPUs: by " + source
		}
	}
	return plan, nil
}

// believe infers what jobs use. It returns what is to be remembered of that, and the snapshot as it is to be decided by.
func (p *Policy) believe(was memory, s *policy.Snapshot) (next memory, told *policy.Snapshot, source string) {
	model := belief.Model{Noise: p.Noise, Drift: p.Drift, Delay: p.Delay}
	if p.corrector == nil {
		next.Belief, told = model.Update(was.Belief, s)
		return next, told, p.source
	}
	next.Belief, next.Track, told, source = model.UpdateCorrected(was.Belief, was.Track, s, *p.corrector)
	return next, told, source
}

// decider is what decides by what is believed.
func (p *Policy) decider() (policy.Policy, error) {
	switch p.Packs {
	case packsLucid:
		return lucid.System().New(nil)
	case packsAntMan:
		return antman.System().New(nil)
	}
	return engine.Pipeline{
		Name:     "symphony",
		Predict:  predict.Ladder{},
		Order:    order.ByArrival{},
		Pack:     &besideCalmest{Policy: p},
		Backfill: backfill.EASY{},
		Rules:    p.Rules(),
	}, nil
}

// System describes Symphony in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "symphony", Title: "Symphony: whom a job joins by what is believed of noisy counters", Venue: "ICML", Year: 2020,
		Cite:         `S. S. Banerjee, S. Jha, Z. T. Kalbarczyk, R. K. Iyer, "Inductive-bias-driven Reinforcement Learning for Efficient Schedules in Heterogeneous Clusters", ICML 2020`,
		Idea:         "Infer what jobs really use of their GPUs from counters that err, fail and come late, and let a job join the one beside which it is sure to lose least.",
		OwnStages:    []string{"predict", "order", "pack", "backfill"},
		NeededInputs: []string{"readings of how much of the time GPUs compute, of jobs or nodes (to share)", "the memory a job uses on a GPU, and that of the GPUs (to share)"},
		Fallback:     "a job of which nothing was read, declared or known of its kind shares GPUs with none; first come, first served with EASY is left",
		Reproduced: "on readings that err by a fifth, of which a tenth fail and the others are up to three minutes late, five drawn days: beliefs err by .44 of what readings do (.44 to .45), and the part of pairs that are wrong is " +
			".13 of that by the latest readings (0 to .28), of .94 as many pairs; what Slurm does alone takes 1.85 times as long in the mean (1.39 to 2.46; the paper, of kernels: up to 2.2)",
		Deviations: []string{
			"What is believed is found exactly by a linear-Gaussian filter; the paper samples from a Bayesian network of the counters of a machine.",
			"Whom a job joins is a rule: the least expected loss and half a standard error of it. The paper's network that learns to place kernels works within microseconds on CPUs, GPUs and FPGAs; what of it is trained here is symphony-net.",
			"Of the counters only the utilisation of GPUs is used, of jobs and of whole nodes. What links memory bandwidth, PCIe and network counters has no reading yet.",
			"When a reading was taken is not known to it: all are taken to be up to delay old.",
		},
		SimulatorParams: paper.Params{"max_wait": "0s"},
	})
}

// mostWeighed is how many hosts that suit a job are weighed against each other, the calmest first.
const mostWeighed = 64

var errNoCalmHost = errors.New("no running job that is alone on as many GPUs is sure to be slowed so little by this one")

// besideCalmest is an engine.Packer of one round: a job joins the running one with which it loses least,
// caution included.
type besideCalmest struct {
	*Policy
	hosts map[int][]*engine.Entry // alone on so many devices and not joined yet, the calmest first; nil: not listed yet
}

// Pack implements engine.Packer.
func (b *besideCalmest) Pack(r *engine.Round, e *engine.Entry) (engine.SharedPlace, error) {
	if !mayShare(e) {
		return engine.SharedPlace{}, errNoCalmHost
	}
	if b.hosts == nil {
		b.listHosts(r)
	}
	list := b.hosts[e.WantedDeviceCount]
	best, least, weighed := -1, b.MaxLoss, 0
	for i, h := range list {
		loss, sigma := interference.Risk(h.Job, e.Job)
		if loss += b.Caution * sigma; loss > least || best >= 0 && loss == least || !pack.JoinsSingle(r, h, e) {
			continue
		}
		best, least = i, loss
		if weighed++; weighed == mostWeighed || loss == 0 {
			break
		}
	}
	if best < 0 {
		return engine.SharedPlace{}, errNoCalmHost
	}
	h := list[best]
	b.hosts[e.WantedDeviceCount] = slices.Delete(list, best, best+1)
	return engine.SharedPlace{On: slices.Clone(h.On), Beside: h.ID}, nil
}

// listHosts lists the jobs that may be joined.
func (b *besideCalmest) listHosts(r *engine.Round) {
	b.hosts = map[int][]*engine.Entry{}
	for _, h := range pack.Singles(r) {
		if mayShare(h) && pack.KnowsMemory(r, h.On) {
			b.hosts[h.On.Count()] = append(b.hosts[h.On.Count()], h)
		}
	}
	for _, list := range b.hosts {
		slices.SortStableFunc(list, func(x, y *engine.Entry) int { return cmp.Compare(usedBy(x), usedBy(y)) })
	}
}

// mayShare reports whether the job may share GPUs: its owner accepts that, and what it uses of them is known.
func mayShare(e *engine.Entry) bool {
	return e.Shareable && e.Sharing.UsedMemMB() > 0 && interference.Utilisation(e.Job).Known && (!e.HoldsGPUs() || e.State == policy.Running)
}

func usedBy(e *engine.Entry) float64 { return interference.Utilisation(e.Job).Value }
