package decode

import (
	"hash/maphash"
	"strconv"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/jsonscan"
)

const (
	stringTableSlots = 4096
	maxSharedBytes   = 256 // bytes: longer strings are not worth remembering
	textChunkBytes   = 64 << 10
	listChunkItems   = 256
)

// stringPool keeps the strings of a reply with few allocations: repeated ones are
// found again in a table of fixed size, others share chunks.
type stringPool struct {
	hashSeed    maphash.Seed
	sharedTable []string
	textBuffer  strings.Builder
	listArena   listArena[string]
}

// listArena gives out the items of lists from larger pieces of memory.
type listArena[T any] struct{ chunk []T }

// allocate returns a list of n items; nil for none.
func (s *listArena[T]) allocate(n int) []T {
	if n == 0 {
		return nil
	}
	if cap(s.chunk)-len(s.chunk) < n {
		s.chunk = make([]T, 0, max(listChunkItems, n))
	}
	from := len(s.chunk)
	s.chunk = s.chunk[:from+n]
	return s.chunk[from : from+n : from+n]
}

// sharedString returns b as a string that is expected to occur again.
func (p *stringPool) sharedString(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > maxSharedBytes {
		return p.copyString(b)
	}
	if p.sharedTable == nil {
		p.sharedTable, p.hashSeed = make([]string, stringTableSlots), maphash.MakeSeed()
	}
	at := &p.sharedTable[maphash.Bytes(p.hashSeed, b)%stringTableSlots]
	if *at != string(b) {
		*at = string(b)
	}
	return *at
}

// copyString returns b as a string of its own.
func (p *stringPool) copyString(b []byte) string {
	if len(b) > textChunkBytes/4 {
		return string(b)
	}
	if p.textBuffer.Cap()-p.textBuffer.Len() < len(b) {
		p.textBuffer.Reset()
		p.textBuffer.Grow(textChunkBytes)
	}
	from := p.textBuffer.Len()
	p.textBuffer.Write(b)
	return p.textBuffer.String()[from:]
}

// copyList returns a copy of list; nil when it is empty.
func (p *stringPool) copyList(list []string) []string {
	out := p.listArena.allocate(len(list))
	copy(out, list)
	return out
}

// releaseMemory lets go of the chunks of the last reply, which its records own now.
func (p *stringPool) releaseMemory() {
	p.textBuffer.Reset()
	p.listArena.chunk = nil
}

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
