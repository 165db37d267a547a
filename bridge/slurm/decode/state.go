package decode

import (
	"slices"
)

// jobBaseStates are the base states of jobs; every other word is a flag.
var jobBaseStates = map[string]bool{
	"PENDING": true, "RUNNING": true, "SUSPENDED": true, "COMPLETED": true,
	"CANCELLED": true, "FAILED": true, "TIMEOUT": true, "NODE_FAIL": true,
	"PREEMPTED": true, "BOOT_FAIL": true, "DEADLINE": true, "OUT_OF_MEMORY": true,
}

// baseStateByFlag is the base state of a job for which old releases, which print
// one word, show only the flag.
var baseStateByFlag = map[string]string{
	"CONFIGURING": "RUNNING", "RESIZING": "RUNNING", "SIGNALING": "RUNNING",
	"STOPPED": "RUNNING", "POWER_UP_NODE": "RUNNING",
	"REQUEUED": "PENDING", "REQUEUE_HOLD": "PENDING", "REQUEUE_FED": "PENDING",
	"SPECIAL_EXIT": "PENDING", "RESV_DEL_HOLD": "PENDING",
	"COMPLETING": "COMPLETING", "STAGE_OUT": "STAGE_OUT", "REVOKED": "REVOKED",
}

// splitJobState takes the base state out of lastWords and leaves the flags, sorted.
func (s *replyInput) splitJobState() (string, valueStatus) {
	for i, w := range s.lastWords {
		if jobBaseStates[w] {
			s.lastWords = slices.Delete(s.lastWords, i, i+1)
			s.sortWords()
			return w, statusFound
		}
	}
	s.sortWords()
	for _, w := range s.lastWords {
		if base, ok := baseStateByFlag[w]; ok {
			return base, statusFound
		}
	}
	return "", statusUnreadable
}

// nodeBaseStates are the base states of nodes; every other word is a flag.
var nodeBaseStates = map[string]bool{
	"UNKNOWN": true, "DOWN": true, "IDLE": true, "ALLOCATED": true,
	"ERROR": true, "MIXED": true, "FUTURE": true,
}

// sortWords sorts lastWords and removes repetitions.
func (s *replyInput) sortWords() {
	if len(s.lastWords) > 1 {
		slices.Sort(s.lastWords)
		s.lastWords = slices.Compact(s.lastWords)
	}
}
