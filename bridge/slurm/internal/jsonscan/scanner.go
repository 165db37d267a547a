package jsonscan

import (
	"io"
)

// Scanner reads one JSON document from a stream through a sliding window. It
// is exactly as strict as encoding/json but looks only at what is asked for.
// The zero value is ready, and meant to be used again and again: it keeps its
// buffer, and how numbers were written. After an error nothing more is found.
type Scanner struct {
	window
	limits  Limits
	fresh   bool                            // just inside a bracket: no comma yet
	layouts [maxLayoutDepth][2]numberLayout // of wrapped numbers that are set, and not
	scratch []byte
	head    []byte // of a string that is too long
}

// Limits bound what is read.
type Limits struct {
	Bytes int64 // of the document
	Key   int   // bytes of a key; a longer one is not known
	Depth int   // nesting
}

// Start begins a new document.
func (s *Scanner) Start(r io.Reader, l Limits) {
	s.open(r, l.Bytes)
	s.limits, s.fresh = l, false
}

// Finish checks that nothing but white space follows the document.
func (s *Scanner) Finish() error {
	if s.err == nil {
		if s.SkipSpace(); s.pos < s.end {
			s.Fail("%q after the end of the document", s.buf[s.pos])
		}
	}
	s.r = nil
	return s.err
}
