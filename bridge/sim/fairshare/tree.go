package fairshare

import (
	"cmp"
	"math"
	"slices"
)

// FairTreeFactor is the factor by Slurm's Fair Tree, its default: accounts stand by what they used
// over their shares, the users of each by what they used, and a user's factor is the part of all
// users that do not stand before it. Users of accounts that stand alike are one row; who stands
// alike has the same factor. Counted is who used something, or was asked about before. After
// "Fair Tree Fairshare Algorithm" in Slurm's documentation.
func (u *Usage) FairTreeFactor(a Association) float64 {
	u.AddUse(a, 0)
	levels := u.treeLevels()
	return treeFactor(levels, levels[slices.IndexFunc(levels, func(l treeLevel) bool { return l.Association == a })])
}

// KnownFactors returns the factors of all associations that are counted: Fair Tree ranks them at one
// moment. By the classic formula each is worked out when it is asked for, and none is here.
func (u *Usage) KnownFactors(byFairTree bool) map[Association]float64 {
	factors := map[Association]float64{}
	if byFairTree {
		levels := u.treeLevels()
		for _, l := range levels {
			factors[l.Association] = treeFactor(levels, l)
		}
	}
	return factors
}

// treeFactor is the part of all that do not stand before one of them.
func treeFactor(levels []treeLevel, mine treeLevel) float64 {
	before := 0
	for _, l := range levels {
		if compareTreeLevels(l, mine) < 0 {
			before++
		}
	}
	return float64(len(levels)-before) / float64(len(levels))
}

// treeLevel is how an association stands: by its account first, then within it.
type treeLevel struct {
	Association
	account, user float64 // the part of the shares over the part of the use, among siblings; more goes first
}

// compareTreeLevels says which goes first.
func compareTreeLevels(x, y treeLevel) int {
	return cmp.Or(cmp.Compare(y.account, x.account), cmp.Compare(y.user, x.user))
}

// treeLevels returns how all that used or asked anything stand.
func (u *Usage) treeLevels() []treeLevel {
	all := u.listAssociations()
	used, mates, total := map[string]float64{}, map[string]float64{}, 0.0
	for _, k := range all {
		used[k.Account] += u.usedByAssociation[k]
		mates[k.Account]++
		total += u.usedByAssociation[k]
	}
	levels := make([]treeLevel, len(all))
	for i, k := range all {
		levels[i] = treeLevel{k, shareOverUse(u.accountShare(k.Account), used[k.Account], total), shareOverUse(1/mates[k.Account], u.usedByAssociation[k], used[k.Account])}
	}
	return levels
}

// shareOverUse is infinite where nothing was used.
func shareOverUse(share, used, usedByAll float64) float64 {
	if used == 0 {
		return math.Inf(1)
	}
	return share / (used / usedByAll)
}
