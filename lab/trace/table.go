package trace

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/replica/goodput"
	"fairbridge/replica/workload"
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
	line              int
	hetJob            string // whose component it is, see jobCollector.addComponent; "": none
}

// readHetJob notes whose component a row is by its job id, such as 9001+2, and returns the
// id of the whole job.
func (r *tableRecord) readHetJob(id string) string {
	whole, _, ok := strings.Cut(id, "+")
	if ok {
		submit := cmp.Or(r.textByName("submit"), r.textByName("submit_time"))
		r.hetJob = r.textByName("cluster") + " " + whole + " " + r.textByName("user") + " " + submit
	}
	return whole
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
var timeLayouts = []string{
	time.DateTime, "2006-01-02T15:04:05", time.RFC3339, "2006-01-02 15:04:05-07:00", "2006-01-02T15:04:05-0700",
	"2006-01-02 15:04:05-0700", "2006-01-02 15:04:05 -0700",
}

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
	return 0, errors.New(
		"\"" + printable.Truncate(
			s,
			maxShownChars,
		) + "\" is no time, want like 2026-01-05 13:00:00 or seconds since 1970",
	)
}

func (t *tableFormat) readFile(in *bufio.Reader, s *jobCollector) error {
	s.shiftsToFirstArrival = true
	rows, at := csvRows, map[string]int(nil)
	if t.comma == '|' {
		rows = slurm.ReadTextTable
	}
	for r, err := range rows(in) {
		switch {
		case err != nil:
			err = workload.Problem{File: s.path, Line: r.Line, Message: err.Error()}
		case at == nil:
			at = indexColumns(r.Cells)
			err = t.checkColumns(at, s)
		case r.Err != nil:
			err = s.rejectLine(r.Line, newUnlocatedProblem("", "%v", r.Err))
		default:
			err = t.readRow(s, r, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// csvRows returns the rows of a table whose cells a quote may enclose, the heading first.
func csvRows(in io.Reader) iter.Seq2[slurm.TextRow, error] {
	return func(yield func(slurm.TextRow, error) bool) {
		c := csv.NewReader(in)
		c.FieldsPerRecord, c.LazyQuotes, c.ReuseRecord = -1, true, true
		for width, line := 0, 0; ; {
			cells, err := c.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(slurm.TextRow{Line: line + 1}, err)
				return
			}
			line, _ = c.FieldPos(0)
			r := slurm.TextRow{Line: line, Cells: cells}
			if width = cmp.Or(width, len(cells)); len(cells) != width {
				r.Err = fmt.Errorf("%d columns, but the header has %d", len(cells), width)
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// checkColumns wants the columns of the format in the header.
func (t *tableFormat) checkColumns(at map[string]int, s *jobCollector) error {
	for _, name := range t.requiredColumns {
		if _, ok := at[name]; !ok {
			return workload.Problem{
				File:   s.path,
				Line:   1,
				Column: name,
				Message: "this column is missing from the header; format " + s.Format + " needs " +
					strings.Join(t.requiredColumns, ", "),
			}
		}
	}
	return nil
}

// readRow reads a row of a table.
func (t *tableFormat) readRow(s *jobCollector, in slurm.TextRow, at map[string]int) error {
	r := tableRecord{row: row{cells: in.Cells}, columnIndexByName: at, keepsSteps: s.options.KeepsSteps, line: in.Line}
	switch j, why := t.parseJob(&r); {
	case why != "":
		s.countIgnored(why)
		return nil
	case r.err != nil:
		return s.rejectLine(in.Line, r.err)
	default:
		return s.addComponent(j, r.hetJob, in.Line)
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

// polluxColumns are those of the workloads of Pollux' and Sia's simulators.
var polluxColumns = []string{"name", "time", "application", "num_replicas", "batch_size"}

var polluxTable = tableFormat{',', polluxColumns, nil}

// readPollux reads jobs whose speed and work stand in profiles. Their times stay as they are,
// since the simulators count intervals from the beginning of the file.
func readPollux(in *bufio.Reader, s *jobCollector) error {
	if s.options.ProfilesPath == "" {
		return workload.Problem{File: s.path, Message: "how fast its jobs go stands in profiles: say --profiles with the folder that has one folder for each application"}
	}
	profiles, err := goodput.ReadProfiles(s.options.ProfilesPath)
	if err != nil {
		return err
	}
	table := tableFormat{',', polluxColumns, func(r *tableRecord) (workload.Job, string) {
		return parsePolluxJob(r, profiles), ""
	}}
	err = table.readFile(in, s)
	s.shiftsToFirstArrival = false
	return err
}

func parsePolluxJob(r *tableRecord, profiles map[string]*goodput.Application) workload.Job {
	name := r.textByName("application")
	j := workload.Job{
		Name: r.textByName("name"), Class: name, Arrive: r.numberByName("time"), GPUs: r.countByName("num_replicas"),
		MinGPUs: 1,
	}
	j.MaxGPUs = max(j.GPUs, 1) // the clock says how far it can grow
	a, known := profiles[name]
	if !known && r.err == nil {
		r.err = newUnlocatedProblem("application", "%q has no profile; there are %s", name, strings.Join(slices.Sorted(maps.Keys(profiles)), ", "))
	}
	batch := r.countByName("batch_size")
	switch {
	case r.err != nil:
		return j
	case batch <= 0 || batch > a.MaxBatch:
		r.err = newUnlocatedProblem("batch_size", "%d, want 1 to %d as the profile of %s has it", batch, a.MaxBatch, name)
		return j
	case j.GPUs > 0 && batch < j.GPUs:
		r.err = newUnlocatedProblem("batch_size", "%d samples cannot be divided among %d GPUs", batch, j.GPUs)
		return j
	}
	j.Goodput = &goodput.Job{Application: a, BatchSize: batch}
	j.RestartCostSeconds = a.RestartSeconds
	j.Duration = j.Goodput.NominalSeconds(j.GPUs)
	return j
}

// muriJobsPerGPU is how many jobs Muri lets share a GPU.
const muriJobsPerGPU = 4

// muriTable is the format of Muri's simulator, in milliseconds: how long a step takes, and for how
// much of that it needs each kind of resource. Any jobs may share GPUs there; those of
// priority 1 run on what others leave.
var muriTable = tableFormat{',', []string{"job_id", "num_gpu", "submit_time", "iterations", "model_name", "duration", "iteration_time", "resource_time_0", "resource_time_1", "resource_time_2"}, func(r *tableRecord) (workload.Job, string) {
	j := workload.Job{
		Name: r.textByName("job_id"), Class: r.textByName("model_name"), GPUs: r.countByName("num_gpu"),
		Arrive: r.numberByName("submit_time") / 1000, Duration: r.numberByName("duration") / 1000, IsShareable: true,
		Sharing: &policy.Sharing{
			JobsPerGPU: muriJobsPerGPU, AcceptsOtherUsers: true, StepSeconds: r.numberByName("iteration_time") / 1000,
			StageSeconds: []float64{r.numberByName("resource_time_0") / 1000, r.numberByName("resource_time_1") / 1000, r.numberByName("resource_time_2") / 1000},
		},
	}
	if r.hasColumn("priority") {
		j.Sharing.IsOpportunistic = r.numberByName("priority") == 1
	}
	checkMuriSteps(r, &j)
	return j, skipReason(r, &j, "")
}}

// checkMuriSteps wants the number of steps that fit into the run time, which is what is kept.
func checkMuriSteps(r *tableRecord, j *workload.Job) {
	steps, step := r.countByName("iterations"), j.Sharing.StepSeconds
	if r.err == nil && !(step > 0 && math.Abs(j.Duration/step-float64(steps)) < 1.001) {
		r.err = newUnlocatedProblem("iterations", "%d of %g ms do not make a duration of %g s", steps, step*1000, j.Duration)
	}
}
