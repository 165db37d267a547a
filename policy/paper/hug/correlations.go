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
