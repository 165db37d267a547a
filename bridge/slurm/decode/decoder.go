// Package decode reads what slurmrestd sends, of any API version, into the records
// of package slurm.
package decode

import (
	"fmt"
	"io"

	"fairbridge/bridge/slurm"
)

// Decoder reads what slurmrestd sends, of any API version. The zero value is
// ready; it is meant to be kept and used again and again, by one goroutine,
// because it keeps its buffer and the strings that come back in every reply.
// The records it returns stay valid.
//
// Replies are read strictly: what is not one JSON document of the expected
// form is an *Error of class ErrorGarbledReply that says where, and what was read until
// then is not returned. Unknown keys are skipped. A known key that occurs
// twice in one object is an error. A stream that breaks is of class ErrorOutcomeUnknown.
type Decoder struct {
	Limits Limits
	input  replyInput
}

// Jobs appends the job records of a reply to into.
func (d *Decoder) Jobs(r io.Reader, into []slurm.Job) ([]slurm.Job, slurm.ReplyMeta, error) {
	return readRecords(d, r, "jobs", into, readJob)
}

// Nodes appends the node records of a reply to into.
func (d *Decoder) Nodes(r io.Reader, into []slurm.Node) ([]slurm.Node, slurm.ReplyMeta, error) {
	return readRecords(d, r, "nodes", into, readNode)
}

// Partitions appends the partition records of a reply to into.
func (d *Decoder) Partitions(r io.Reader, into []slurm.Partition) ([]slurm.Partition, slurm.ReplyMeta, error) {
	return readRecords(d, r, "partitions", into, readPartition)
}

// TaskStates appends the lines of a jobs/state/ reply to into.
func (d *Decoder) TaskStates(r io.Reader, into []slurm.TaskState) ([]slurm.TaskState, slurm.ReplyMeta, error) {
	return readRecords(d, r, "jobs", into, readTaskState)
}

// Ping reads a ping reply.
func (d *Decoder) Ping(r io.Reader) ([]slurm.Ping, slurm.ReplyMeta, error) {
	return readRecords(d, r, "pings", nil, readPing)
}

// Diag reads a diag reply.
func (d *Decoder) Diag(r io.Reader) (slurm.Diag, slurm.ReplyMeta, error) {
	var out slurm.Diag
	meta, err := d.readReply(r, "statistics", func(s *replyInput) { diagSchema.readRecord(s, &out) })
	if err != nil {
		return slurm.Diag{}, slurm.ReplyMeta{}, err
	}
	return out, meta, nil
}

// TaskResults reads the answer to a write: ReplyMeta.Errors, and the results by task
// where Slurm gives them.
func (d *Decoder) TaskResults(r io.Reader) ([]slurm.TaskResult, slurm.ReplyMeta, error) {
	var out []slurm.TaskResult
	meta, err := d.readReply(r, "", func(s *replyInput) { readTaskResults(s, &out) })
	if err != nil {
		return nil, slurm.ReplyMeta{}, err
	}
	return out, meta, nil
}

// readRecords reads a reply with a list of records under key.
func readRecords[T any](d *Decoder, r io.Reader, key string, into []T, one func(*replyInput, *T)) ([]T, slurm.ReplyMeta, error) {
	out := into
	meta, err := d.readReply(r, key, func(s *replyInput) {
		s.EnterBracket('[')
		for s.NextItem(']') {
			var zero T
			out = append(out, zero)
			one(s, &out[len(out)-1])
		}
	})
	if err != nil {
		clear(out[len(into):])
		return into, slurm.ReplyMeta{}, err
	}
	return out, meta, nil
}

// readReply reads a whole reply: its surroundings, and body, which reads the
// value of key. Without a key, body reads "results" and "status", if there.
func (d *Decoder) readReply(r io.Reader, key string, body func(*replyInput)) (slurm.ReplyMeta, error) {
	s := &d.input
	s.startReply(r, d.Limits.withDefaults())
	defer s.releaseMemory()
	var meta slurm.ReplyMeta
	seen := s.readEnvelope(&meta, key, body)
	if s.Err() == nil && !seen && key != "" && len(meta.Errors) == 0 {
		s.Fail("the reply has no %q", key)
	}
	if err := s.FinishDocument(); err != nil {
		if s.IsStreamBroken() {
			return slurm.ReplyMeta{}, &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: "reading a reply of slurmrestd", Err: err}
		}
		return slurm.ReplyMeta{}, &slurm.Error{Class: slurm.ErrorGarbledReply, Text: fmt.Sprintf("reply of slurmrestd (%s)", replyName(key)), Err: err}
	}
	return meta, nil
}

func replyName(key string) string {
	if key == "" {
		return "to a write"
	}
	return key
}
