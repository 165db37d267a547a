package api

import (
	"time"
)

// EarlierRuns is what earlier runs of a job that comes again, on as many GPUs, say of it: those of its user whose name is
// the same or differs in counters only.
type EarlierRuns struct {
	Count          int       `json:"count"`
	Since          time.Time `json:"since"` // when the first of them ended
	MedianSeconds  float64   `json:"median_s"`
	LongestSeconds float64   `json:"longest_s"`
	// EnoughLimitSeconds is a time limit that would have done for all of them, where the job asks for more than twice that;
	// 0: none is advised.
	EnoughLimitSeconds float64 `json:"enough_limit_s,omitempty"`
	// InTimeCount is how many of them were short enough for its deadline, did it start now; set where it waits and has one.
	InTimeCount *int `json:"in_time,omitempty"`
}
