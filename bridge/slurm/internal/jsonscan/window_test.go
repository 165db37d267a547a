package jsonscan

import (
	"strings"
	"testing"
)

// The window grows with a string that is kept, not with what is skipped or cut.
func TestWindowStaysSmall(t *testing.T) {
	var s Scanner
	long := strings.Repeat("x", 8<<20)
	s.StartDocument(strings.NewReader(`{"x": "`+long+`", "y": "`+long+`"}`), Limits{DocumentBytes: 32 << 20, KeyBytes: 64, Depth: 4})
	s.EnterBracket('{')
	s.ReadKey()
	s.SkipColon()
	s.SkipValue()
	s.ReadKey()
	s.SkipColon()
	if raw, _, cut := s.ReadRawString(4096); !cut || len(raw) != 4096 {
		t.Errorf("%d bytes were kept, cut: %v", len(raw), cut)
	}
	if s.NextItem('}') || s.FinishDocument() != nil {
		t.Errorf("the document does not end: %v", s.Err())
	}
	if n := len(s.buffer); n > 2*windowSize {
		t.Errorf("window of %d bytes", n)
	}
}
