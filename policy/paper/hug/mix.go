package hug

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/solve/fair"
)

// hugMixes remembers in which proportions accounts need resources: a mean that
// follows what their jobs ask.
type hugMixes struct {
	At        time.Time `json:"at"`
	Resources []string  `json:"resources"` // cores, memory, then GPU types
	Accounts  []string  `json:"accounts"`  // sorted
	Mix       []float64 `json:"mix"`       // row by row
}

func (m hugMixes) check() error {
	if len(m.Mix) != len(m.Accounts)*len(m.Resources) || !slices.IsSorted(m.Accounts) {
		return errors.New("the mixes of the accounts are garbled")
	}
	return nil
}

// of returns the mix of an account, nil if it is not known.
func (m hugMixes) of(account string) []float64 {
	i, ok := slices.BinarySearch(m.Accounts, account)
	if !ok {
		return nil
	}
	return m.Mix[i*len(m.Resources) : (i+1)*len(m.Resources)]
}

// next moves every account's mix towards what its jobs need now. Accounts
// without jobs keep theirs.
func (m hugMixes) next(r *engine.Round, accounts []*hugAccount, memory time.Duration) hugMixes {
	n := hugMixes{At: r.Now, Resources: hugResources(r.Snapshot)}
	fade := 0.0
	if slices.Equal(n.Resources, m.Resources) {
		fade = math.Exp(-max(r.Now.Sub(m.At), 0).Seconds() / memory.Seconds())
	} else {
		m = hugMixes{Resources: n.Resources}
	}
	n.Accounts = slices.Clone(m.Accounts)
	for _, a := range accounts {
		if i, known := slices.BinarySearch(n.Accounts, a.name); !known {
			n.Accounts = slices.Insert(n.Accounts, i, strings.Clone(a.name))
		}
	}
	n.Mix = make([]float64, 0, len(n.Accounts)*len(n.Resources))
	for _, name := range n.Accounts {
		row := make([]float64, len(n.Resources))
		copy(row, m.of(name))
		i, here := slices.BinarySearchFunc(accounts, name, func(a *hugAccount, name string) int { return strings.Compare(a.name, name) })
		if here {
			lean(row, accounts[i].need, fade)
		}
		n.Mix = append(n.Mix, row...)
	}
	return n
}

// hugResources names what share.Dominant charges for.
func hugResources(s *policy.Snapshot) []string {
	names := []string{"cores", "memory"}
	for i := range s.Nodes {
		for _, d := range s.Nodes[i].GPUs {
			at, known := slices.BinarySearch(names[2:], d.Type)
			if !known && s.Nodes[i].Down == "" {
				names = slices.Insert(names, 2+at, strings.Clone(d.Type))
			}
		}
	}
	return names
}

// lean replaces all of the old mix but fade by the new one, both scaled so that
// the largest part is 1.
func lean(mix, need []float64, fade float64) {
	top := fair.DominantShare(need)
	if top <= 0 {
		return
	}
	if fair.DominantShare(mix) <= 0 {
		fade = 0
	}
	for r := range mix {
		mix[r] = mix[r]*fade + need[r]/top*(1-fade)
	}
}
