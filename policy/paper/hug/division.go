package hug

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/share"
	"fairbridge/policy/solve/fair"
)

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
