package sizes_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"fairbridge/policy/solve/sizes"
)

// genetic is a small genetic search, as Pollux has it: rows of devices by bin, crossed at one
// item, mutated, repaired, the better ones kept. It returns the least cost it finds.
func genetic(p *sizes.Problem, population, generations int, rng *rand.Rand) float64 {
	g := &geneticSearch{p, rng}
	base := g.now()
	all := make([]individual, population)
	for i := range all {
		all[i] = g.finish(g.mutated(base, base))
	}
	all[0] = g.finish(base)
	for range generations {
		for range population {
			a, b := all[rng.IntN(population)], all[rng.IntN(population)]
			cut := rng.IntN(len(p.Items) + 1)
			child := append(copyRows(a.rows[:cut]), copyRows(b.rows[cut:])...)
			all = append(all, g.finish(g.mutated(child, base)))
		}
		slices.SortStableFunc(all, func(a, b individual) int {
			switch {
			case a.cost < b.cost:
				return -1
			case a.cost > b.cost:
				return 1
			}
			return 0
		})
		all = all[:population]
	}
	return all[0].cost
}

type individual struct {
	rows [][]int // of each item by bin
	cost float64
}

type geneticSearch struct {
	*sizes.Problem
	rng *rand.Rand
}

func copyRows(rows [][]int) [][]int {
	out := make([][]int, len(rows))
	for i := range rows {
		out[i] = slices.Clone(rows[i])
	}
	return out
}

func (g *geneticSearch) now() [][]int {
	rows := make([][]int, len(g.Items))
	for i := range rows {
		rows[i] = make([]int, len(g.Room))
		for _, part := range g.Items[i].Now {
			rows[i][part.Bin] = part.Count
		}
	}
	return rows
}

// mutated resets rows to those of now, empties cells and fills cells.
func (g *geneticSearch) mutated(rows, base [][]int) [][]int {
	rows = copyRows(rows)
	for i := range rows {
		if g.rng.Float64() < .1 {
			copy(rows[i], base[i])
			continue
		}
		for b := range rows[i] {
			switch chance := g.rng.Float64(); {
			case chance < 1/float64(len(g.Room)+1):
				rows[i][b] = 0
			case chance < 2/float64(len(g.Room)+1):
				rows[i][b] = g.rng.IntN(g.Room[b] + 1)
			}
		}
	}
	return rows
}

// finish repairs the rows: what a bin cannot bear goes, and of spread items on a bin all but
// one; then it prices them.
func (g *geneticSearch) finish(rows [][]int) individual {
	free, spread := slices.Clone(g.Room), make([]int, len(g.Room))
	found := individual{rows: rows}
	for _, i := range g.rng.Perm(len(rows)) {
		row, bins := rows[i], 0
		for b := range row {
			row[b] = min(row[b], free[b])
		}
		for b := range row {
			if row[b] > 0 {
				bins++
			}
		}
		for b := range row {
			if bins > 1 && row[b] > 0 && spread[b] > 0 {
				row[b] = 0
				bins--
			}
		}
		size := 0
		for b := range row {
			size += row[b]
		}
		if !slices.Contains(g.Items[i].Options, size) {
			clear(row)
		}
		for b := range row {
			free[b] -= row[b]
			if bins > 1 && row[b] > 0 {
				spread[b]++
			}
		}
		found.cost += g.price(i, row)
	}
	return found
}

func (g *geneticSearch) price(i int, row []int) float64 {
	var at sizes.Place
	for b, count := range row {
		if count > 0 {
			at = append(at, sizes.Part{Bin: b, Count: count})
		}
	}
	it, worth := &g.Items[i], 0.
	if len(at) > 0 {
		worth = it.Worth(at.Size(), len(at))
	}
	if !slices.Equal(at, it.Now) {
		worth *= it.Change
	}
	if it.Full > 0 {
		return it.Full - worth
	}
	return 1 / (worth + sizes.Epsilon)
}

// drawProblem draws items as Pollux' jobs are: worth less on several bins, some with a place
// now, some with only one size.
func drawProblem(rng *rand.Rand, items, bins, perBin int) *sizes.Problem {
	p := &sizes.Problem{Room: make([]int, bins), Items: make([]sizes.Item, items)}
	free := make([]int, bins)
	for b := range p.Room {
		p.Room[b], free[b] = perBin, perBin
	}
	fair := max(float64(bins*perBin)/float64(items), 1)
	for i := range p.Items {
		serial, far := .4*rng.Float64()*rng.Float64(), .5+.5*rng.Float64()
		speed := func(size, bins int) float64 {
			v := float64(size) / (1 + serial*float64(size-1))
			if bins > 1 {
				v *= far
			}
			return v
		}
		it := sizes.Item{Worth: func(size, bins int) float64 { return speed(size, bins) / speed(int(fair), 1) }, Change: .3 + .69*rng.Float64()}
		most := 1 << rng.IntN(5)
		for k := 1; k <= min(most, bins*perBin); k++ {
			it.Options = append(it.Options, k)
		}
		if rng.IntN(5) == 0 {
			it.Options = it.Options[len(it.Options)-1:]
		}
		if rng.IntN(3) > 0 {
			size := it.Options[rng.IntN(len(it.Options))]
			if b := rng.IntN(bins); free[b] >= size {
				free[b] -= size
				it.Now = sizes.Place{{Bin: b, Count: size}}
			}
		}
		p.Items[i] = it
	}
	return p
}

// exhaustive returns the least cost of all places there are.
func exhaustive(p *sizes.Problem) float64 {
	free, spread := slices.Clone(p.Room), make([]int, len(p.Room))
	best := math.Inf(1)
	g := &geneticSearch{Problem: p}
	var lay func(i int, cost float64)
	lay = func(i int, cost float64) {
		if cost >= best {
			return
		}
		if i == len(p.Items) {
			best = cost
			return
		}
		row := make([]int, len(p.Room))
		var fill func(b, size, bins int)
		fill = func(b, size, bins int) {
			if b == len(row) {
				if size > 0 && !slices.Contains(p.Items[i].Options, size) {
					return
				}
				for b := range row {
					if bins > 1 && row[b] > 0 && spread[b] > 0 {
						return
					}
				}
				for b := range row {
					free[b] -= row[b]
					if bins > 1 && row[b] > 0 {
						spread[b]++
					}
				}
				lay(i+1, cost+g.price(i, row))
				for b := range row {
					free[b] += row[b]
					if bins > 1 && row[b] > 0 {
						spread[b]--
					}
				}
				return
			}
			for n := 0; n <= free[b]; n++ {
				row[b] = n
				fill(b+1, size+n, bins+min(n, 1))
			}
			row[b] = 0
		}
		fill(0, 0, 0)
	}
	lay(0, 0)
	return best
}
