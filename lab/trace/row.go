package trace

import (
	"bufio"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"fairbridge/bridge/printable"
	"fairbridge/replica/workload"
)

// row is a line cut into cells. It keeps the first error.
type row struct {
	cells []string
	err   error
}

// parseNumber reads a cell; the column of a missing one is -1 and gives 0.
func (r *row) parseNumber(name string, column int) float64 {
	if column < 0 || r.err != nil {
		return 0
	}
	if column >= len(r.cells) {
		r.err = newUnlocatedProblem(name, "the line ends before it")
		return 0
	}
	v, err := parseNumber(r.cells[column])
	if err != nil {
		r.err = newUnlocatedProblem(name, "%v", err)
	}
	return v
}

// parseInteger reads a cell that counts something.
func (r *row) parseInteger(name string, column int) int64 {
	v := r.parseNumber(name, column)
	switch {
	case r.err != nil:
		return 0
	case v != math.Trunc(v):
		r.err = newUnlocatedProblem(name, "%q is no whole number", r.cells[column])
		return 0
	case math.Abs(v) > 1<<53:
		r.err = newUnlocatedProblem(name, "%q is not believable", r.cells[column])
		return 0
	}
	return int64(v)
}

func parseNumber(s string) (float64, error) {
	s = strings.TrimSpace(s)
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case s == "":
		return 0, errors.New("it is empty, want a number")
	case err != nil || math.IsInf(v, 0) || math.IsNaN(v):
		return 0, errors.New(strconv.Quote(printable.Truncate(s, maxShownChars)) + " is no number")
	}
	return v, nil
}

// forEachLine calls take with each line and its number from 1.
func forEachLine(in *bufio.Reader, s *jobCollector, take func(line int, text string) error) error {
	for n := 1; ; n++ {
		text, err := in.ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return workload.Problem{File: s.path, Line: n, Message: err.Error()}
		}
		if text = strings.TrimRight(text, "\r\n"); text != "" || err == nil {
			if err := take(n, text); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
	}
}
