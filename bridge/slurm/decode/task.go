package decode

import (
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/jsonscan"
)

// taskStateRecord is a line of jobs/state/ while it is read.
type taskStateRecord struct {
	slurm.TaskState
	taskAddress string
}

var taskStateSchema = newRecordSchema(
	recordField[taskStateRecord]{"job_id", readTaskAddress},
	recordField[taskStateRecord]{"state", func(s *replyInput, t *taskStateRecord) valueStatus {
		got := s.readWords(true)
		if got == statusFound {
			t.State, got = s.splitJobState()
			t.Flags = s.stringPool.copyList(s.lastWords)
		}
		return got
	}},
)

// readTaskAddress reads "123" or "123_4"; some releases write a number.
func readTaskAddress(s *replyInput, t *taskStateRecord) valueStatus {
	if s.SkipSpace() == '"' {
		var got valueStatus
		t.taskAddress, got = s.readUniqueString()
		return got
	}
	v, got := s.readNonNegative()
	t.taskAddress = strconv.FormatInt(v, 10)
	return got
}

// readTaskState reads one line of jobs/state/. Lines say little, so nothing in them
// may be unreadable.
func readTaskState(s *replyInput, out *slurm.TaskState) {
	var t taskStateRecord
	good, _ := taskStateSchema.readRecord(s, &t)
	if s.Err() != nil {
		return
	}
	if lack := taskStateSchema.allFields().without(good); !lack.isEmpty() {
		s.Fail("job state %s: %s is missing or not of the expected kind", slurm.QuoteExcerpt(t.taskAddress), taskStateSchema.firstFieldName(lack))
		return
	}
	*out = t.TaskState
	job, task, array := strings.Cut(t.taskAddress, "_")
	array = array && task != "*"                  // "12_*": an array that ended before its tasks were split off
	if i := strings.IndexByte(job, '+'); i >= 0 { // "12+1": component 1 of a heterogeneous job
		job = job[:i]
	}
	var ok, ok2 bool
	out.Job, ok = jsonscan.ParseShortInteger([]byte(job))
	ok2 = !array
	if array {
		out.IsArrayTask = true
		out.Task, ok2 = jsonscan.ParseShortInteger([]byte(task))
	}
	if !ok || !ok2 || out.Job == 0 {
		s.Fail("job state: %s is not the address of a job", slurm.QuoteExcerpt(t.taskAddress))
	}
}
