package leases

import (
	"cmp"
	"slices"
)

// Orders in which gangs are packed. The first is the published one; each alone turns down sets that another packs.
var orders = []func(a, b *Demand) int{
	func(a, b *Demand) int {
		return cmp.Or(cmp.Compare(b.Width, a.Width), cmp.Compare(a.slack(), b.slack()), cmp.Compare(b.Deadline, a.Deadline))
	},
	func(a, b *Demand) int {
		return cmp.Or(cmp.Compare(a.slack(), b.slack()), cmp.Compare(b.Width, a.Width), cmp.Compare(a.Deadline, b.Deadline))
	},
	func(a, b *Demand) int {
		return cmp.Or(cmp.Compare(a.Deadline, b.Deadline), cmp.Compare(b.Width, a.Width))
	},
	func(a, b *Demand) int {
		return cmp.Or(cmp.Compare(float64(b.Width)*b.Need, float64(a.Width)*a.Need), cmp.Compare(a.Deadline, b.Deadline))
	},
}

// fits are the ways in which a gang takes leases.
var fits = []func(Free, *Demand) ([]Span, bool){Free.FitLate, Free.fitPieces, Free.fitRoomiest}

// Pack packs all gangs, and returns the spans of each in their order; ok is false where it finds no way. budget bounds how
// many times a gang is tried, all ways together, and is lowered by what that took.
func (f Free) Pack(demands []Demand, budget *int) (spans [][]Span, ok bool) {
	line := make([]int, len(demands))
	for _, fit := range fits {
		for _, compare := range orders {
			if *budget < len(demands) {
				return nil, false
			}
			*budget -= len(demands)
			for i := range line {
				line[i] = i
			}
			slices.SortStableFunc(line, func(a, b int) int { return compare(&demands[a], &demands[b]) })
			if spans, ok = f.packInOrder(demands, line, fit); ok {
				return spans, true
			}
		}
	}
	return nil, false
}

// packInOrder packs the gangs of a line one after another; ok is false where one finds no room.
func (f Free) packInOrder(demands []Demand, line []int, fit func(Free, *Demand) ([]Span, bool)) (spans [][]Span, ok bool) {
	left, spans := slices.Clone(f), make([][]Span, len(demands))
	for _, i := range line {
		d := &demands[i]
		if d.InOnePiece {
			spans[i], ok = left.fitOnePiece(d)
		} else {
			spans[i], ok = fit(left, d)
		}
		if !ok {
			return nil, false
		}
		left.Take(spans[i], d.Width)
	}
	return spans, true
}
