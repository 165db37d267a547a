package gandivafair

import (
	"fmt"
	"math"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// passes is what stride scheduling remembers. An account has a pass on every
// GPU type, row by row: GPU-seconds its jobs received there over its tickets
// there, less those of the account with the smallest that has jobs waiting.
type passes struct {
	At                time.Time           `json:"at"`
	Types             []string            `json:"types"`
	Accounts          []string            `json:"accounts"` // sorted
	PassByAccountType []float64           `json:"pass"`     // accounts by types
	Tickets           []float64           `json:"tickets"`  // likewise, in GPUs: as of the last round
	Jobs              []policy.JobID      `json:"jobs"`     // sorted
	AccountOfJob      []int               `json:"account"`  // of each job
	Service           []float64           `json:"turn"`     // GPU-seconds it received, and what it is not to catch up
	Attained          []policy.GPUSeconds `json:"attained"`
	LastTypeOfJob     []int               `json:"type"` // it ran on last, from 1; 0: none
	GPUsToHold        []int               `json:"gpus"` // it was to hold since the last round
}

func recallPasses(s *policy.Snapshot) (*passes, error) {
	p, err := policy.Recall[*passes](s.Memo)
	if err != nil || p == nil {
		return &passes{}, err
	}
	n, w := len(p.Jobs), len(p.Accounts)*len(p.Types)
	if !slices.IsSorted(p.Jobs) || !slices.IsSorted(p.Accounts) || len(p.AccountOfJob) != n || len(p.Service) != n || len(p.Attained) != n ||
		len(p.LastTypeOfJob) != n || len(p.GPUsToHold) != n || len(p.PassByAccountType) != w || len(p.Tickets) != w {
		return nil, fmt.Errorf("reading what was remembered: lists of %d jobs, %d accounts and %d types do not go together", n, len(p.Accounts), len(p.Types))
	}
	for i := range p.Jobs {
		if p.AccountOfJob[i] < 0 || p.AccountOfJob[i] >= len(p.Accounts) || p.LastTypeOfJob[i] < 0 || p.LastTypeOfJob[i] > len(p.Types) {
			return nil, fmt.Errorf("reading what was remembered: job %d has account %d and type %d", p.Jobs[i], p.AccountOfJob[i], p.LastTypeOfJob[i])
		}
	}
	return p, nil
}

// update adds what every job received since the last round to its service and to its
// account's pass. Accounts stay while they have jobs, or received more than
// others.
func (p *passes) update(r *engine.Round, types []string) *passes {
	if !slices.Equal(types, p.Types) {
		p = &passes{Types: types}
	}
	size := len(r.Entries)
	n := &passes{At: r.Now, Types: types, Jobs: make([]policy.JobID, size), AccountOfJob: make([]int, size), Service: make([]float64, size),
		Attained: make([]policy.GPUSeconds, size), LastTypeOfJob: make([]int, size), GPUsToHold: make([]int, size)}
	n.setAccounts(r, p)
	charged, known, at := slices.Clone(p.PassByAccountType), make([]bool, size), 0
	for i, e := range r.Entries {
		n.Jobs[i], n.Attained[i] = e.ID, e.Attained
		n.AccountOfJob[i], _ = slices.BinarySearch(n.Accounts, e.Account)
		for ; at < len(p.Jobs) && p.Jobs[at] < e.ID; at++ {
			p.chargeEndedJob(charged, at, r.Now)
		}
		if known[i] = at < len(p.Jobs) && p.Jobs[at] == e.ID; known[i] {
			n.carryOverJob(i, p, at, e, charged)
			at++
		} else if len(e.On) > 0 {
			n.LastTypeOfJob[i] = slices.Index(types, e.On.FirstType()) + 1
		}
	}
	for ; at < len(p.Jobs); at++ {
		p.chargeEndedJob(charged, at, r.Now)
	}
	n.copyPasses(p, charged)
	n.setNewJobsService(known)
	return n
}

// setAccounts notes the accounts with jobs and those remembered with a pass above
// the others'.
func (p *passes) setAccounts(r *engine.Round, old *passes) {
	w := len(p.Types)
	for a, name := range old.Accounts {
		if w > 0 && slices.Max(old.PassByAccountType[a*w:a*w+w]) > 0 {
			p.Accounts = append(p.Accounts, name)
		}
	}
	last := ""
	for i, e := range r.Entries {
		if i == 0 || e.Account != last {
			p.Accounts, last = append(p.Accounts, e.Account), e.Account
		}
	}
	slices.Sort(p.Accounts)
	p.Accounts = slices.Compact(p.Accounts)
	p.PassByAccountType, p.Tickets = make([]float64, len(p.Accounts)*w), make([]float64, len(p.Accounts)*w)
}

// carryOverJob takes a job's service over and adds what it received.
func (p *passes) carryOverJob(i int, old *passes, was int, e *engine.Entry, charged []float64) {
	if p.LastTypeOfJob[i] = old.LastTypeOfJob[was]; len(e.On) > 0 {
		p.LastTypeOfJob[i] = slices.Index(p.Types, e.On.FirstType()) + 1
	}
	got := float64(e.ServiceSinceAttained(old.Attained[was]))
	p.Service[i] = old.Service[was] + got
	old.chargeAccount(charged, was, p.LastTypeOfJob[i], got)
}

// chargeEndedJob charges the account of a job that ended since the last round, it is not
// known when: half of the time, as is so on average.
func (p *passes) chargeEndedJob(charged []float64, was int, now time.Time) {
	p.chargeAccount(charged, was, p.LastTypeOfJob[was], float64(p.GPUsToHold[was])*max(now.Sub(p.At), 0).Seconds()/2)
}

func (p *passes) chargeAccount(charged []float64, was, typ int, got float64) {
	if k := p.AccountOfJob[was]*len(p.Types) + typ - 1; typ > 0 && p.Tickets[k] > 0 {
		charged[k] += got / p.Tickets[k]
	}
}

// copyPasses takes the accounts' passes and tickets over.
func (p *passes) copyPasses(old *passes, charged []float64) {
	w := len(p.Types)
	for a, name := range old.Accounts {
		if i, found := slices.BinarySearch(p.Accounts, name); found {
			copy(p.PassByAccountType[i*w:i*w+w], charged[a*w:a*w+w])
			copy(p.Tickets[i*w:i*w+w], old.Tickets[a*w:a*w+w])
		}
	}
}

// setNewJobsService gives new jobs the smallest service of their account: they do not go
// before the others until they have received as much.
func (p *passes) setNewJobsService(known []bool) {
	least := make([]float64, len(p.Accounts))
	for a := range least {
		least[a] = math.Inf(1)
	}
	for i, a := range p.AccountOfJob {
		if known[i] {
			least[a] = min(least[a], p.Service[i])
		}
	}
	for i, a := range p.AccountOfJob {
		if !known[i] && !math.IsInf(least[a], 1) {
			p.Service[i] = least[a]
		}
	}
}

// subtractLeastPass takes the smallest pass of the accounts with jobs waiting off
// all: it is where new accounts begin. Where no job waits all begin anew.
func (p *passes) subtractLeastPass(waits []bool) {
	w := len(p.Types)
	for k := range w {
		least := math.Inf(1)
		for a := range p.Accounts {
			if waits[a*w+k] {
				least = min(least, p.PassByAccountType[a*w+k])
			}
		}
		for a := range p.Accounts {
			if p.PassByAccountType[a*w+k] -= least; math.IsInf(least, 1) {
				p.PassByAccountType[a*w+k] = 0
			}
		}
	}
}

// renewTickets gives the accounts new tickets. What they received too much or too
// little stays the same in GPU-seconds; it is too little by one quantum at most.
func (p *passes) renewTickets(tickets, quantum []float64) {
	for i, n := range tickets {
		if n <= 0 {
			p.PassByAccountType[i] = 0
		} else {
			p.PassByAccountType[i] = max(p.PassByAccountType[i]*p.Tickets[i]/n, -quantum[i%len(p.Types)])
		}
	}
	p.Tickets = tickets
}

// noteHoldings notes what every job is to hold from now on.
func (p *passes) noteHoldings(plan *policy.Plan) {
	for i, d := range plan.Decisions {
		switch d.Verb {
		case policy.Keep, policy.Start, policy.Move, policy.Resize:
			if p.GPUsToHold[i] = d.On.Count(); p.GPUsToHold[i] > 0 {
				p.LastTypeOfJob[i] = slices.Index(p.Types, d.On.FirstType()) + 1
			}
		}
	}
}
