package decode

import (
	"hash/maphash"
	"strings"
)

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
