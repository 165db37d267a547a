package decode

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/internal/jsonscan"
)

// replyInput is one reply while it is read, with what is kept from reply to reply.
type replyInput struct {
	jsonscan.Scanner
	limits       Limits
	expectedKeys []expectedKey // keys of the last record, in order
	words        []string
	pool         stringPool
	meanings     meanings
	details      arena[slurm.GRESList]
}

// start begins a new reply.
func (s *replyInput) start(r io.Reader, l Limits) {
	s.Start(r, l.scan())
	s.limits, s.expectedKeys = l, s.expectedKeys[:0]
}

// release lets go of the memory that the records of the reply own now.
func (s *replyInput) release() {
	s.pool.release()
	s.details = arena[slurm.GRESList]{}
}

// maxRemark is the most bytes kept of a text people write.
const maxRemark = 4096

// readSize reads a number that is never negative, in whose place older releases
// write Slurm's reserved 32-bit values.
func (s *replyInput) readSize() (int64, status) {
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

// readTime reads a time in seconds since 1970; 0 and "no value" are none.
func (s *replyInput) readTime() (time.Time, status) {
	const last = 253402300799 // the end of the year 9999
	v, got := s.readSize()
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

// readWord reads a string that occurs often. One that is too long is unreadable.
func (s *replyInput) readWord() (string, status) {
	if s.SkipSpace() != '"' {
		return "", s.OtherNumber()
	}
	raw, esc, long := s.Quote(s.limits.String)
	if long || s.Err() != nil {
		return "", unreadable
	}
	return s.pool.sharedString(s.Clean(raw, esc)), found
}

// readUnique reads a string that hardly occurs twice.
func (s *replyInput) readUnique() (string, status) {
	if s.SkipSpace() != '"' {
		return "", s.OtherNumber()
	}
	raw, esc, long := s.Quote(s.limits.String)
	if long || s.Err() != nil {
		return "", unreadable
	}
	return s.pool.copyOf(s.Clean(raw, esc)), found
}

// readRemark reads what a person wrote, cut to a bearable length.
func (s *replyInput) readRemark() (string, status) {
	if s.SkipSpace() != '"' {
		return "", s.OtherNumber()
	}
	raw, esc, _ := s.Quote(maxRemark)
	if s.Err() != nil {
		return "", unreadable
	}
	return s.pool.sharedString(cutBytes(s.Clean(raw, esc), maxRemark)), found
}

// cutBytes shortens b to at most n bytes, between characters.
func cutBytes(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for n > 0 && !utf8.RuneStart(b[n]) {
		n--
	}
	return b[:n]
}

// readWords reads a string or a list of strings into s.list, in upper case where
// asked.
func (s *replyInput) readWords(upper bool) status {
	s.words = s.words[:0]
	if s.SkipSpace() != '[' {
		return s.readListItem(upper)
	}
	got := found
	s.Enter('[')
	for s.Next(']') {
		if len(s.words) >= s.limits.List {
			s.Fail("list of more than %d strings: %w", s.limits.List, jsonscan.ErrLimit)
		} else if s.readListItem(upper) != found {
			got = unreadable
		}
	}
	return got
}

// readListItem reads one string into s.list.
func (s *replyInput) readListItem(upper bool) status {
	if s.SkipSpace() != '"' {
		return s.OtherNumber()
	}
	raw, esc, long := s.Quote(s.limits.String)
	if long || s.Err() != nil {
		return unreadable
	}
	b := s.Clean(raw, esc)
	if upper && slices.ContainsFunc(b, func(c byte) bool { return 'a' <= c && c <= 'z' }) {
		b = bytes.ToUpper(b)
	}
	s.words = append(s.words, s.pool.sharedString(b))
	return found
}

// readHosts reads a hostlist, written as a string or a list.
func (s *replyInput) readHosts() (slurm.Hosts, status) {
	if s.SkipSpace() == '[' {
		got := s.readWords(false)
		return s.meanings.hostsOf(strings.Join(s.words, ",")), got
	}
	h, got := s.readWord()
	if h == "(null)" || h == "None assigned" {
		h = ""
	}
	return s.meanings.hostsOf(h), got
}

// readCommaList reads a list of strings, or one string with commas.
func (s *replyInput) readCommaList() ([]string, status) {
	list := s.SkipSpace() == '['
	got := s.readWords(false)
	if !list && len(s.words) == 1 {
		return s.pool.copyList(strings.FieldsFunc(s.words[0], func(r rune) bool { return r == ',' })), got
	}
	return s.pool.copyList(s.words), got
}
