package trace

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/study/workload"
)

// tableFormat is a file of rows below a header.
type tableFormat struct {
	comma           rune
	requiredColumns []string // columns without which it is another format
	// parseJob reads a row; what is no job for us comes with a reason in why.
	parseJob func(r *tableRecord) (j workload.Job, why string)
}

// matchesHead says whether the first line of a file names the needed columns.
func (t *tableFormat) matchesHead(head string) bool {
	first, _, _ := strings.Cut(head, "\n")
	at := indexColumns(strings.Split(first, string(t.comma)))
	return !slices.ContainsFunc(t.requiredColumns, func(name string) bool { _, ok := at[name]; return !ok })
}

// indexColumns maps the names of a header, in small letters and without units, to
// their places.
func indexColumns(names []string) map[string]int {
	at := map[string]int{}
	for i, n := range names {
		n = strings.ToLower(strings.Trim(strings.TrimSpace(n), "\ufeff\""))
		n, _, _ = strings.Cut(n, "(")
		if _, twice := at[n]; !twice && n != "" {
			at[n] = i
		}
	}
	return at
}

// tableRecord is one row of a table. It keeps the first error.
type tableRecord struct {
	row
	columnIndexByName map[string]int
	keepsSteps        bool // see ReadOptions
}

// hasColumn reports whether the file has the column.
func (r *tableRecord) hasColumn(name string) bool { _, ok := r.columnIndexByName[name]; return ok }

// textByName returns a cell; "" where there is no such column.
func (r *tableRecord) textByName(name string) string {
	if i, ok := r.columnIndexByName[name]; ok && i < len(r.cells) {
		return strings.TrimSpace(r.cells[i])
	}
	return ""
}

// columnIndex is for row's methods: -1 where the file lacks it.
func (r *tableRecord) columnIndex(name string) int {
	if i, ok := r.columnIndexByName[name]; ok {
		return i
	}
	return -1
}

func (r *tableRecord) numberByName(name string) float64 {
	return r.parseNumber(name, r.columnIndex(name))
}

func (r *tableRecord) countByName(name string) int {
	return int(r.parseInteger(name, r.columnIndex(name)))
}

// timeLayouts are how moments are written; those without a zone are taken as UTC.
var timeLayouts = []string{time.DateTime, "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04:05-07:00"}

// unixSeconds returns a cell as seconds since 1970; plain numbers are that already.
func (r *tableRecord) unixSeconds(name string) float64 {
	if r.err != nil {
		return 0
	}
	at, err := parseTime(r.textByName(name))
	if err != nil {
		r.err = newUnlocatedProblem(name, "%v", err)
	}
	return at
}

func parseTime(s string) (float64, error) {
	for _, form := range timeLayouts {
		if t, err := time.Parse(form, s); err == nil {
			return float64(t.UnixMilli()) / 1000, nil
		}
	}
	if v, err := parseNumber(s); err == nil {
		return v, nil
	}
	return 0, errors.New("\"" + printable.Truncate(s, maxShownChars) + "\" is no time, want like 2026-01-05 13:00:00 or seconds since 1970")
}

func (t *tableFormat) readFile(in *bufio.Reader, s *jobCollector) error {
	c := csv.NewReader(in)
	c.Comma, c.FieldsPerRecord, c.LazyQuotes, c.ReuseRecord = t.comma, -1, true, true
	names, err := c.Read()
	if err != nil {
		return Problem{File: s.path, Line: 1, Message: err.Error()}
	}
	at := indexColumns(names)
	for _, name := range t.requiredColumns {
		if _, ok := at[name]; !ok {
			return Problem{s.path, 1, name, "this column is missing from the header; format " + s.Format + " needs " + strings.Join(t.requiredColumns, ", ")}
		}
	}
	s.shiftsToFirstArrival = true
	for width := len(names); ; {
		cells, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		n, _ := c.FieldPos(0)
		if err != nil {
			return Problem{File: s.path, Line: n, Message: err.Error()}
		}
		if err := t.readRow(s, cells, at, n, width); err != nil {
			return err
		}
	}
}

// readRow reads a row of a table so many columns wide.
func (t *tableFormat) readRow(s *jobCollector, cells []string, at map[string]int, line, width int) error {
	if len(cells) != width {
		return s.rejectLine(line, newUnlocatedProblem("", "%d columns, but the header has %d", len(cells), width))
	}
	r := tableRecord{row{cells: cells}, at, s.options.KeepsSteps}
	switch j, why := t.parseJob(&r); {
	case why != "":
		s.countIgnored(why)
		return nil
	case r.err != nil:
		return s.rejectLine(line, r.err)
	default:
		return s.addJob(j, line)
	}
}

// Why rows are no jobs for us.
const (
	ignoredWithoutGPUs = "without GPUs"
	ignoredSpeedup     = "whose speed is not in proportion to its GPUs"
	ignoredNeverRan    = "that never ran"
	ignoredNotEnded    = "not ended yet"
	ignoredSteps       = "job steps"
)
