package share

import (
	"fairbridge/policy"
)

// PersonWeights returns, in the order of want, how much each person counts: what its account counts, by
// WeightsAmong, divided by weight among those of the account that want something too. The
// weights of all persons in want add up to one. A user whom the snapshot does not know, or of
// whom it has no weight, has one share. It goes through want in its order, so that sums
// are always rounded alike.
func PersonWeights(s *policy.Snapshot, want []Person) []float64 {
	accounts, shares, sums := map[string]bool{}, userShares(s), map[string]float64{}
	weights := make([]float64, len(want))
	for i, p := range want {
		weights[i] = shareOrOne(shares[p])
		accounts[p.Account] = true
		sums[p.Account] += weights[i]
	}
	ofAccount := WeightsAmong(s, accounts)
	for i, p := range want {
		weights[i] = ofAccount[p.Account] * weights[i] / sums[p.Account]
	}
	return weights
}

// userShares returns the shares of the users that have a weight, within their accounts.
func userShares(s *policy.Snapshot) map[Person]float64 {
	shares := map[Person]float64{}
	for i := range s.Users {
		if u := &s.Users[i]; u.Weight != 0 {
			shares[Person{u.Account, u.Name}] = u.Weight
		}
	}
	return shares
}
