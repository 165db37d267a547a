package slurm

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
)

// TextRow is a row of a table of text.
type TextRow struct {
	Line  int      // where it begins, from 1
	Cells []string // as many as the heading has
	Err   error    // why it is no row of the table; Cells are nil then
}

// maxTextLine bounds a line, in bytes.
const maxTextLine = 1 << 20

// freeTextColumns are the columns that users fill as they please, with bars and line feeds.
var freeTextColumns = []string{
	"jobname", "name", "comment", "admincomment", "admin_comment", "systemcomment", "system_comment",
	"workdir", "work_dir", "submitline", "command", "extra", "container", "stdin", "stdout", "stderr", "wckey",
}

// ReadTextTable returns the rows of a table between bars as sacct -P and squeue print it, the
// heading first. Neither quotes anything: a row is cut at each bar, and the last column keeps
// bars if it is one that users fill. A row that a line feed cuts within such a column goes on in
// the next line, if together they have as many columns as the heading. An error, with the line,
// ends the reading.
func ReadTextTable(in io.Reader) iter.Seq2[TextRow, error] {
	return func(yield func(TextRow, error) bool) {
		scan := bufio.NewScanner(in)
		scan.Buffer(nil, maxTextLine)
		t, line := textTable{}, 0
		for scan.Scan() {
			line++
			text := strings.TrimRight(scan.Text(), "\r")
			switch {
			case text == "":
			case t.columns == nil:
				if !yield(TextRow{Line: line, Cells: t.readHeading(text)}, nil) {
					return
				}
			case t.goesOn(text):
				t.text += " " + text
			default:
				if t.text != "" && !yield(t.row(), nil) {
					return
				}
				t.text, t.line = text, line
			}
		}
		if t.text != "" && !yield(t.row(), nil) {
			return
		}
		if err := scan.Err(); err != nil {
			yield(TextRow{Line: line + 1}, err)
		}
	}
}

// textTable is a table that is being read.
type textTable struct {
	columns   []string // in small letters
	idColumn  int      // the column of job ids; -1: none
	endsInBar bool     // rows do: sacct -p, squeue -O
	text      string   // of the row that the next line may continue
	line      int      // where it begins
}

func (t *textTable) readHeading(text string) []string {
	text, t.endsInBar = strings.CutSuffix(text, "|")
	cells := strings.Split(text, "|")
	for _, c := range cells {
		t.columns = append(t.columns, strings.ToLower(strings.TrimSpace(c)))
	}
	t.idColumn = slices.IndexFunc(t.columns, func(c string) bool { return c == "jobid" || c == "jobidraw" })
	return cells
}

// cut returns the cells of a line or several, no more than there are columns.
func (t *textTable) cut(text string) []string { return strings.SplitN(text, "|", len(t.columns)) }

// isFree reports whether users fill a column.
func (t *textTable) isFree(column int) bool {
	return slices.Contains(freeTextColumns, t.columns[column])
}

// goesOn reports whether the row that is being read goes on in the next line.
func (t *textTable) goesOn(next string) bool {
	if t.text == "" {
		return false
	}
	at, cells := len(t.cut(t.text))-1, t.cut(next)
	beginsRow := t.idColumn >= 0 && t.idColumn+1 < len(cells) && isDigit(strings.TrimSpace(cells[t.idColumn]))
	switch {
	case !t.isFree(at), len(cells) == len(t.columns):
		return false
	case at == len(t.columns)-1:
		return !beginsRow
	}
	return at+len(strings.Split(next, "|")) <= len(t.columns)
}

// isDigit reports whether a text begins with a digit.
func isDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// row returns the row that is being read.
func (t *textTable) row() TextRow {
	cells, last := t.cut(t.text), len(t.columns)-1
	if len(cells) <= last {
		return TextRow{Line: t.line, Err: fmt.Errorf("%d columns, but the header has %d", len(cells), len(t.columns))}
	}
	if t.idColumn >= 0 && !isDigit(strings.TrimSpace(cells[t.idColumn])) {
		return TextRow{Line: t.line, Err: fmt.Errorf("%s is no job id", QuoteExcerpt(cells[t.idColumn]))}
	}
	if t.endsInBar {
		cells[last] = strings.TrimSuffix(cells[last], "|")
	}
	if !t.isFree(last) && strings.Contains(cells[last], "|") {
		const format = "more columns than the header's %d: a name with a | in it? ask for JobName as the last column"
		return TextRow{Line: t.line, Err: fmt.Errorf(format, len(t.columns))}
	}
	return TextRow{Line: t.line, Cells: cells}
}
