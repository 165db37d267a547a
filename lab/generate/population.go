package generate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"fairbridge/policy"
)

// user is a user; the weight is how much of the GPU time is theirs.
type user struct {
	name, account string
	weight        float64
}

// population are the users of a cluster and their accounts.
type population struct {
	users             []user
	cumulativeWeights []float64 // weight of the users up to each
	accounts          []policy.Account
}

// newPopulation draws n users, their activity spread log-normally by sigma, and
// puts them into so many accounts, of which the largest is some times as active
// as the smallest. An account's shares are what its users use, more or less.
func newPopulation(seed int64, n, accounts int, sigma float64) *population {
	r := newRandom(seed, peopleRandomStream)
	p := &population{users: make([]user, n)}
	for i := range p.users {
		p.users[i] = user{name: fmt.Sprintf("user%03d", i+1), weight: math.Exp(sigma * r.NormFloat64())}
	}
	used, room := make([]float64, accounts), make([]float64, accounts)
	for a := range room {
		room[a] = drawUniform(r, .3, 1.7)
	}
	for _, i := range indicesByWeight(p.users) {
		a := pickEmptierAccount(r, used, room)
		used[a] += p.users[i].weight
		p.users[i].account = accountName(a)
	}
	sum := 0.0
	for i := range p.users {
		sum += p.users[i].weight
		p.cumulativeWeights = append(p.cumulativeWeights, sum)
	}
	p.accounts = drawAccounts(r, used)
	return p
}

// indicesByWeight returns the indices of the users, the most active first.
func indicesByWeight(users []user) []int {
	all := make([]int, len(users))
	for i := range all {
		all[i] = i
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(users[b].weight, users[a].weight) })
	return all
}

// pickEmptierAccount returns the account, of two drawn, that is less used for its size.
func pickEmptierAccount(r *rand.Rand, used, room []float64) int {
	a, b := r.IntN(len(used)), r.IntN(len(used))
	if used[b]/room[b] < used[a]/room[a] {
		return b
	}
	return a
}

// drawAccounts gives accounts 70 to 130 % of what their users use, of 100 in all.
func drawAccounts(r *rand.Rand, used []float64) []policy.Account {
	sum := 0.0
	for _, u := range used {
		sum += u
	}
	var all []policy.Account
	for i, u := range used {
		all = append(all, policy.Account{Name: accountName(i), Weight: max(math.Round(100*u/sum*drawUniform(r, .7, 1.3)), 1)})
	}
	return all
}

func accountName(i int) string { return fmt.Sprintf("lab%02d", i+1) }

// pickUser draws who submits.
func (p *population) pickUser(r *rand.Rand) *user {
	at := r.Float64() * p.cumulativeWeights[len(p.cumulativeWeights)-1]
	i, _ := slices.BinarySearch(p.cumulativeWeights, at)
	return &p.users[i]
}
