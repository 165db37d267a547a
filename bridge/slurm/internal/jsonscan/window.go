package jsonscan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// ErrLimit marks a reply that is refused for its size, not for its form.
var ErrLimit = errors.New("over the limit")

// windowSize is the first size of the buffer a reply flows through.
const windowSize = 64 << 10

// window is the part of a stream that is held. The first error sticks:
// afterwards nothing more is found.
type window struct {
	r      io.Reader
	limit  int64 // bytes that are read at most
	buf    []byte
	pos    int   // next byte
	end    int   // end of the bytes read
	offset int64 // of the window in the stream
	total  int64 // bytes read
	depth  int   // of nesting; 0 after an error
	done   bool  // the stream has ended or an error was met
	broken bool  // the stream failed, not its content
	err    error
}

// open begins a new stream.
func (w *window) open(r io.Reader, most int64) {
	buf := w.buf
	if buf == nil {
		buf = make([]byte, windowSize)
	}
	*w = window{r: r, limit: most, buf: buf}
}

// Err returns the first error.
func (w *window) Err() error { return w.err }

// StreamBroken reports whether the stream failed, not its content.
func (w *window) StreamBroken() bool { return w.broken }

// Fail records the first error and stops the reading.
func (w *window) Fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("byte %d: %w", w.offset+int64(w.pos), fmt.Errorf(format, args...))
	}
	w.done, w.end, w.depth = true, w.pos, 0
}

// fill slides the window so that it begins at keep and reads more. It reports
// false at the end of the stream.
func (w *window) fill(keep int) bool {
	if w.done {
		return false
	}
	copy(w.buf, w.buf[keep:w.end])
	w.offset += int64(keep)
	w.pos, w.end = w.pos-keep, w.end-keep
	if w.end == len(w.buf) {
		w.buf = append(w.buf, make([]byte, len(w.buf))...)
	}
	for range 100 {
		n, err := w.r.Read(w.buf[w.end:])
		w.end += n
		if w.total += int64(n); w.total > w.limit {
			w.Fail("reply of more than %d bytes: %w", w.limit, ErrLimit)
			return false
		}
		if err == io.EOF {
			w.done = true
		} else if err != nil {
			w.broken = !errors.Is(err, io.ErrUnexpectedEOF)
			w.Fail("reading the reply: %w", err)
			return false
		}
		if n > 0 || w.done {
			return n > 0
		}
	}
	w.Fail("reading the reply: %w", io.ErrNoProgress)
	return false
}

// SkipSpace skips white space and returns the next byte, which is not consumed;
// zero at the end.
func (w *window) SkipSpace() byte {
	if w.pos < w.end && w.buf[w.pos] > ' ' {
		return w.buf[w.pos]
	}
	return w.skipBlanks()
}

// skipBlanks is space where there is some. Slurm indents, so it takes eight blanks
// at a time.
func (w *window) skipBlanks() byte {
	for {
		b := w.buf[:w.end]
		i := w.pos
		if i < len(b) && b[i] == '\n' {
			i++
		}
		for i < len(b) {
			if i+8 <= len(b) {
				x := binary.LittleEndian.Uint64(b[i:]) ^ lowBits*' '
				i += bits.TrailingZeros64(x) / 8
				if x == 0 {
					continue
				}
			}
			switch c := b[i]; c {
			case ' ', '\n', '\t', '\r':
				i++
			default:
				w.pos = i
				return c
			}
		}
		w.pos = w.end
		if !w.fill(w.pos) {
			return 0
		}
	}
}

// Unexpected fails at the next byte, or at the end of the reply.
func (w *window) Unexpected(want string) {
	if w.pos < w.end {
		w.Fail("%q where %s should be", w.buf[w.pos], want)
		return
	}
	w.Fail("the reply ends where %s should be: %w", want, io.ErrUnexpectedEOF)
}
