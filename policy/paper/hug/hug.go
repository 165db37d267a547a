// Package hug guarantees every account the same progress on all resources together,
// as much of it as possible, and hands out what that leaves without breaking
// the guarantee: within it jobs may displace others, beyond it they run while
// there is room.
//
// M. Chowdhury, Z. Liu, A. Ghodsi, I. Stoica, "HUG: Multi-Resource Fairness for
// Correlated and Elastic Demands", NSDI 2016.
package hug

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/paper"
	"fairbridge/policy/preempt"
	"fairbridge/policy/share"
	"fairbridge/policy/solve/fair"
)

// Policy is HUG with its parameters.
type Policy struct {
	Cooperative bool          `param:"cooperative" default:"true" help:"accounts may use all that the guarantees leave; false: nothing beyond their guaranteed progress, so that misstating demands wins nothing"`
	Memory      time.Duration `param:"memory" default:"24h" min:"1" help:"time over which the mix of resources an account uses is averaged"`
	Preempt     bool          `param:"preempt" default:"true" help:"stop jobs beyond their account's guarantee for jobs within theirs"`
	paper.Limits
}

// Decide implements policy.Policy.
func (h *Policy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	vectors, err := policy.Recall[correlations](s.Memo)
	if err == nil {
		err = vectors.validate()
	}
	if err != nil {
		return nil, fmt.Errorf("policy hug: reading what was remembered: %w", err)
	}
	d := &resourceDivision{isCooperative: h.Cooperative, averagingTime: h.Memory, correlations: vectors}
	p := engine.Pipeline{
		Name:     "hug",
		Admit:    d,
		Order:    d,
		Backfill: backfill.Greedy{},
		Rules:    h.Rules(),
	}
	if h.Preempt {
		p.Preempt = preempt.ByTier(func(r *engine.Round, e *engine.Entry) int { return min(int(d.entitlementByEntry[e.Index]), 1) })
	}
	plan, err := p.Decide(s)
	if err != nil {
		return nil, err
	}
	plan.Memo = policy.Remember(d.correlations)
	return plan, nil
}

// System describes HUG in the catalogue.
func System() paper.System {
	return paper.DescribeSystem(new(Policy), paper.System{
		Name: "hug", Title: "High Utilisation with Guarantees", Venue: "NSDI", Year: 2016,
		Cite:         `M. Chowdhury et al., "HUG: Multi-Resource Fairness for Correlated and Elastic Demands", NSDI 2016`,
		Idea:         "Guarantee all accounts the same progress on all resources together, then lend out the rest.",
		OwnStages:    []string{"admit", "order", "backfill", "preempt"},
		NeededInputs: []string{"GPUs, cores and memory asked", "account weights"},
		Fallback:     "an account without history counts with what its waiting jobs ask; with one scarce resource it is plain fair share",
		Reproduced:   "the worked examples of both stages, cooperative or not; no gain from misstating demands; at the least progress that DRF gives, 49 points more of the less scarce of two GPU types in use (three accounts, median of 7 seeds)",
		Deviations: []string{
			"The resources are GPUs by type, cores and memory; the paper's are mostly the links of a network, which Slurm does not schedule.",
			"Jobs are not divisible: an account has its guarantee but for a job.",
			"What accounts ask is what their jobs ask, so that the proof that misstating brings nothing holds for divisible demands only.",
		},
		MayStarve:      true,
		WorkConserving: true,
	})
}

// jobEntitlement says how a job stands to what its account is due.
type jobEntitlement uint8

const (
	withinGuarantee jobEntitlement = iota // within the guarantee, or the job that exceeds it
	withinCap                             // within what the guarantees leave
	beyondCap
)

// resourceDivision divides a round's resources among accounts and says where each
// job stands.
type resourceDivision struct {
	isCooperative bool
	averagingTime time.Duration
	correlations  correlations

	round              *engine.Round
	entitlementByEntry []jobEntitlement // in Entries order
	accounts           []*account
}

// account is an account with its startable jobs, as places in Entries.
type account struct {
	name             string
	jobIndexes       []int
	demandByResource []float64 // of all its jobs, as fractions of the cluster
	guarantee        fair.Guarantee
}

// Admit implements engine.Admitter: accounts that do not cooperate are held at
// their caps.
func (d *resourceDivision) Admit(r *engine.Round, e *engine.Entry) error {
	d.divideOnce(r)
	if d.isCooperative || d.entitlementByEntry[e.Index] < beyondCap {
		return nil
	}
	return fmt.Errorf("with it account %s would exceed its cap of %s", e.Account, d.describeCap(e.Account))
}

// Order implements engine.Orderer: jobs within the guarantees, jobs within what is
// left, the others; each by least share.
func (d *resourceDivision) Order(r *engine.Round) ([]*engine.Entry, error) {
	d.divideOnce(r)
	line, err := order.BySmallestShare{Meter: share.DominantFairness{}}.Order(r)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(line, func(a, b *engine.Entry) int {
		return int(d.entitlementByEntry[a.Index]) - int(d.entitlementByEntry[b.Index])
	})
	if !r.OmitReasons {
		for _, e := range line {
			e.Note += "; " + [...]string{"within the guarantee of its account", "beyond the guarantee of its account, on what others leave",
				"beyond what its account may count on"}[d.entitlementByEntry[e.Index]]
		}
	}
	return line, nil
}

// divideOnce does the work once a round.
func (d *resourceDivision) divideOnce(r *engine.Round) {
	if d.round == r {
		return
	}
	d.round, d.entitlementByEntry = r, slices.Repeat([]jobEntitlement{beyondCap}, len(r.Entries))
	meter := share.DominantFairness{}
	costs, weights := meter.Costs(r), meter.Weights(r)
	d.collectAccounts(costs)
	d.correlations = d.correlations.update(r, d.accounts, d.averagingTime)
	tenants := make([]fair.Tenant, len(d.accounts))
	for i, a := range d.accounts {
		tenants[i] = fair.Tenant{Weight: weights[a.name], ResourceMix: d.correlations.vectorOfAccount(a.name), MaxUseByResource: a.demandByResource}
	}
	for i, g := range fair.DivideByHUG(tenants, d.isCooperative) {
		d.accounts[i].guarantee = g
		d.setEntitlements(d.accounts[i], costs)
	}
}

// collectAccounts lists the accounts by name, with their jobs by tenure.
func (d *resourceDivision) collectAccounts(costs [][]float64) {
	index := map[string]*account{}
	for i, e := range d.round.Entries {
		if !d.round.MayRun(e) {
			continue
		}
		a := index[e.Account]
		if a == nil {
			a = &account{name: e.Account, demandByResource: make([]float64, len(costs[i]))}
			index[e.Account] = a
			d.accounts = append(d.accounts, a)
		}
		a.jobIndexes = append(a.jobIndexes, i)
		for r, c := range costs[i] {
			a.demandByResource[r] += c * float64(e.TaskCount())
		}
	}
	slices.SortFunc(d.accounts, func(a, b *account) int { return strings.Compare(a.name, b.name) })
	for _, a := range d.accounts {
		slices.SortFunc(a.jobIndexes, func(i, j int) int { return engine.CompareTenure(d.round.Entries[i], d.round.Entries[j]) })
	}
}

// setEntitlements fills the guarantee with the account's jobs, then its cap. The last job
// may exceed the guarantee: gangs do not divide.
func (d *resourceDivision) setEntitlements(a *account, costs [][]float64) {
	const slack = 1e-9 // shares are sums of fractions
	used := make([]float64, len(a.demandByResource))
	for _, i := range a.jobIndexes {
		within, under := true, true
		for r, c := range costs[i] {
			within = within && (c == 0 || used[r] < a.guarantee.FloorByResource[r]-slack)
			under = under && used[r]+c <= a.guarantee.CapByResource[r]+slack
		}
		switch {
		case within:
			d.entitlementByEntry[i] = withinGuarantee
		case under:
			d.entitlementByEntry[i] = withinCap
		default:
			continue
		}
		for r, c := range costs[i] {
			used[r] += c * float64(d.round.Entries[i].TaskCount())
		}
	}
}

// describeCap describes what the account may use.
func (d *resourceDivision) describeCap(name string) string {
	var parts []string
	for _, a := range d.accounts {
		if a.name != name {
			continue
		}
		for r, c := range a.guarantee.CapByResource {
			if c > 0 {
				parts = append(parts, fmt.Sprintf("%.0f %% of %s", 100*c, d.correlations.Resources[r]))
			}
		}
	}
	return strings.Join(parts, ", ")
}

// correlations remembers in which proportions accounts need resources, in the
// paper the correlation vectors of their demands: a mean that follows what their
// jobs ask.
type correlations struct {
	At        time.Time `json:"at"`
	Resources []string  `json:"resources"` // cores, memory, then GPU types
	Accounts  []string  `json:"accounts"`  // sorted
	Vectors   []float64 `json:"mix"`       // row by row
}

// validate looks for what cannot have been remembered.
func (c correlations) validate() error {
	if len(c.Vectors) != len(c.Accounts)*len(c.Resources) || !slices.IsSorted(c.Accounts) {
		return errors.New("the mixes of the accounts are garbled")
	}
	return nil
}

// vectorOfAccount returns that of an account, nil if it is not known.
func (c correlations) vectorOfAccount(account string) []float64 {
	i, ok := slices.BinarySearch(c.Accounts, account)
	if !ok {
		return nil
	}
	return c.Vectors[i*len(c.Resources) : (i+1)*len(c.Resources)]
}

// update moves every account's vector towards what its jobs need now. Accounts
// without jobs keep theirs.
func (c correlations) update(r *engine.Round, accounts []*account, memory time.Duration) correlations {
	n := correlations{At: r.Now, Resources: resourceNames(r.Snapshot)}
	fade := 0.0
	if slices.Equal(n.Resources, c.Resources) {
		fade = math.Exp(-max(r.Now.Sub(c.At), 0).Seconds() / memory.Seconds())
	} else {
		c = correlations{Resources: n.Resources}
	}
	n.Accounts = slices.Clone(c.Accounts)
	for _, a := range accounts {
		if i, known := slices.BinarySearch(n.Accounts, a.name); !known {
			n.Accounts = slices.Insert(n.Accounts, i, strings.Clone(a.name))
		}
	}
	n.Vectors = make([]float64, 0, len(n.Accounts)*len(n.Resources))
	for _, name := range n.Accounts {
		row := make([]float64, len(n.Resources))
		copy(row, c.vectorOfAccount(name))
		i, here := slices.BinarySearchFunc(accounts, name, func(a *account, name string) int { return strings.Compare(a.name, name) })
		if here {
			blendVector(row, accounts[i].demandByResource, fade)
		}
		n.Vectors = append(n.Vectors, row...)
	}
	return n
}

// resourceNames names what share.DominantFairness charges for.
func resourceNames(s *policy.Snapshot) []string {
	names := []string{"cores", "memory"}
	for i := range s.Nodes {
		for _, d := range s.Nodes[i].GPUs {
			at, known := slices.BinarySearch(names[2:], d.Type)
			if !known && s.Nodes[i].DownReason == "" {
				names = slices.Insert(names, 2+at, strings.Clone(d.Type))
			}
		}
	}
	return names
}

// blendVector replaces all of the vector but fade by what is needed now, both scaled so
// that the largest part is 1.
func blendVector(vector, need []float64, fade float64) {
	top := fair.DominantShare(need)
	if top <= 0 {
		return
	}
	if fair.DominantShare(vector) <= 0 {
		fade = 0
	}
	for r := range vector {
		vector[r] = vector[r]*fade + need[r]/top*(1-fade)
	}
}
