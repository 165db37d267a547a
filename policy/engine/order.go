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

// CompareTenure is the order of jobs within one account: those that run and must
// not be stopped, the other running ones by start, pending ones by arrival.
// What has to give way is taken from its end.
func CompareTenure(a, b *Entry) int {
	return cmp.Or(cmp.Compare(a.tenureRank(), b.tenureRank()), a.Start.Compare(b.Start), CompareArrival(a, b))
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
