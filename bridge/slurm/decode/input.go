package decode

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/scan"
)

// input is one reply while it is read, with what is kept from reply to reply.
type input struct {
	scan.Scanner
	limits  Limits
	order   []guess // keys of the last record, in order
	list    []string
	pool    pool
	known   known
	details slab[slurm.GRESList]
}

// start begins a new reply.
func (s *input) start(r io.Reader, l Limits) {
	s.Start(r, l.scan())
	s.limits, s.order = l, s.order[:0]
}

// drop lets go of the memory that the records of the reply own now.
func (s *input) drop() {
	s.pool.drop()
	s.details = slab[slurm.GRESList]{}
}

// remark is the most bytes kept of a text people write.
const remark = 4096

// size reads a number that is never negative, in whose place older releases
// write Slurm's reserved 32-bit values.
func (s *input) size() (int64, verdict) {
	v, got := s.Number()
	if got != found {
		return 0, got
	}
	switch v {
	case -1, 0xffffffff:
		return 0, infinite
	case -2, 0xfffffffe:
		return 0, absent
	}
	if v < 0 {
		return 0, unreadable
	}
	return v, found
}

// moment reads a time in seconds since 1970; 0 and "no value" are none.
func (s *input) moment() (time.Time, verdict) {
	const last = 253402300799 // the end of the year 9999
	v, got := s.size()
	switch {
	case got == infinite || got == found && v == 0:
		return time.Time{}, absent
	case got != found:
		return time.Time{}, got
	case v > last:
		return time.Time{}, unreadable
	}
	return time.Unix(v, 0).UTC(), found
}

// word reads a string that occurs often. One that is too long is unreadable.
func (s *input) word() (string, verdict) {
	if s.Space() != '"' {
		return "", s.Other()
	}
	raw, esc, long := s.Quote(s.limits.String)
	if long || s.Err() != nil {
		return "", unreadable
	}
	return s.pool.shared(s.Clean(raw, esc)), found
}

// unique reads a string that hardly occurs twice.
func (s *input) unique() (string, verdict) {
	if s.Space() != '"' {
		return "", s.Other()
	}
	raw, esc, long := s.Quote(s.limits.String)
	if long || s.Err() != nil {
		return "", unreadable
	}
	return s.pool.own(s.Clean(raw, esc)), found
}

// remark reads what a person wrote, cut to a bearable length.
func (s *input) remark() (string, verdict) {
	if s.Space() != '"' {
		return "", s.Other()
	}
	raw, esc, _ := s.Quote(remark)
	if s.Err() != nil {
		return "", unreadable
	}
	return s.pool.shared(cut(s.Clean(raw, esc), remark)), found
}

// cut shortens b to at most n bytes, between characters.
func cut(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// words reads a string or a list of strings into s.list, in upper case where
// asked.
func (s *input) words(upper bool) verdict {
	s.list = s.list[:0]
	if s.Space() != '[' {
		return s.item(upper)
	}
	got := found
	s.Enter('[')
	for s.Next(']') {
		if len(s.list) >= s.limits.List {
			s.Fail("list of more than %d strings: %w", s.limits.List, scan.ErrLimit)
		} else if s.item(upper) != found {
			got = unreadable
		}
	}
	return got
}

// item reads one string into s.list.
func (s *input) item(upper bool) verdict {
	if s.Space() != '"' {
		return s.Other()
	}
	raw, esc, long := s.Quote(s.limits.String)
	if long || s.Err() != nil {
		return unreadable
	}
	b := s.Clean(raw, esc)
	if upper && slices.ContainsFunc(b, func(c byte) bool { return 'a' <= c && c <= 'z' }) {
		b = bytes.ToUpper(b)
	}
	s.list = append(s.list, s.pool.shared(b))
	return found
}

// hosts reads a hostlist, written as a string or a list.
func (s *input) hosts() (slurm.Hosts, verdict) {
	if s.Space() == '[' {
		got := s.words(false)
		return s.known.hosts(strings.Join(s.list, ",")), got
	}
	h, got := s.word()
	if h == "(null)" || h == "None assigned" {
		h = ""
	}
	return s.known.hosts(h), got
}

// commas reads a list of strings, or one string with commas.
func (s *input) commas() ([]string, verdict) {
	list := s.Space() == '['
	got := s.words(false)
	if !list && len(s.list) == 1 {
		return s.pool.keep(strings.FieldsFunc(s.list[0], func(r rune) bool { return r == ',' })), got
	}
	return s.pool.keep(s.list), got
}
