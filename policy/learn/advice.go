package learn

import (
	"slices"
	"time"

	"fairbridge/policy"
)

// EarlierSummary is what earlier runs of a job that comes again, on as many GPUs as it asks for, say of it.
type EarlierSummary struct {
	RunTimes []time.Duration // ascending, one at least
	Since    time.Time       // end of the first
	// EnoughLimit is a time limit that would have done for all of them with a quarter to spare, where the job asks for more than
	// twice that and enough runs are known; 0: none is advised.
	EnoughLimit time.Duration
}

// What a shorter time limit is advised by.
const (
	leastRunsForLimit = 5
	limitToSpare      = 1.25
	limitStep         = 10 * time.Minute
)

// SummarizeEarlier sums up the runs on as many GPUs as the job asks for; ok is false where there are none.
func SummarizeEarlier(runs []EarlierRun, j *policy.Job) (s EarlierSummary, ok bool) {
	var ran []time.Duration
	isCutOff := false
	for _, r := range runs {
		if r.GPUs != j.Ask.GPUs.Count || r.Ran <= 0 {
			continue
		}
		if len(ran) == 0 {
			s.Since = r.End
		}
		ran = append(ran, r.Ran)
		isCutOff = isCutOff || r.Limit > 0 && r.Ran >= r.Limit
	}
	if len(ran) == 0 {
		return s, false
	}
	slices.Sort(ran)
	s.RunTimes = ran
	enough := time.Duration(limitToSpare*float64(s.Longest())) + limitStep - 1
	if enough = enough.Truncate(limitStep); len(ran) >= leastRunsForLimit && !isCutOff && j.Limit > 2*enough {
		s.EnoughLimit = enough
	}
	return s, true
}

// Median is how long half of the runs took at most.
func (s *EarlierSummary) Median() time.Duration { return s.RunTimes[(len(s.RunTimes)-1)/2] }

// Longest is how long the longest of the runs took.
func (s *EarlierSummary) Longest() time.Duration { return s.RunTimes[len(s.RunTimes)-1] }

// CountWithin is how many of the runs took no longer than a time.
func (s *EarlierSummary) CountWithin(most time.Duration) int {
	n, _ := slices.BinarySearch(s.RunTimes, most+1)
	return n
}
