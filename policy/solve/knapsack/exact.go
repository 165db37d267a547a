package knapsack

import (
	"math"
)

// countKnapsackCells counts the cells that are the work of fillByKnapsack.
func (d *roundCounter) countKnapsackCells() int {
	n := 0
	for i := range d.Items {
		n += (d.maxRoundsOf(&d.Items[i]) + 1) * (d.totalRoom + 1)
	}
	return n
}

// fillByKnapsack is fillGreedily without the greed: gangs are of several sizes, so that the
// rounds worth most per device may leave room that nothing fits in. It is a
// knapsack, by dynamic programming over items and room.
func (d *roundCounter) fillByKnapsack(bound float64) float64 {
	n, width := len(d.Items), d.totalRoom+1
	if len(d.roundsTable) == 0 {
		d.roundsTable, d.bestValues, d.nextValues = make([]uint8, n*width), make([]float64, width), make([]float64, width)
	}
	clear(d.bestValues)
	for i := range d.Items {
		d.addKnapsackItem(i, d.requiredRounds(i, bound), d.roundsTable[i*width:(i+1)*width])
		d.bestValues, d.nextValues = d.nextValues, d.bestValues
	}
	if math.IsInf(d.bestValues[d.totalRoom], -1) {
		return math.Inf(-1)
	}
	for i, room := n-1, d.totalRoom; i >= 0; i-- {
		d.roundCounts[i] = int(d.roundsTable[i*width+room])
		room -= d.roundCounts[i] * d.Items[i].DevicesPerRound
	}
	return d.Value(d.roundCounts)
}

// addKnapsackItem turns the best values of the items before i, by room, into those with i,
// and notes the rounds i gets. The fewest of equal worth are taken.
func (d *roundCounter) addKnapsackItem(i, least int, gets []uint8) {
	s := &d.Items[i]
	for room := range d.nextValues {
		d.nextValues[room], gets[room] = math.Inf(-1), 0
	}
	for y := least; y <= d.maxRoundsOf(s); y++ {
		worth, takes := d.itemUtility(s, y), y*s.DevicesPerRound
		if takes >= len(d.nextValues) {
			break
		}
		next := d.nextValues[takes:] // by the room that is left without the rounds
		before, got := d.bestValues[:len(next)], gets[takes:][:len(next)]
		for room, best := range next {
			if v := before[room] + worth; v > best {
				next[room], got[room] = v, uint8(y)
			}
		}
	}
}
