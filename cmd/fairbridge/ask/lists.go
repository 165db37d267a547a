package ask

import (
	"fmt"
	"io"
	"strings"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
)

// List is the table of a command as values: for printing it, and for the terminal view, which
// shows the same columns with the same words.
type List struct {
	Head []string // in capitals
	Rows []ListRow
}

// ListRow is a row of a list.
type ListRow struct {
	Cells []any  // one a column, by their String; an output.Painted has a colour
	About string // what it is about: the address of a job, or a name; "": of a report, something else
	IsJob bool   // that is a job
}

// add appends a row about a node or an account, addJob one about a job.
func (l *List) add(about string, cells ...any) {
	l.Rows = append(l.Rows, ListRow{Cells: cells, About: about})
}

func (l *List) addJob(address string, cells ...any) {
	l.Rows = append(l.Rows, ListRow{cells, address, address != ""})
}

// print writes the list as a table.
func (l *List) print(w io.Writer) {
	t := output.NewTable(w, headCells(l.Head)...)
	for _, r := range l.Rows {
		t.AddRow(r.Cells...)
	}
	t.Print()
}

func headCells(names []string) []any {
	cells := make([]any, len(names))
	for i, name := range names {
		cells[i] = name
	}
	return cells
}

// NewQueueList lists jobs by the columns of these names, as on a terminal: why without how a job came by its rank.
func NewQueueList(jobs []api.QueueJob, columns []string, now time.Time) (List, error) {
	found, err := findColumns("columns", columns)
	if err != nil {
		return List{}, err
	}
	return newQueueList(jobs, found, shortReasons, now), nil
}

// QueueColumnNames are the columns that queue prints without --format.
func QueueColumnNames() []string { return append([]string{}, reasonColumns...) }

func newQueueList(jobs []api.QueueJob, columns []queueColumn, width int, now time.Time) List {
	l := List{Rows: make([]ListRow, 0, len(jobs))}
	for _, c := range columns {
		l.Head = append(l.Head, strings.ToUpper(c.name))
	}
	for i := range jobs {
		cells := make([]any, len(columns))
		for k, c := range columns {
			cells[k] = c.cell(shownJob(&jobs[i], width), now)
		}
		l.addJob(jobs[i].Address, cells...)
	}
	return l
}

// NewReportList lists the rows of a report.
func NewReportList(r *api.Report) List {
	var l List
	for _, h := range r.Rows.HeaderTexts() {
		l.Head = append(l.Head, strings.ToUpper(h))
	}
	address := r.Rows.ColumnIndex("address")
	for _, row := range r.Rows.FormatRows() {
		job := ""
		if address >= 0 {
			job = row[address]
		}
		l.addJob(job, formatCells(row, func(s string) string { return s })...)
	}
	return l
}

// WriteQueueNotes says what queue says below the jobs, or of their absence.
func WriteQueueNotes(w io.Writer, a *api.Queue, isNarrowed, isLocal bool, now time.Time) {
	if len(a.Jobs) == 0 {
		output.WriteParagraph(w, "", emptyQueueText(a, isNarrowed, isLocal, now))
	}
	printQueueNotes(w, a, isLocal, now)
}

// WriteAsOf says how old a picture of the cluster is, and where it is old what may be the matter.
func WriteAsOf(w io.Writer, at time.Time, isStale, isLocal bool, s *api.DaemonState, now time.Time) {
	output.WriteParagraph(w, "", asOfText(at, isStale, whyNoCycle(isLocal, s), now))
}

// WriteReportNotes says what is to be known to read a report, why it has no rows, and how fresh it is.
func WriteReportNotes(w io.Writer, r *api.Report, now time.Time) {
	if len(r.Rows.Rows) == 0 {
		printable.Fprintln(w, emptyText(r))
	}
	output.WriteParagraph(w, "", strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Explanation, r.Note, sumsText(r, now))))
}
