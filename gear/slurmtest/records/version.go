// Package records writes the records of slurmrestd: jobs, nodes, partitions and
// reservations as each API version shows them. Which key a version has, and what its
// value looks like, is one line of a table.
package records

import (
	"math"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// Version is an API version, 45 for v0.0.45. It says what values look like: up
// to v0.0.38 numbers are bare, later they are structs with two flags.
type Version int

// noLastVersion stands for the last version of keys that no version has dropped yet.
const noLastVersion Version = math.MaxInt

// hasBareNumbers reports whether the version is older than the structs.
func (v Version) hasBareNumbers() bool { return v <= 38 }

// WrapNumber writes a number with its two flags.
func WrapNumber(set, infinite bool, n any) map[string]any {
	return map[string]any{"set": set, "infinite": infinite, "number": n}
}

// NewObject makes a JSON object of keys and values in turn.
func NewObject(pairs ...any) map[string]any {
	out := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = pairs[i+1]
	}
	return out
}

// EncodeNumber writes a number that is given.
func (v Version) EncodeNumber(n int64) any {
	if v.hasBareNumbers() {
		return n
	}
	return WrapNumber(true, false, n)
}

// EncodeTime writes a moment in seconds since 1970; none is 0.
func (v Version) EncodeTime(t time.Time) any {
	if t.IsZero() {
		return v.EncodeNumber(0)
	}
	return v.EncodeNumber(t.Unix())
}

// unsetNumber writes a number that is not given.
func (v Version) unsetNumber() any { return v.valueOrNull(WrapNumber(false, false, 0)) }

// unlimitedNumber writes a number that has no bound.
func (v Version) unlimitedNumber() any { return v.valueOrNull(WrapNumber(false, true, 0)) }

// EncodeNumberOrUnset writes a number, unset when 0.
func (v Version) EncodeNumberOrUnset(n int64) any {
	if n == 0 {
		return v.unsetNumber()
	}
	return v.EncodeNumber(n)
}

// encodeTimeLimit writes a time limit in minutes.
func (v Version) encodeTimeLimit(d time.Duration) any {
	if d == 0 && !v.hasBareNumbers() {
		return WrapNumber(false, true, 0)
	}
	return v.EncodeNumber(int64(d / time.Minute))
}

// formatGRES writes a request with the prefix of the version.
func (v Version) formatGRES(s string) string {
	if v.hasBareNumbers() {
		return strings.ReplaceAll(s, "gres/", "gres:")
	}
	return s
}

// encodeJobState writes a job's state: one word up to v0.0.39, then a list with its flags.
func (v Version) encodeJobState(base string, flags []string) any {
	if v <= 39 {
		if len(flags) > 0 && flags[0] == "COMPLETING" {
			return "COMPLETING"
		}
		return base
	}
	return append([]string{base}, flags...)
}

// valueOrNull returns the value, null where numbers are bare.
func (v Version) valueOrNull(value any) any {
	if v.hasBareNumbers() {
		return nil
	}
	return value
}

// nonNilList returns the list, which is then never null.
func nonNilList(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// joinByComma writes a list as Slurm's text.
func joinByComma(s []string) string { return strings.Join(s, ",") }

// Encoder writes the records of one reply.
type Encoder struct {
	Version
	StartedAt time.Time // when slurmctld and the nodes came up
	ChangedAt time.Time // when anything last changed
}

// EncodeJobs writes job records.
func (e *Encoder) EncodeJobs(list []slurm.Job) []any {
	return encodeEach(list, func(j *slurm.Job) any { return jobTable.encodeRecord(e.Version, jobRecord{e.Version, j, e}) })
}

// EncodeNodes writes node records.
func (e *Encoder) EncodeNodes(list []slurm.Node) []any {
	return encodeEach(list, func(n *slurm.Node) any { return nodeTable.encodeRecord(e.Version, nodeRecord{e.Version, n, e}) })
}

// EncodePartitions writes partition records, with sums over those of the nodes that
// are theirs. The first partition is the default.
func (e *Encoder) EncodePartitions(list []slurm.Partition, nodes []slurm.Node) []any {
	return encodeEach(list, func(p *slurm.Partition) any {
		return partitionTable.encodeRecord(e.Version, newPartitionRecord(e.Version, p, p == &list[0], nodes))
	})
}

// EncodeReservations writes reservation records.
func (e *Encoder) EncodeReservations(list []slurm.Reservation) []any {
	return encodeEach(list, func(r *slurm.Reservation) any {
		return reservationTable.encodeRecord(e.Version, reservationRecord{e.Version, r})
	})
}

func encodeEach[R any](list []R, write func(*R) any) []any {
	out := make([]any, len(list))
	for i := range list {
		out[i] = write(&list[i])
	}
	return out
}

// reservationRecord is a reservation record in the making.
type reservationRecord struct {
	Version
	*slurm.Reservation
}

// reservationTable are all keys of a reservation record, after the parsers of
// Slurm's source: none was recorded.
var reservationTable = newRecordTable([]constantKeys{
	{38, noLastVersion, emptyString, `accounts burst_buffer features groups licenses partition`},
	{38, noLastVersion, bareZero, `max_start_delay`},
	{38, 38, bareZero, `core_spec_cnt`},
	{39, noLastVersion, fixedValue([]any{}), `core_specializations`},
	{39, noLastVersion, func(v Version) any { return NewObject("time", v.unsetNumber()) }, `purge_completed`},
	{38, 38, fixedValue(int64(4294967295)), `watts`},
	{39, 43, infiniteNumber, `watts`},
}, []recordField[reservationRecord]{
	{"name", 38, noLastVersion, func(r reservationRecord) any { return r.Name }},
	{"node_list", 38, noLastVersion, func(r reservationRecord) any { return r.Nodes.Text }},
	{"node_count", 38, noLastVersion, func(r reservationRecord) any { return r.NodeCount }},
	{"core_count", 38, noLastVersion, func(r reservationRecord) any { return r.CoreCount }},
	{"start_time", 38, noLastVersion, func(r reservationRecord) any { return r.EncodeTime(r.Start) }},
	{"end_time", 38, noLastVersion, func(r reservationRecord) any { return r.EncodeTime(r.End) }},
	{"flags", 38, noLastVersion, func(r reservationRecord) any { return nonNilList(r.Flags) }},
	{"users", 38, noLastVersion, func(r reservationRecord) any { return joinByComma(r.Users) }},
	{"tres", 38, noLastVersion, func(r reservationRecord) any { return r.TRES.Text }},
})
