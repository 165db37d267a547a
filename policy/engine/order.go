package engine

import (
	"cmp"
)

// CompareArrival compares by first submission, then by id.
func CompareArrival(a, b *Entry) int {
	if c := a.Arrive.Compare(b.Arrive); c != 0 {
		return c
	}
	return cmp.Compare(a.ID, b.ID)
}

// ThenArrival is the comparison of two entries by something else, or where that finds them alike by arrival.
func ThenArrival(compared int, a, b *Entry) int {
	if compared != 0 {
		return compared // arrivals are all over the memory
	}
	return CompareArrival(a, b)
}

// CompareTenure is the order of jobs within one account: those that run and must
// not be stopped, the other running ones by start, pending ones by arrival.
// What has to give way is taken from its end.
func CompareTenure(a, b *Entry) int {
	return ThenArrival(cmp.Or(cmp.Compare(a.tenureRank(), b.tenureRank()), a.Start.Compare(b.Start)), a, b)
}

func (e *Entry) tenureRank() int {
	switch {
	case !e.HoldsGPUs():
		return 2
	case e.UnstoppableReason == "":
		return 1
	}
	return 0
}
