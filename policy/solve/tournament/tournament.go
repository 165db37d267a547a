// Package tournament divides whole units among contestants one after the other. Each unit goes
// to who wins the tournament for it: the first meets the second, the winner meets the third,
// and so on. So the sum of the times until all are done becomes small for jobs that get less
// and less out of more GPUs, where nothing is known of what is still to come.
//
// C. Hwang, T. Kim, S. Kim, J. Shin, K. Park, "Elastic Resource Sharing for Distributed Deep
// Learning", NSDI 2021 (AFS-L).
package tournament

// Contestant is one of those that divide the units.
type Contestant struct {
	// Next returns the smallest number of units it can use that is larger than this one; 0:
	// none. A job that runs only on what it asks is a block: Next(0) is its ask, and there
	// is none beyond.
	Next func(units int) int
	// Pace returns 1 over the time until it is done on so many units, at least one.
	Pace func(units int) float64
}

// Ties says who wins a unit out of which both gain the same: of two that have none yet the
// earlier or the later, of others the shorter or the longer.
type Ties bool

// The ways out of a tie.
const (
	ToShorter Ties = false // and to the earlier
	ToLonger  Ties = true  // and to the later, as the simulator of PCS has AFS
)

// side is where a contestant stands: what it has, and what it would have next.
type side struct {
	units, next    int
	pace, paceNext float64
	gain           float64 // by how much its pace would be greater, for each unit
	hasLeft        bool    // it can use no more, or too little is left for it
}

// bout is a division under way.
type bout struct {
	contestants []Contestant
	sides       []side
	winners     []int // by place: who has won up to there; -1: none
	left        int
	most        int // no next step of those who have not left is larger
	ties        Ties
}

// Divide returns how many units each contestant gets, in their order. For each unit only those
// matches are played again of which a player changed; the others end as they did, so the
// result is that of playing them all.
func Divide(units int, all []Contestant, ties Ties) []int {
	b := bout{contestants: all, sides: make([]side, len(all)), winners: make([]int, len(all)), left: units, ties: ties}
	for i := range all {
		b.sides[i] = b.sideWith(i, 0)
	}
	b.playFrom(0, -1)
	for w := b.winner(); w >= 0; w = b.winner() {
		b.left -= b.sides[w].next - b.sides[w].units
		b.sides[w] = b.sideWith(w, b.sides[w].next)
		if first := b.dismissTooLarge(); first >= 0 {
			b.playFrom(min(w, first), -1)
		} else {
			b.playFrom(w, w)
		}
	}
	out := make([]int, len(all))
	for i := range out {
		out[i] = b.sides[i].units
	}
	return out
}

// winner is who has won all matches; -1: none is left.
func (b *bout) winner() int {
	if len(b.winners) == 0 {
		return -1
	}
	return b.winners[len(b.winners)-1]
}

// sideWith is where the contestant stands with so many units.
func (b *bout) sideWith(i, units int) side {
	c := &b.contestants[i]
	s := side{units: units, next: c.Next(units)}
	if units > 0 {
		s.pace = c.Pace(units)
	}
	if s.hasLeft = s.next <= units || s.next-units > b.left; !s.hasLeft {
		s.paceNext = c.Pace(s.next)
		s.gain = (s.paceNext - s.pace) / float64(s.next-s.units)
		b.most = max(b.most, s.next-s.units)
	}
	return s
}

// dismissTooLarge lets those leave whose next step is larger than what is left, and returns the
// place of the first of them; -1: none.
func (b *bout) dismissTooLarge() int {
	first := -1
	if b.most <= b.left {
		return first
	}
	b.most = 0
	for i := range b.sides {
		s := &b.sides[i]
		switch step := s.next - s.units; {
		case s.hasLeft:
		case step <= b.left:
			b.most = max(b.most, step)
		default:
			if s.hasLeft = true; first < 0 {
				first = i
			}
		}
	}
	return first
}

// playFrom plays the matches from a place on. Where only one contestant changed, it ends where
// another wins as before: from there on nothing is different.
func (b *bout) playFrom(from, changed int) {
	champion := -1
	if from > 0 {
		champion = b.winners[from-1]
	}
	for i := from; i < len(b.sides); i++ {
		if !b.sides[i].hasLeft && (champion < 0 || b.beats(i, champion)) {
			champion = i
		}
		if changed >= 0 && champion >= 0 && champion != changed && b.winners[i] == champion {
			return
		}
		b.winners[i] = champion
	}
}

// beats reports whether a later contestant wins against an earlier one: of the shorter and the
// longer the one that gains more by its next unit, the shorter relative to what it has and
// the longer relative to what it would have. Gains are counted for each unit.
func (b *bout) beats(later, earlier int) bool {
	l, e := &b.sides[later], &b.sides[earlier]
	switch {
	case l.pace == 0 && e.pace == 0:
		return wins(l.gain, e.gain, b.ties == ToLonger)
	case l.pace > e.pace:
		return wins(l.gain/l.pace, e.gain/e.paceNext, b.ties == ToShorter)
	default:
		return wins(l.gain/l.paceNext, e.gain/e.pace, b.ties == ToLonger)
	}
}

func wins(gain, than float64, ties bool) bool { return gain > than || gain == than && ties }
