package learn

import (
	"slices"
	"time"

	"fairbridge/policy"
)

// EarlierSummary is what earlier runs of a job that comes again, on as many GPUs as it asks for, say of it.
type EarlierSummary struct {
	Count   int
	Since   time.Time     // end of the first
	Median  time.Duration // of how long they ran
	Longest time.Duration
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
	s.Count, s.Median, s.Longest = len(ran), ran[(len(ran)-1)/2], ran[len(ran)-1]
	enough := time.Duration(limitToSpare*float64(s.Longest)) + limitStep - 1
	if enough = enough.Truncate(limitStep); len(ran) >= leastRunsForLimit && !isCutOff && j.Limit > 2*enough {
		s.EnoughLimit = enough
	}
	return s, true
}
