package decode

import (
	"hash/maphash"
	"strings"
)

const (
	stringTableSlots = 4096
	maxSharedBytes   = 256 // bytes: longer strings are not worth remembering
	textChunkBytes   = 64 << 10
	listChunkItems   = 256
)

// stringPool keeps the strings of a reply with few allocations: repeated ones are
// found again in a table of fixed size, others share chunks.
type stringPool struct {
	hashSeed    maphash.Seed
	sharedTable []string
	textBuffer  strings.Builder
	listArena   listArena[string]
}

// listArena gives out the items of lists from larger pieces of memory.
type listArena[T any] struct{ chunk []T }

// allocate returns a list of n items; nil for none.
func (s *listArena[T]) allocate(n int) []T {
	if n == 0 {
		return nil
	}
	if cap(s.chunk)-len(s.chunk) < n {
		s.chunk = make([]T, 0, max(listChunkItems, n))
	}
	from := len(s.chunk)
	s.chunk = s.chunk[:from+n]
	return s.chunk[from : from+n : from+n]
}

// sharedString returns b as a string that is expected to occur again.
func (p *stringPool) sharedString(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if len(b) > maxSharedBytes {
		return p.copyString(b)
	}
	if p.sharedTable == nil {
		p.sharedTable, p.hashSeed = make([]string, stringTableSlots), maphash.MakeSeed()
	}
	at := &p.sharedTable[maphash.Bytes(p.hashSeed, b)%stringTableSlots]
	if *at != string(b) {
		*at = string(b)
	}
	return *at
}

// copyString returns b as a string of its own.
func (p *stringPool) copyString(b []byte) string {
	if len(b) > textChunkBytes/4 {
		return string(b)
	}
	if p.textBuffer.Cap()-p.textBuffer.Len() < len(b) {
		p.textBuffer.Reset()
		p.textBuffer.Grow(textChunkBytes)
	}
	from := p.textBuffer.Len()
	p.textBuffer.Write(b)
	return p.textBuffer.String()[from:]
}

// copyList returns a copy of list; nil when it is empty.
func (p *stringPool) copyList(list []string) []string {
	out := p.listArena.allocate(len(list))
	copy(out, list)
	return out
}

// releaseMemory lets go of the chunks of the last reply, which its records own now.
func (p *stringPool) releaseMemory() {
	p.textBuffer.Reset()
	p.listArena.chunk = nil
}
