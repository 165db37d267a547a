package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/source"
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

// runSize is what a run of a job is told of its size.
type runSize struct {
	Job          string `json:"job"`
	GPUs         int    `json:"gpus,omitempty"`         // 0: not known
	Nodes        int    `json:"nodes,omitempty"`        // 0: not known
	Batch        int    `json:"batch,omitempty"`        // recommended, of the whole job; 0: not known
	GPUBatch     int    `json:"gpu_batch,omitempty"`    // of it on a GPU in one go
	Accumulation int    `json:"accumulation,omitempty"` // how often so before the pass that ends a step
	SpeedSource  string `json:"speed_source,omitempty"` // what the recommendation rests on
}

// TellSize prints, in a job, what that job runs on and which batch size is recommended there, as
// shell assignments or JSON. Where the daemon cannot be asked, isOptional has it print what Slurm's
// environment tells.
func TellSize(c *cobra.Command, o *cli.Options, isOptional bool) error {
	return tellSize(c, o, source.Open, os.Getenv, isOptional)
}

func tellSize(c *cobra.Command, o *cli.Options, open opener, getenv func(string) string, isOptional bool) error {
	size, restarts := sizeFromEnvironment(getenv)
	if size.Job == "" {
		return cli.NewUsageError(errors.New("--ask is for use in a Slurm job: SLURM_JOB_ID is not set"))
	}
	var job *api.Job
	err := withSource(c, o, open, func(ctx context.Context, s source.Source) (err error) {
		job, err = s.Job(ctx, size.Job)
		return err
	})
	if err == nil {
		size.add(job.Size, restarts)
	} else if !isOptional {
		return err
	}
	if o.JSON {
		return output.WriteJSON(c.OutOrStdout(), size)
	}
	size.print(c)
	return nil
}

// sizeFromEnvironment reads what slurmd sets when it starts a run. SLURM_GPUS is what was asked at
// submission, and would be wrong of a job whose size was changed since.
func sizeFromEnvironment(getenv func(string) string) (size runSize, restarts int) {
	number := func(name string) int {
		n, err := strconv.Atoi(getenv(name))
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	size = runSize{Job: getenv("SLURM_JOB_ID"), Nodes: number("SLURM_JOB_NUM_NODES")}
	size.GPUs = number("SLURM_GPUS_ON_NODE") * max(size.Nodes, 1)
	return size, number("SLURM_RESTART_COUNT")
}

// add takes over what the daemon knows, as far as it is about this run on this size: its last cycle
// may be older than the run.
func (s *runSize) add(known *api.JobSize, restarts int) {
	if known == nil {
		return
	}
	if known.Runs && known.Restarts == restarts {
		s.GPUs, s.Nodes = known.GPUs, known.Nodes
	}
	if known.GPUs == s.GPUs {
		s.Batch, s.GPUBatch, s.Accumulation, s.SpeedSource = known.Batch, known.GPUBatch, known.Accumulation, known.SpeedSource
	}
}

// print writes assignments that a shell can evaluate: numbers only. What is not known is empty, so
// that nothing of an earlier run stays set.
func (s *runSize) print(c *cobra.Command) {
	for _, v := range []struct {
		name  string
		value int
		known bool
	}{
		{"GPUS", s.GPUs, s.GPUs > 0}, {"NODES", s.Nodes, s.Nodes > 0}, {"BATCH", s.Batch, s.Batch > 0}, {"GPU_BATCH", s.GPUBatch, s.Batch > 0},
		{"ACCUMULATION", s.Accumulation, s.Batch > 0},
	} {
		text := ""
		if v.known {
			text = strconv.Itoa(v.value)
		}
		printable.Fprintf(c.OutOrStdout(), "FAIRBRIDGE_%s=%s\n", v.name, text)
	}
}
