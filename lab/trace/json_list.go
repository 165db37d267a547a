package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"fairbridge/replica/workload"
)

// lineCounter is a reader that knows at which line an offset is.
type lineCounter struct {
	in           io.Reader
	lineEnds     []int64 // offsets of the line ends not passed yet
	bytesRead    int64
	linesDropped int // passed
}

func (c *lineCounter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			c.lineEnds = append(c.lineEnds, c.bytesRead+int64(i))
		}
	}
	c.bytesRead += int64(n)
	return n, err
}

// lineAt returns the line of an offset, from 1. Offsets must not go back.
func (c *lineCounter) lineAt(at int64) int {
	i := 0
	for i < len(c.lineEnds) && c.lineEnds[i] < at {
		i++
	}
	c.lineEnds = c.lineEnds[i:]
	c.linesDropped += i
	return c.linesDropped + 1
}

// forEachElement decodes the elements of a JSON list one by one, as V. The list is
// the whole file or stands under a name in its object.
func forEachElement[V any](in io.Reader, s *jobCollector, under string, take func(v *V, line int) error) error {
	c := &lineCounter{in: in}
	d := json.NewDecoder(c)
	if err := enterList(d, under); err != nil {
		return workload.Problem{File: s.path, Line: c.lineAt(d.InputOffset()), Message: err.Error()}
	}
	for d.More() {
		v := new(V)
		err := d.Decode(v)
		at := c.lineAt(d.InputOffset())
		var typ *json.UnmarshalTypeError
		switch {
		case errors.As(err, &typ):
			err = s.rejectLine(at, newUnlocatedProblem(typ.Field, "a %s, want %s", typ.Value, typ.Type))
		case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return workload.Problem{
				File:    s.path,
				Line:    at,
				Message: "the file ends within the list of jobs; it was cut off",
			}
		case err != nil:
			return workload.Problem{File: s.path, Line: at, Message: err.Error()}
		default:
			err = take(v, at)
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return workload.Problem{
			File:    s.path,
			Line:    c.lineAt(d.InputOffset()),
			Message: "the file ends within the list of jobs; it was cut off",
		}
	}
	return nil
}

// enterList goes to the first element of the list.
func enterList(d *json.Decoder, under string) error {
	for tok, err := d.Token(); ; tok, err = d.Token() {
		switch {
		case err != nil:
			return err
		case under == "" && tok == json.Delim('['):
			return nil
		case under == "":
			return errors.New("want a list of jobs")
		case tok == json.Delim('{'):
		case tok == under:
			return enterList(d, "")
		case tok == json.Delim('}'):
			return fmt.Errorf("no list %q in it", under)
		default:
			var other json.RawMessage
			if err := d.Decode(&other); err != nil {
				return err
			}
		}
	}
}
