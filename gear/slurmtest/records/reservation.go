package records

import (
	"fairbridge/bridge/slurm"
)

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
