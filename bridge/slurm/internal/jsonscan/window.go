package jsonscan

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
)

// ErrOverLimit marks a reply that is refused for its size, not for its form.
var ErrOverLimit = errors.New("over the limit")

// windowSize is the first size of the buffer a reply flows through.
const windowSize = 64 << 10

// window is the part of a stream that is held. The first error sticks:
// afterwards nothing more is found.
type window struct {
	stream         io.Reader
	maxBytes       int64 // bytes that are read at most
	buffer         []byte
	position       int   // next byte
	end            int   // end of the bytes read
	offset         int64 // of the window in the stream
	bytesRead      int64 // bytes read
	nestingDepth   int   // of nesting; 0 after an error
	isDone         bool  // the stream has ended or an error was met
	isStreamBroken bool  // the stream failed, not its content
	err            error
}

// openStream begins a new stream.
func (w *window) openStream(r io.Reader, most int64) {
	buf := w.buffer
	if buf == nil {
		buf = make([]byte, windowSize)
	}
	*w = window{stream: r, maxBytes: most, buffer: buf}
}

// Err returns the first error.
func (w *window) Err() error { return w.err }

// IsStreamBroken reports whether the stream failed, not its content.
func (w *window) IsStreamBroken() bool { return w.isStreamBroken }

// Fail records the first error and stops the reading.
func (w *window) Fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf("byte %d: %w", w.offset+int64(w.position), fmt.Errorf(format, args...))
	}
	w.isDone, w.end, w.nestingDepth = true, w.position, 0
}

// fill slides the window so that it begins at keep and reads more. It reports
// false at the end of the stream.
func (w *window) fill(keep int) bool {
	if w.isDone {
		return false
	}
	copy(w.buffer, w.buffer[keep:w.end])
	w.offset += int64(keep)
	w.position, w.end = w.position-keep, w.end-keep
	if w.end == len(w.buffer) {
		w.buffer = append(w.buffer, make([]byte, len(w.buffer))...)
	}
	for range 100 {
		n, err := w.stream.Read(w.buffer[w.end:])
		w.end += n
		if w.bytesRead += int64(n); w.bytesRead > w.maxBytes {
			w.Fail("reply of more than %d bytes: %w", w.maxBytes, ErrOverLimit)
			return false
		}
		if err == io.EOF {
			w.isDone = true
		} else if err != nil {
			w.isStreamBroken = !errors.Is(err, io.ErrUnexpectedEOF)
			w.Fail("reading the reply: %w", err)
			return false
		}
		if n > 0 || w.isDone {
			return n > 0
		}
	}
	w.Fail("reading the reply: %w", io.ErrNoProgress)
	return false
}

// SkipSpace skips white space and returns the next byte, which is not consumed;
// zero at the end.
func (w *window) SkipSpace() byte {
	if w.position < w.end && w.buffer[w.position] > ' ' {
		return w.buffer[w.position]
	}
	return w.skipBlanks()
}

// skipBlanks is SkipSpace where there is some. Slurm indents, so it takes eight blanks
// at a time.
func (w *window) skipBlanks() byte {
	for {
		b := w.buffer[:w.end]
		i := w.position
		if i < len(b) && b[i] == '\n' {
			i++
		}
		for i < len(b) {
			if i+8 <= len(b) {
				x := binary.LittleEndian.Uint64(b[i:]) ^ lowBitOfEachByte*' '
				i += bits.TrailingZeros64(x) / 8
				if x == 0 {
					continue
				}
			}
			switch c := b[i]; c {
			case ' ', '\n', '\t', '\r':
				i++
			default:
				w.position = i
				return c
			}
		}
		w.position = w.end
		if !w.fill(w.position) {
			return 0
		}
	}
}

// FailUnexpected fails at the next byte, or at the end of the reply.
func (w *window) FailUnexpected(want string) {
	if w.position < w.end {
		w.Fail("%q where %s should be", w.buffer[w.position], want)
		return
	}
	w.Fail("the reply ends where %s should be: %w", want, io.ErrUnexpectedEOF)
}
