package decode

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"fairbridge/bridge/slurm"
)

// errLimit marks a reply that is refused for its size, not for its form.
var errLimit = errors.New("over the limit")

// window is the first size of the buffer a reply flows through.
const window = 64 << 10

// scanner reads one JSON document from a stream through a sliding window. It
// is exactly as strict as encoding/json but looks only at what is asked for.
// The first error sticks: afterwards nothing more is found.
type scanner struct {
	limits Limits
	r      io.Reader
	buf    []byte
	pos    int // next byte
	end    int // end of the bytes read
	off    int64
	total  int64
	depth  int
	fresh  bool // just inside a bracket: no comma yet
	done   bool // the stream has ended or an error was met
	err    error

	layouts [nests][2]layout // of wrapped numbers that are set, and not
	order   []guess          // keys of the last record, in order
	list    []string
	scratch []byte
	head    []byte // of a string that is too long
	broken  bool   // the stream failed, not its content
	pool    pool
	known   known
	details slab[slurm.GRESList]
}

// start begins a new document.
func (s *scanner) start(r io.Reader, l Limits) {
	if s.buf == nil {
		s.buf = make([]byte, window)
	}
	s.limits, s.r = l, r
	s.pos, s.end, s.off, s.total, s.depth = 0, 0, 0, 0, 0
	s.fresh, s.done, s.broken, s.err = false, false, false, nil
	s.order = s.order[:0]
}

// fail records the first error and stops the reading.
func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("byte %d: %w", s.off+int64(s.pos), fmt.Errorf(format, args...))
	}
	s.done, s.end, s.depth = true, s.pos, 0
}

// fill slides the window so that it begins at keep and reads more. It reports
// false at the end of the stream.
func (s *scanner) fill(keep int) bool {
	if s.done {
		return false
	}
	copy(s.buf, s.buf[keep:s.end])
	s.off += int64(keep)
	s.pos, s.end = s.pos-keep, s.end-keep
	if s.end == len(s.buf) {
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	for range 100 {
		n, err := s.r.Read(s.buf[s.end:])
		s.end += n
		if s.total += int64(n); s.total > s.limits.Bytes {
			s.fail("reply of more than %d bytes: %w", s.limits.Bytes, errLimit)
			return false
		}
		if err == io.EOF {
			s.done = true
		} else if err != nil {
			s.broken = !errors.Is(err, io.ErrUnexpectedEOF)
			s.fail("reading the reply: %w", err)
			return false
		}
		if n > 0 || s.done {
			return n > 0
		}
	}
	s.fail("reading the reply: %w", io.ErrNoProgress)
	return false
}

// space skips white space and returns the next byte, which is not consumed;
// zero at the end.
func (s *scanner) space() byte {
	if s.pos < s.end && s.buf[s.pos] > ' ' {
		return s.buf[s.pos]
	}
	return s.blank()
}

// blank is space where there is some. Slurm indents, so it takes eight blanks
// at a time.
func (s *scanner) blank() byte {
	for {
		b := s.buf[:s.end]
		i := s.pos
		if i < len(b) && b[i] == '\n' {
			i++
		}
		for i < len(b) {
			if i+8 <= len(b) {
				x := binary.LittleEndian.Uint64(b[i:]) ^ ones*' '
				i += bits.TrailingZeros64(x) / 8
				if x == 0 {
					continue
				}
			}
			switch c := b[i]; c {
			case ' ', '\n', '\t', '\r':
				i++
			default:
				s.pos = i
				return c
			}
		}
		s.pos = s.end
		if !s.fill(s.pos) {
			return 0
		}
	}
}

// unexpected fails at the next byte, or at the end of the reply.
func (s *scanner) unexpected(want string) {
	if s.pos < s.end {
		s.fail("%q where %s should be", s.buf[s.pos], want)
		return
	}
	s.fail("the reply ends where %s should be: %w", want, io.ErrUnexpectedEOF)
}

// finish checks that nothing but white space follows the document.
func (s *scanner) finish() error {
	if s.err == nil {
		if s.space(); s.pos < s.end {
			s.fail("%q after the end of the document", s.buf[s.pos])
		}
	}
	s.r = nil
	return s.err
}
