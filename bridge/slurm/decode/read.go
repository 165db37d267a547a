package decode

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// remark is the most bytes kept of a text people write.
const remark = 4096

// number reads a number in either encoding: 5, or {"set":true,
// "infinite":false,"number":5}.
func (s *scanner) number() (int64, verdict) {
	switch c := s.space(); {
	case c == '{':
		return s.wrapped()
	case c == '-', '0' <= c && c <= '9':
		if tok := s.digits(); tok != nil {
			return integer(tok)
		}
		return 0, unreadable
	}
	return 0, s.other()
}

// other consumes a value of the wrong kind; null means that there is none.
func (s *scanner) other() verdict {
	null := s.space() == 'n'
	s.skip()
	if null {
		return absent
	}
	return unreadable
}

// size reads a number that is never negative, in whose place older releases
// write Slurm's reserved 32-bit values.
func (s *scanner) size() (int64, verdict) {
	v, got := s.number()
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
func (s *scanner) moment() (time.Time, verdict) {
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

// boolean reads true or false.
func (s *scanner) boolean() (bool, verdict) {
	switch s.space() {
	case 't':
		return s.literal("true"), found
	case 'f':
		s.literal("false")
		return false, found
	}
	return false, s.other()
}

// word reads a string that occurs often. One that is too long is unreadable.
func (s *scanner) word() (string, verdict) {
	if s.space() != '"' {
		return "", s.other()
	}
	raw, esc, long := s.quote(s.limits.String)
	if long || s.err != nil {
		return "", unreadable
	}
	return s.pool.shared(s.clean(raw, esc)), found
}

// unique reads a string that hardly occurs twice.
func (s *scanner) unique() (string, verdict) {
	if s.space() != '"' {
		return "", s.other()
	}
	raw, esc, long := s.quote(s.limits.String)
	if long || s.err != nil {
		return "", unreadable
	}
	return s.pool.own(s.clean(raw, esc)), found
}

// remark reads what a person wrote, cut to a bearable length.
func (s *scanner) remark() (string, verdict) {
	if s.space() != '"' {
		return "", s.other()
	}
	raw, esc, _ := s.quote(remark)
	if s.err != nil {
		return "", unreadable
	}
	return s.pool.shared(cut(s.clean(raw, esc), remark)), found
}

// clean returns the text of the inside of a string.
func (s *scanner) clean(raw []byte, esc bool) []byte {
	if !esc && tidy(raw) {
		return raw
	}
	s.scratch = appendClean(s.scratch[:0], raw)
	return s.scratch
}

// words reads a string or a list of strings into s.list, in upper case where
// asked.
func (s *scanner) words(upper bool) verdict {
	s.list = s.list[:0]
	if s.space() != '[' {
		return s.item(upper)
	}
	got := found
	s.enter('[')
	for s.next(']') {
		if len(s.list) >= s.limits.List {
			s.fail("list of more than %d strings: %w", s.limits.List, errLimit)
		} else if s.item(upper) != found {
			got = unreadable
		}
	}
	return got
}

// item reads one string into s.list.
func (s *scanner) item(upper bool) verdict {
	if s.space() != '"' {
		return s.other()
	}
	raw, esc, long := s.quote(s.limits.String)
	if long || s.err != nil {
		return unreadable
	}
	b := s.clean(raw, esc)
	if upper && slices.ContainsFunc(b, func(c byte) bool { return 'a' <= c && c <= 'z' }) {
		b = bytes.ToUpper(b)
	}
	s.list = append(s.list, s.pool.shared(b))
	return found
}

// hosts reads a hostlist, written as a string or a list.
func (s *scanner) hosts() (slurm.Hosts, verdict) {
	if s.space() == '[' {
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
func (s *scanner) commas() ([]string, verdict) {
	list := s.space() == '['
	got := s.words(false)
	if !list && len(s.list) == 1 {
		return s.pool.keep(strings.FieldsFunc(s.list[0], func(r rune) bool { return r == ',' })), got
	}
	return s.pool.keep(s.list), got
}
