package decode

import (
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/jsonscan"
)

// stateRecord is a line of jobs/state/ while it is read.
type stateRecord struct {
	slurm.TaskState
	address string
}

var stateSchema = newSchema(
	recordField[stateRecord]{"job_id", readAddress},
	recordField[stateRecord]{"state", func(s *replyInput, t *stateRecord) status {
		got := s.readWords(true)
		if got == found {
			t.State, got = s.splitJobState()
			t.Flags = s.pool.copyList(s.words)
		}
		return got
	}},
)

// readAddress reads "123" or "123_4"; some releases write a number.
func readAddress(s *replyInput, t *stateRecord) status {
	if s.SkipSpace() == '"' {
		var got status
		t.address, got = s.readUnique()
		return got
	}
	v, got := s.readSize()
	t.address = strconv.FormatInt(v, 10)
	return got
}

// readTaskState reads one line of jobs/state/. Lines say little, so nothing in them
// may be unreadable.
func readTaskState(s *replyInput, out *slurm.TaskState) {
	var t stateRecord
	good, _ := stateSchema.read(s, &t)
	if s.Err() != nil {
		return
	}
	if lack := (fieldSet(1)<<len(stateSchema.fields) - 1) &^ good; lack != 0 {
		s.Fail("job state %s: %s is missing or not of the expected kind", slurm.QuoteExcerpt(t.address), stateSchema.firstName(lack))
		return
	}
	*out = t.TaskState
	job, task, array := strings.Cut(t.address, "_")
	array = array && task != "*"                  // "12_*": an array that ended before its tasks were split off
	if i := strings.IndexByte(job, '+'); i >= 0 { // "12+1": component 1 of a heterogeneous job
		job = job[:i]
	}
	var ok, ok2 bool
	out.Job, ok = jsonscan.ParseShort([]byte(job))
	ok2 = !array
	if array {
		out.IsArrayTask = true
		out.Task, ok2 = jsonscan.ParseShort([]byte(task))
	}
	if !ok || !ok2 || out.Job == 0 {
		s.Fail("job state: %s is not the address of a job", slurm.QuoteExcerpt(t.address))
	}
}
