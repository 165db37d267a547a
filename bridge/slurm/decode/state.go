package decode

import (
	"slices"
)

// jobBases are the base states of jobs; every other word is a flag.
var jobBases = map[string]bool{
	"PENDING": true, "RUNNING": true, "SUSPENDED": true, "COMPLETED": true,
	"CANCELLED": true, "FAILED": true, "TIMEOUT": true, "NODE_FAIL": true,
	"PREEMPTED": true, "BOOT_FAIL": true, "DEADLINE": true, "OUT_OF_MEMORY": true,
}

// impliedBase is the base state of a job for which old releases, which print
// one word, show only the flag.
var impliedBase = map[string]string{
	"CONFIGURING": "RUNNING", "RESIZING": "RUNNING", "SIGNALING": "RUNNING",
	"STOPPED": "RUNNING", "POWER_UP_NODE": "RUNNING",
	"REQUEUED": "PENDING", "REQUEUE_HOLD": "PENDING", "REQUEUE_FED": "PENDING",
	"SPECIAL_EXIT": "PENDING", "RESV_DEL_HOLD": "PENDING",
	"COMPLETING": "COMPLETING", "STAGE_OUT": "STAGE_OUT", "REVOKED": "REVOKED",
}

// splitJobState takes the base state out of s.list and leaves the flags, sorted.
func (s *replyInput) splitJobState() (string, status) {
	for i, w := range s.words {
		if jobBases[w] {
			s.words = slices.Delete(s.words, i, i+1)
			s.sortWords()
			return w, found
		}
	}
	s.sortWords()
	for _, w := range s.words {
		if base, ok := impliedBase[w]; ok {
			return base, found
		}
	}
	return "", unreadable
}

// nodeBases are the base states of nodes; every other word is a flag.
var nodeBases = map[string]bool{
	"UNKNOWN": true, "DOWN": true, "IDLE": true, "ALLOCATED": true,
	"ERROR": true, "MIXED": true, "FUTURE": true,
}

// sortWords sorts s.list and removes repetitions.
func (s *replyInput) sortWords() {
	if len(s.words) > 1 {
		slices.Sort(s.words)
		s.words = slices.Compact(s.words)
	}
}
