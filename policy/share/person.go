package share

import (
	"fairbridge/policy"
)

// PersonWeights returns how much each person in want counts: what its account counts, by
// WeightsAmong, divided by weight among those of the account that want something too. The
// weights of all persons in want add up to one. A user whom the snapshot does not know, or of
// whom it has no weight, has one share. It goes through want in its order, so that sums
// are always rounded alike.
func PersonWeights(s *policy.Snapshot, want []Person) map[Person]float64 {
	accounts, shares, sums := map[string]bool{}, userShares(s), map[string]float64{}
	for _, p := range want {
		accounts[p.Account] = true
		sums[p.Account] += shareOrOne(shares[p])
	}
	ofAccount := WeightsAmong(s, accounts)
	weights := make(map[Person]float64, len(want))
	for _, p := range want {
		weights[p] = ofAccount[p.Account] * shareOrOne(shares[p]) / sums[p.Account]
	}
	return weights
}

// userShares returns the shares of every user the snapshot has within its account.
func userShares(s *policy.Snapshot) map[Person]float64 {
	shares := make(map[Person]float64, len(s.Users))
	for _, u := range s.Users {
		shares[Person{u.Account, u.Name}] = u.Weight
	}
	return shares
}
