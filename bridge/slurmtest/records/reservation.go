package records

import (
	"fairbridge/bridge/slurm"
)

// reservation is a reservation record in the making.
type reservation struct {
	Version
	*slurm.Reservation
}

// reservationTable are all keys of a reservation record, after the parsers of
// Slurm's source: none was recorded.
var reservationTable = newTable([]constant{
	{38, newestVersion, noneWord, `accounts burst_buffer features groups licenses partition`},
	{38, newestVersion, zeroValue, `max_start_delay`},
	{38, 38, zeroValue, `core_spec_cnt`},
	{39, newestVersion, constantValue([]any{}), `core_specializations`},
	{39, newestVersion, func(v Version) any { return Object("time", v.unset()) }, `purge_completed`},
	{38, 38, constantValue(int64(4294967295)), `watts`},
	{39, 43, infiniteNumber, `watts`},
}, []field[reservation]{
	{"name", 38, newestVersion, func(r reservation) any { return r.Name }},
	{"node_list", 38, newestVersion, func(r reservation) any { return r.Nodes.Text }},
	{"node_count", 38, newestVersion, func(r reservation) any { return r.NodeCount }},
	{"core_count", 38, newestVersion, func(r reservation) any { return r.CoreCount }},
	{"start_time", 38, newestVersion, func(r reservation) any { return r.Time(r.Start) }},
	{"end_time", 38, newestVersion, func(r reservation) any { return r.Time(r.End) }},
	{"flags", 38, newestVersion, func(r reservation) any { return orEmpty(r.Flags) }},
	{"users", 38, newestVersion, func(r reservation) any { return commaList(r.Users) }},
	{"tres", 38, newestVersion, func(r reservation) any { return r.TRES.Text }},
})
