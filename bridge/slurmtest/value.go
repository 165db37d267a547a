package slurmtest

import (
	"strings"
	"time"

	"fairbridge/bridge/sim"
	"fairbridge/bridge/slurm"
)

// page is what the fields of one reply are made from.
type page struct {
	v    int // API version
	w    *sim.World
	job  *slurm.Job
	node *slurm.Node
	part *slurm.Partition
	all  []slurm.Node

	aside *slurm.Reservation
}

// plain reports whether the version is older than the structs.
func (p *page) plain() bool { return p.v <= 38 }

// sin is Slurm's number with its two flags.
func sin(set, infinite bool, n any) map[string]any {
	return map[string]any{"set": set, "infinite": infinite, "number": n}
}

// num is a number: bare in 22.05, a struct later.
func (p *page) num(n int64) any {
	if p.plain() {
		return n
	}
	return sin(true, false, n)
}

// unset is a number that is not given.
func (p *page) unset() any {
	if p.plain() {
		return nil
	}
	return sin(false, false, 0)
}

// positive is num, or unset for 0.
func (p *page) positive(n int64) any {
	if n == 0 {
		return p.unset()
	}
	return p.num(n)
}

// at is a time; none is 0.
func (p *page) at(t time.Time) any {
	if t.IsZero() {
		return p.num(0)
	}
	return p.num(t.Unix())
}

// minutes is a time limit.
func (p *page) minutes(d time.Duration) any {
	if d == 0 && !p.plain() {
		return sin(false, true, 0)
	}
	return p.num(int64(d / time.Minute))
}

// gres writes a request with the prefix of the version.
func (p *page) gres(s string) string {
	if p.plain() {
		return strings.ReplaceAll(s, "gres/", "gres:")
	}
	return s
}

// words is a list of flag words: joined by no version, one word in 22.05.
func (p *page) words(base string, flags []string) any {
	if p.v <= 39 {
		if len(flags) > 0 && flags[0] == "COMPLETING" {
			return "COMPLETING"
		}
		return base
	}
	return append([]string{base}, flags...)
}

// list is never null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// field is one key of a record and the versions that have it.
type field struct {
	name     string
	from, to int
	value    func(*page) any
}

// record renders all fields the version has.
func record(fields []field, p *page) map[string]any {
	out := make(map[string]any, len(fields))
	for i := range fields {
		if f := &fields[i]; p.v >= f.from && p.v <= f.to {
			out[f.name] = f.value(p)
		}
	}
	return out
}

// same makes fields that always have the same value, from names separated by
// spaces.
func same(from, to int, value func(*page) any, names string) []field {
	var out []field
	for _, n := range strings.Fields(names) {
		out = append(out, field{n, from, to, value})
	}
	return out
}

// join puts tables together.
func join(tables ...[]field) []field {
	var out []field
	for _, t := range tables {
		out = append(out, t...)
	}
	return out
}

// The values of fields the world knows nothing of.
func none(*page) any      { return "" }
func no(*page) any        { return false }
func zero(*page) any      { return 0 }
func empty(*page) any     { return []string{} }
func nothing(p *page) any { return p.unset() }
func zeroNum(p *page) any { return p.num(0) }
func infinite(*page) any  { return sin(false, true, 0) }
func nullOrZero(p *page) any {
	if p.plain() {
		return nil
	}
	return 0
}
func boundless(p *page) any {
	if p.plain() {
		return nil
	}
	return sin(false, true, 0)
}
