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
	lastWords    []string
	stringPool   stringPool
	textCaches   textCaches
	gresArena    listArena[slurm.GRESList]
}

// startReply begins a new reply.
func (s *replyInput) startReply(r io.Reader, l Limits) {
	s.StartDocument(r, l.scannerLimits())
	s.limits, s.expectedKeys = l, s.expectedKeys[:0]
}

// releaseMemory lets go of the memory that the records of the reply own now.
func (s *replyInput) releaseMemory() {
	s.stringPool.releaseMemory()
	s.gresArena = listArena[slurm.GRESList]{}
}

// maxHumanTextBytes is the most bytes kept of a text people write.
const maxHumanTextBytes = 4096

// readNonNegative reads a number that is never negative, in whose place older releases
// write Slurm's reserved 32-bit values.
func (s *replyInput) readNonNegative() (int64, valueStatus) {
	v, got := s.ReadNumber()
	if got != statusFound {
		return 0, got
	}
	switch v {
	case -1, 0xffffffff:
		return 0, statusInfinite
	case -2, 0xfffffffe:
		return 0, statusAbsent
	}
	if v < 0 {
		return 0, statusUnreadable
	}
	return v, statusFound
}

// readTime reads a time in seconds since 1970; 0 and "no value" are none.
func (s *replyInput) readTime() (time.Time, valueStatus) {
	const last = 253402300799 // the end of the year 9999
	v, got := s.readNonNegative()
	switch {
	case got == statusInfinite || got == statusFound && v == 0:
		return time.Time{}, statusAbsent
	case got != statusFound:
		return time.Time{}, got
	case v > last:
		return time.Time{}, statusUnreadable
	}
	return time.Unix(v, 0).UTC(), statusFound
}

// readSharedString reads a string that occurs often. One that is too long is unreadable.
func (s *replyInput) readSharedString() (string, valueStatus) {
	if s.SkipSpace() != '"' {
		return "", s.SkipWrongKind()
	}
	raw, esc, long := s.ReadRawString(s.limits.StringBytes)
	if long || s.Err() != nil {
		return "", statusUnreadable
	}
	return s.stringPool.sharedString(s.CleanText(raw, esc)), statusFound
}

// readUniqueString reads a string that hardly occurs twice.
func (s *replyInput) readUniqueString() (string, valueStatus) {
	if s.SkipSpace() != '"' {
		return "", s.SkipWrongKind()
	}
	raw, esc, long := s.ReadRawString(s.limits.StringBytes)
	if long || s.Err() != nil {
		return "", statusUnreadable
	}
	return s.stringPool.copyString(s.CleanText(raw, esc)), statusFound
}

// readHumanText reads what a person wrote, cut to a bearable length.
func (s *replyInput) readHumanText() (string, valueStatus) {
	if s.SkipSpace() != '"' {
		return "", s.SkipWrongKind()
	}
	raw, esc, _ := s.ReadRawString(maxHumanTextBytes)
	if s.Err() != nil {
		return "", statusUnreadable
	}
	return s.stringPool.sharedString(cutBytes(s.CleanText(raw, esc), maxHumanTextBytes)), statusFound
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

// readWords reads a string or a list of strings into lastWords, in upper case where
// asked.
func (s *replyInput) readWords(upper bool) valueStatus {
	s.lastWords = s.lastWords[:0]
	if s.SkipSpace() != '[' {
		return s.readListItem(upper)
	}
	got := statusFound
	s.EnterBracket('[')
	for s.NextItem(']') {
		if len(s.lastWords) >= s.limits.ListItems {
			s.Fail("list of more than %d strings: %w", s.limits.ListItems, jsonscan.ErrOverLimit)
		} else if s.readListItem(upper) != statusFound {
			got = statusUnreadable
		}
	}
	return got
}

// readListItem reads one string into lastWords.
func (s *replyInput) readListItem(upper bool) valueStatus {
	if s.SkipSpace() != '"' {
		return s.SkipWrongKind()
	}
	raw, esc, long := s.ReadRawString(s.limits.StringBytes)
	if long || s.Err() != nil {
		return statusUnreadable
	}
	b := s.CleanText(raw, esc)
	if upper && slices.ContainsFunc(b, func(c byte) bool { return 'a' <= c && c <= 'z' }) {
		b = bytes.ToUpper(b)
	}
	s.lastWords = append(s.lastWords, s.stringPool.sharedString(b))
	return statusFound
}

// readHosts reads a hostlist, written as a string or a list.
func (s *replyInput) readHosts() (slurm.Hosts, valueStatus) {
	if s.SkipSpace() == '[' {
		got := s.readWords(false)
		return s.textCaches.parseHosts(strings.Join(s.lastWords, ",")), got
	}
	h, got := s.readSharedString()
	if h == "(null)" || h == "None assigned" {
		h = ""
	}
	return s.textCaches.parseHosts(h), got
}

// readCommaList reads a list of strings, or one string with commas.
func (s *replyInput) readCommaList() ([]string, valueStatus) {
	list := s.SkipSpace() == '['
	got := s.readWords(false)
	if !list && len(s.lastWords) == 1 {
		return s.stringPool.copyList(strings.FieldsFunc(s.lastWords[0], func(r rune) bool { return r == ',' })), got
	}
	return s.stringPool.copyList(s.lastWords), got
}
