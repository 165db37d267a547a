// Package leases packs gangs into leases, equal spans of time in which devices are held, so that each
// has had what it needs by its deadline. Times are in leases since the present one began: lease k lasts
// from k to k+1, and the present one, 0, is under way. A gang may run in any of the leases before its deadline,
// the last of which it may leave before it is over; its devices are then taken until the lease ends all the same.
//
// That every gang is packed as late as it can be is PackLate of Chronus (W. Gao et al., SoCC 2021). One greedy order
// turns down sets that can be met; Pack tries several, with late leases and with roomy ones.
// What it packs holds always; what it turns down may be possible. IsImpossible proves of some sets that they are not.
package leases

// Demand is what a gang needs.
type Demand struct {
	Width      int     // devices, all at once
	Need       float64 // leases of run time; not above 0: it needs none
	Earliest   float64 // when it may run at the earliest
	Deadline   float64 // by which it must have run for so long
	InOnePiece bool    // its leases must follow on each other, as it may not be stopped
}

// slack is how many leases may pass before it must run.
func (d *Demand) slack() float64 { return d.Deadline - d.Earliest - d.Need }

// Span is a stretch of leases: from the first to before the last.
type Span struct{ From, To int }

// tolerance is what sums of floating point numbers are forgiven, in leases.
const tolerance = 1e-6

// RunTime is how much of the spans is within two times, in leases.
func RunTime(spans []Span, earliest, deadline float64) float64 {
	sum := 0.0
	for _, s := range spans {
		sum += max(min(float64(s.To), deadline)-max(float64(s.From), earliest), 0)
	}
	return sum
}

// IsMetBy reports whether the gang has what it needs in these spans.
func (d *Demand) IsMetBy(spans []Span) bool {
	return RunTime(spans, d.Earliest, d.Deadline) >= d.Need-tolerance
}
