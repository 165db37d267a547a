package slurmtest

import (
	"strings"
)

func (s *Server) reservations(c *request) reply {
	p := s.page(c)
	records := s.world.Reservations()
	out := make([]any, len(records))
	for i := range records {
		p.aside = &records[i]
		out[i] = record(reservationFields, p)
	}
	return s.stamps(c, s.ok(c, "reservations", out))
}

// reservationFields are all keys of a reservation record, after the parsers of
// Slurm's source: none was recorded.
var reservationFields = join([]field{
	{"name", 38, last, func(p *page) any { return p.aside.Name }},
	{"node_list", 38, last, func(p *page) any { return p.aside.Nodes.Text }},
	{"node_count", 38, last, func(p *page) any { return p.aside.NodeCount }},
	{"core_count", 38, last, func(p *page) any { return p.aside.Cores }},
	{"core_spec_cnt", 38, 38, func(*page) any { return 0 }},
	{"core_specializations", 39, last, func(*page) any { return []any{} }},
	{"start_time", 38, last, func(p *page) any { return p.at(p.aside.Start) }},
	{"end_time", 38, last, func(p *page) any { return p.at(p.aside.End) }},
	{"flags", 38, last, func(p *page) any { return list(p.aside.Flags) }},
	{"users", 38, last, func(p *page) any { return strings.Join(p.aside.Users, ",") }},
	{"tres", 38, last, func(p *page) any { return p.aside.TRES }},
	{"purge_completed", 39, last, func(p *page) any { return obj("time", p.unset()) }},
	{"watts", 38, 38, func(*page) any { return int64(4294967295) }},
	{"watts", 39, 43, func(*page) any { return sin(false, true, 0) }},
}, same(38, last, none, `accounts burst_buffer features groups licenses partition`), same(38, last, zero, `max_start_delay`))
