package generate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"fairbridge/policy"
)

// person is a user; the weight is how much of the GPU time is theirs.
type person struct {
	name, account string
	weight        float64
}

// people are the users of a cluster and their accounts.
type people struct {
	users    []person
	upTo     []float64 // weight of the users up to each
	accounts []policy.Account
}

// newPeople draws n users, their activity spread log-normally by sigma, and
// puts them into so many accounts, of which the largest is some times as active
// as the smallest. An account's shares are what its users use, more or less.
func newPeople(seed int64, n, accounts int, sigma float64) *people {
	r := source(seed, ofPeople)
	p := &people{users: make([]person, n)}
	for i := range p.users {
		p.users[i] = person{name: fmt.Sprintf("user%03d", i+1), weight: math.Exp(sigma * r.NormFloat64())}
	}
	used, room := make([]float64, accounts), make([]float64, accounts)
	for a := range room {
		room[a] = between(r, .3, 1.7)
	}
	for _, i := range byWeight(p.users) {
		a := roomiest(r, used, room)
		used[a] += p.users[i].weight
		p.users[i].account = accountName(a)
	}
	sum := 0.0
	for i := range p.users {
		sum += p.users[i].weight
		p.upTo = append(p.upTo, sum)
	}
	p.accounts = shares(r, used)
	return p
}

// byWeight returns the indices of the users, the most active first.
func byWeight(users []person) []int {
	all := make([]int, len(users))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(users[b].weight, users[a].weight) })
	return all
}

// roomiest returns the account, of two drawn, that is less used for its size.
func roomiest(r *rand.Rand, used, room []float64) int {
	a, b := r.IntN(len(used)), r.IntN(len(used))
	if used[b]/room[b] < used[a]/room[a] {
		return b
	}
	return a
}

// shares gives accounts 70 to 130 % of what their users use, of 100 in all.
func shares(r *rand.Rand, used []float64) []policy.Account {
	sum := 0.0
	for _, u := range used {
		sum += u
	}
	var all []policy.Account
	for i, u := range used {
		all = append(all, policy.Account{Name: accountName(i), Weight: max(math.Round(100*u/sum*between(r, .7, 1.3)), 1)})
	}
	return all
}

func accountName(i int) string { return fmt.Sprintf("lab%02d", i+1) }

// one draws who submits.
func (p *people) one(r *rand.Rand) *person {
	at := r.Float64() * p.upTo[len(p.upTo)-1]
	i, _ := slices.BinarySearch(p.upTo, at)
	return &p.users[i]
}
