package knapsack

import (
	"math"
)

// knapsackCells is the work of fillExactly.
func (d *roundCounting) knapsackCells() int {
	n := 0
	for i := range d.Items {
		n += (d.mostRounds(&d.Items[i]) + 1) * (d.room + 1)
	}
	return n
}

// fillExactly is fill without the greed: gangs are of several sizes, so that the
// rounds worth most per device may leave room that nothing fits in. It is a
// knapsack, by dynamic programming over items and room.
func (d *roundCounting) fillExactly(bound float64) float64 {
	n, width := len(d.Items), d.room+1
	if len(d.table) == 0 {
		d.table, d.row, d.next = make([]uint8, n*width), make([]float64, width), make([]float64, width)
	}
	clear(d.row)
	for i := range d.Items {
		d.step(i, d.requiredRounds(i, bound), d.table[i*width:(i+1)*width])
		d.row, d.next = d.next, d.row
	}
	if math.IsInf(d.row[d.room], -1) {
		return math.Inf(-1)
	}
	for i, room := n-1, d.room; i >= 0; i-- {
		d.y[i] = int(d.table[i*width+room])
		room -= d.y[i] * d.Items[i].DevicesPerRound
	}
	return d.Value(d.y)
}

// step turns the best values of the items before i, by room, into those with i,
// and notes the rounds i gets. The fewest of equal worth are taken.
func (d *roundCounting) step(i, least int, gets []uint8) {
	s := &d.Items[i]
	for room := range d.next {
		d.next[room], gets[room] = math.Inf(-1), 0
	}
	for y := least; y <= d.mostRounds(s); y++ {
		worth, takes := d.utilityOf(s, y), y*s.DevicesPerRound
		for room := takes; room < len(d.next); room++ {
			if v := d.row[room-takes] + worth; v > d.next[room] {
				d.next[room], gets[room] = v, uint8(y)
			}
		}
	}
}
