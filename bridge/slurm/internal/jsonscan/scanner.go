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
	limits         Limits
	isAfterBracket bool                            // just inside a bracket: no comma yet
	numberLayouts  [maxLayoutDepth][2]numberLayout // of wrapped numbers that are set, and not
	scratch        []byte
	longStringHead []byte // of a string that is too long
}

// Limits bound what is read.
type Limits struct {
	DocumentBytes int64 // of the document
	KeyBytes      int   // bytes of a key; a longer one is not known
	Depth         int   // nesting
}

// StartDocument begins a new document.
func (s *Scanner) StartDocument(r io.Reader, l Limits) {
	s.openStream(r, l.DocumentBytes)
	s.limits, s.isAfterBracket = l, false
}

// FinishDocument checks that nothing but white space follows the document.
func (s *Scanner) FinishDocument() error {
	if s.err == nil {
		if s.SkipSpace(); s.position < s.end {
			s.Fail("%q after the end of the document", s.buffer[s.position])
		}
	}
	s.stream = nil
	return s.err
}
