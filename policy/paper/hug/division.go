package hug

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
	"fairbridge/policy/share"
	"fairbridge/policy/solve/fair"
)

// hugLevel says how a job stands to what its account is due.
type hugLevel uint8

const (
	hugGuaranteed hugLevel = iota // within the guarantee, or the job that exceeds it
	hugSpare                      // within what the guarantees leave
	hugBeyond
)

// hugDivision divides a round's resources among accounts and says where each
// job stands.
type hugDivision struct {
	cooperative bool
	memory      time.Duration
	mixes       hugMixes

	round    *engine.Round
	levels   []hugLevel // in Entries order
	accounts []*hugAccount
}

// hugAccount is an account with its startable jobs, as places in Entries.
type hugAccount struct {
	name string
	jobs []int
	need []float64 // of all its jobs, as fractions of the cluster
	gets fair.Guarantee
}

// Admit implements engine.Admitter: who does not cooperate is held at its cap.
func (d *hugDivision) Admit(r *engine.Round, e *engine.Entry) error {
	d.divide(r)
	if d.cooperative || d.level(e) < hugBeyond {
		return nil
	}
	return fmt.Errorf("with it account %s would exceed its cap of %s", e.Account, d.cap(e.Account))
}

// Order implements engine.Orderer: those within the guarantees, those within
// what is left, the others; each by least share.
func (d *hugDivision) Order(r *engine.Round) ([]*engine.Entry, error) {
	d.divide(r)
	line, err := order.ByShare{Meter: share.Dominant{}}.Order(r)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(line, func(a, b *engine.Entry) int { return int(d.level(a)) - int(d.level(b)) })
	if !r.Terse {
		for _, e := range line {
			e.Note += "; " + [...]string{"within the guarantee of its account", "beyond the guarantee of its account, on what others leave",
				"beyond what its account may count on"}[d.level(e)]
		}
	}
	return line, nil
}

func (d *hugDivision) level(e *engine.Entry) hugLevel {
	i, ok := slices.BinarySearchFunc(d.round.Entries, e.ID, func(e *engine.Entry, id policy.JobID) int { return int(e.ID - id) })
	if !ok {
		return hugBeyond
	}
	return d.levels[i]
}

// divide does the work once a round.
func (d *hugDivision) divide(r *engine.Round) {
	if d.round == r {
		return
	}
	d.round, d.levels = r, slices.Repeat([]hugLevel{hugBeyond}, len(r.Entries))
	meter := share.Dominant{}
	costs, weights := meter.Costs(r), meter.Weights(r)
	d.gather(costs)
	d.mixes = d.mixes.next(r, d.accounts, d.memory)
	tenants := make([]fair.Tenant, len(d.accounts))
	for i, a := range d.accounts {
		tenants[i] = fair.Tenant{Weight: weights[a.name], Mix: d.mixes.of(a.name), Most: a.need}
	}
	for i, g := range fair.Guarantees(tenants, d.cooperative) {
		d.accounts[i].gets = g
		d.rank(d.accounts[i], costs)
	}
}

// gather lists the accounts by name, with their jobs by tenure.
func (d *hugDivision) gather(costs [][]float64) {
	index := map[string]*hugAccount{}
	for i, e := range d.round.Entries {
		if !d.round.Startable(e) {
			continue
		}
		a := index[e.Account]
		if a == nil {
			a = &hugAccount{name: e.Account, need: make([]float64, len(costs[i]))}
			index[e.Account] = a
			d.accounts = append(d.accounts, a)
		}
		a.jobs = append(a.jobs, i)
		for r, c := range costs[i] {
			a.need[r] += c * float64(e.Count())
		}
	}
	slices.SortFunc(d.accounts, func(a, b *hugAccount) int { return strings.Compare(a.name, b.name) })
	for _, a := range d.accounts {
		slices.SortFunc(a.jobs, func(i, j int) int { return engine.ByTenure(d.round.Entries[i], d.round.Entries[j]) })
	}
}

// rank fills the guarantee with the account's jobs, then its cap. The last job
// may exceed the guarantee: gangs do not divide.
func (d *hugDivision) rank(a *hugAccount, costs [][]float64) {
	const slack = 1e-9 // shares are sums of fractions
	used := make([]float64, len(a.need))
	for _, i := range a.jobs {
		within, under := true, true
		for r, c := range costs[i] {
			within = within && (c == 0 || used[r] < a.gets.Floor[r]-slack)
			under = under && used[r]+c <= a.gets.Cap[r]+slack
		}
		switch {
		case within:
			d.levels[i] = hugGuaranteed
		case under:
			d.levels[i] = hugSpare
		default:
			continue
		}
		for r, c := range costs[i] {
			used[r] += c * float64(d.round.Entries[i].Count())
		}
	}
}

// cap describes what the account may use.
func (d *hugDivision) cap(name string) string {
	var parts []string
	for _, a := range d.accounts {
		if a.name != name {
			continue
		}
		for r, c := range a.gets.Cap {
			if c > 0 {
				parts = append(parts, fmt.Sprintf("%.0f %% of %s", 100*c, d.mixes.Resources[r]))
			}
		}
	}
	return strings.Join(parts, ", ")
}
