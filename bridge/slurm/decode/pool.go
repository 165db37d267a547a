package decode

import (
	"hash/maphash"
	"strings"
)

const (
	tableSlots = 4096
	maxShared  = 256 // bytes: longer strings are not worth remembering
	textChunk  = 64 << 10
	listChunk  = 256
)

// stringPool keeps the strings of a reply with few allocations: repeated ones are
// found again in a table of fixed size, others share chunks.
type stringPool struct {
	seed  maphash.Seed
	table []string
	text  strings.Builder
	lists arena[string]
}

// arena gives out the items of lists from larger pieces of memory.
type arena[T any] struct{ free []T }

// allocate returns a list of n items; nil for none.
func (s *arena[T]) allocate(n int) []T {
	if n == 0 {
		return nil
	}
	if cap(s.free)-len(s.free) < n {
		s.free = make([]T, 0, max(listChunk, n))
	}
	from := len(s.free)
	s.free = s.free[:from+n]
	return s.free[from : from+n : from+n]
}

// sharedString returns b as a string that is expected to occur again.
func (p *stringPool) sharedString(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > maxShared {
		return p.copyOf(b)
	}
	if p.table == nil {
		p.table, p.seed = make([]string, tableSlots), maphash.MakeSeed()
	}
	at := &p.table[maphash.Bytes(p.seed, b)%tableSlots]
	if *at != string(b) {
		*at = string(b)
	}
	return *at
}

// copyOf returns b as a string of its own.
func (p *stringPool) copyOf(b []byte) string {
	if len(b) > textChunk/4 {
		return string(b)
	}
	if p.text.Cap()-p.text.Len() < len(b) {
		p.text.Reset()
		p.text.Grow(textChunk)
	}
	from := p.text.Len()
	p.text.Write(b)
	return p.text.String()[from:]
}

// copyList returns a copy of list; nil when it is empty.
func (p *stringPool) copyList(list []string) []string {
	out := p.lists.allocate(len(list))
	copy(out, list)
	return out
}

// release lets go of the chunks of the last reply, which its records own now.
func (p *stringPool) release() {
	p.text.Reset()
	p.lists.free = nil
}
