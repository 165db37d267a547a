package decode

import (
	"hash/maphash"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// appendClean appends the text of raw, the inside of a JSON string, to dst:
// escapes resolved, control characters (C0, DEL, C1) made spaces, and what is
// not UTF-8 replaced by U+FFFD.
func appendClean(dst, raw []byte) []byte {
	for len(raw) > 0 {
		r, n := rune(raw[0]), 1
		if r == '\\' {
			r, n = unescape(raw)
		} else if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(raw)
		}
		if r < ' ' || 0x7f <= r && r <= 0x9f {
			r = ' '
		}
		dst = utf8.AppendRune(dst, r)
		raw = raw[n:]
	}
	return dst
}

// unescape returns the character of the escape at the start of b, whose form
// is known to be right, and its length.
func unescape(b []byte) (rune, int) {
	switch b[1] {
	case 'b', 'f', 'n', 'r', 't':
		return '\n', 2 // a control character, whichever
	case 'u':
	default:
		return rune(b[1]), 2
	}
	r := unit(b)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if both := utf16.DecodeRune(r, unit(b[6:])); both != utf8.RuneError {
			return both, 12
		}
	}
	return utf8.RuneError, 6
}

// unit returns the 16 bits of \uXXXX.
func unit(b []byte) rune {
	return hex(b[2])<<12 | hex(b[3])<<8 | hex(b[4])<<4 | hex(b[5])
}

// tidy reports whether raw needs no cleaning: printable ASCII, no escapes.
func tidy(raw []byte) bool {
	for _, c := range raw {
		if c >= 0x7f || c == '\\' {
			return false
		}
	}
	return true
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

const (
	slots   = 4096
	common  = 256 // bytes: longer strings are not worth remembering
	chunk   = 64 << 10
	listful = 256
)

// pool keeps the strings of a reply with few allocations: repeated ones are
// found again in a table of fixed size, others share chunks.
type pool struct {
	seed  maphash.Seed
	table []string
	text  strings.Builder
	lists slab[string]
}

// slab gives out the items of lists from larger pieces of memory.
type slab[T any] struct{ piece []T }

// take returns a list of n items; nil for none.
func (s *slab[T]) take(n int) []T {
	if n == 0 {
		return nil
	}
	if cap(s.piece)-len(s.piece) < n {
		s.piece = make([]T, 0, max(listful, n))
	}
	from := len(s.piece)
	s.piece = s.piece[:from+n]
	return s.piece[from : from+n : from+n]
}

// shared returns b as a string that is expected to occur again.
func (p *pool) shared(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > common {
		return p.own(b)
	}
	if p.table == nil {
		p.table, p.seed = make([]string, slots), maphash.MakeSeed()
	}
	at := &p.table[maphash.Bytes(p.seed, b)%slots]
	if *at != string(b) {
		*at = string(b)
	}
	return *at
}

// own returns b as a string of its own.
func (p *pool) own(b []byte) string {
	if len(b) > chunk/4 {
		return string(b)
	}
	if p.text.Cap()-p.text.Len() < len(b) {
		p.text.Reset()
		p.text.Grow(chunk)
	}
	from := p.text.Len()
	p.text.Write(b)
	return p.text.String()[from:]
}

// keep returns a copy of list; nil when it is empty.
func (p *pool) keep(list []string) []string {
	out := p.lists.take(len(list))
	copy(out, list)
	return out
}

// drop lets go of the chunks of the last reply, which its records own now.
func (p *pool) drop() {
	p.text.Reset()
	p.lists.piece = nil
}
