package interleave

import (
	"slices"

	"fairbridge/policy/solve/blossom"
)

const (
	// maxRounds is how often packs are matched.
	maxRounds = 4
	// maxMatchedPacks is how many packs of as many GPUs are matched at once, those whose turn is
	// first among themselves: the time a matching takes grows with the cube of their number.
	maxMatchedPacks = 48
)

// Grouping makes packs of jobs until they fit on the GPUs there are, those together that use
// resources best: rounds of matchings of the largest weight between packs of as many GPUs.
type Grouping struct {
	Jobs       []Job // what is known of each
	GPUs       []int // that each of them runs on
	TotalGPUs  int   // there are for them
	MaxPerPack int   // jobs of a pack; at most, and 0: MaxJobs
	// MayShare says whether the jobs of two packs may share GPUs; nil: all may.
	MayShare func(a, b []int) bool
	Times    *Times
}

// pack is jobs that share GPUs, by their index.
type pack struct {
	jobs   []int
	kinds  packKinds
	stages float64 // the sum of all their stages, seconds
}

// Group makes larger packs of the packs, jobs given by their index, in order of their turn. It
// merges no more of them than it takes for all to fit, but orders them as they are merged.
func (g *Grouping) Group(packs [][]int) [][]int {
	if g.MaxPerPack <= 0 || g.MaxPerPack > MaxJobs {
		g.MaxPerPack = MaxJobs
	}
	sizes, bySize, demand := g.divideBySize(packs)
	for round := 0; round < maxRounds && (round == 0 || demand > g.TotalGPUs); round++ {
		mates := make([][]int, len(sizes))
		for k := range sizes {
			mates[k] = g.match(bySize[k])
		}
		for k, gpus := range sizes {
			bySize[k] = g.merge(bySize[k], mates[k], gpus, &demand)
		}
	}
	var out [][]int
	for _, packs := range bySize {
		for _, p := range packs {
			out = append(out, p.jobs)
		}
	}
	return out
}

// divideBySize lists the packs by the number of their GPUs, in the order in which the numbers come up,
// and returns how many GPUs they want in all.
func (g *Grouping) divideBySize(packs [][]int) (sizes []int, bySize [][]pack, demand int) {
	for _, jobs := range packs {
		gpus := g.GPUs[jobs[0]]
		k := slices.Index(sizes, gpus)
		if k < 0 {
			k, sizes, bySize = len(sizes), append(sizes, gpus), append(bySize, nil)
		}
		bySize[k], demand = append(bySize[k], g.newPack(jobs)), demand+gpus
	}
	return sizes, bySize, demand
}

func (g *Grouping) newPack(jobs []int) pack {
	p := pack{jobs: jobs}
	for i, j := range jobs {
		p.kinds[MaxJobs-1-i] = g.Times.kindOf(g.Jobs[j])
		p.stages += g.Jobs[j].Stages.sum()
	}
	slices.Sort(p.kinds[:])
	return p
}

// match returns for each of the packs the one it is best merged with; -1: none.
func (g *Grouping) match(packs []pack) []int {
	mates := make([]int, 0, len(packs))
	for len(packs) > len(mates) {
		from := len(mates)
		some := packs[from:min(len(packs), from+maxMatchedPacks)]
		var edges []blossom.Edge
		for a := range some {
			for b := range a {
				if w := g.weight(some[b], some[a]); w > 0 {
					edges = append(edges, blossom.Edge{A: b, B: a, Weight: w})
				}
			}
		}
		for _, mate := range blossom.Match(len(some), edges) {
			if mate >= 0 {
				mate += from
			}
			mates = append(mates, mate)
		}
	}
	return mates
}

// weight is what merging two packs is worth; 0: they cannot be.
func (g *Grouping) weight(a, b pack) float64 {
	if len(a.jobs)+len(b.jobs) > g.MaxPerPack || g.MayShare != nil && !g.MayShare(a.jobs, b.jobs) {
		return 0
	}
	seconds := g.Times.ofKinds(a.kinds.with(b.kinds))
	if seconds <= 0 {
		return 0
	}
	return (a.stages + b.stages) / (MaxJobs * seconds)
}

// with returns the kinds of both packs, which are at most MaxJobs.
func (k packKinds) with(other packKinds) packKinds {
	for i := 0; i < MaxJobs && k[i] == 0; i++ {
		k[i] = other[MaxJobs-1-i]
	}
	slices.Sort(k[:])
	return k
}

// merge merges the packs with their mates as long as too many GPUs are wanted. Mates stand next to
// each other where the first of them stood.
func (g *Grouping) merge(packs []pack, mates []int, gpus int, demand *int) []pack {
	var out []pack
	for i, p := range packs {
		switch mate := mates[i]; {
		case mate < 0:
			out = append(out, p)
		case mate > i: // stands with the later one
		case *demand > g.TotalGPUs:
			other := packs[mate]
			out = append(out, pack{slices.Concat(other.jobs, p.jobs), p.kinds.with(other.kinds), p.stages + other.stages})
			*demand -= gpus
		default:
			out = append(out, packs[mate], p)
		}
	}
	return out
}
