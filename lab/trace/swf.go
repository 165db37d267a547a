package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/printable"
	"fairbridge/replica/workload"
)

// swfColumnCount is the number of columns of the Standard Workload Format.
const swfColumnCount = 18

func isSWF(head string) bool {
	for text := range strings.Lines(head) {
		switch text = strings.TrimSpace(text); {
		case text == "" || strings.HasPrefix(text, ";"):
			continue
		case len(strings.Fields(text)) != swfColumnCount:
			return false
		}
		_, err := strconv.ParseInt(strings.Fields(text)[0], 10, 64)
		return err == nil
	}
	return false
}

func readSWF(in *bufio.Reader, s *jobCollector) error {
	var start float64
	err := forEachLine(in, s, func(n int, text string) error {
		text = strings.TrimSpace(text)
		if name, value, ok := strings.Cut(strings.TrimLeft(text, "; "), ":"); ok && strings.HasPrefix(text, ";") && name == "UnixStartTime" {
			start, _ = parseNumber(value)
		}
		if text == "" || strings.HasPrefix(text, ";") {
			return nil
		}
		r := row{cells: strings.Fields(text)}
		if len(r.cells) != swfColumnCount {
			return s.rejectLine(n, newUnlocatedProblem("", "%d columns, want %d", len(r.cells), swfColumnCount))
		}
		j, why := parseSWFJob(&r, s.options.GPUsPerProc)
		switch {
		case r.err != nil:
			return s.rejectLine(n, r.err)
		case why != "":
			s.countIgnored(why)
			return nil
		}
		return s.addJob(j, n)
	})
	if s.shiftsToFirstArrival = true; start > 0 {
		s.Start = time.Unix(int64(start), 0).UTC()
	}
	return err
}

// parseSWFJob reads a line; unknown values are −1 there.
func parseSWFJob(r *row, gpusPerProc float64) (j workload.Job, why string) {
	procs := r.parseNumber("allocated processors", 4)
	if procs <= 0 {
		procs = r.parseNumber("requested processors", 7)
	}
	j = workload.Job{
		ID: r.parseInteger("job number", 0), Arrive: r.parseNumber("submit time", 1), Duration: r.parseNumber("run time", 3),
		GPUs: int(math.Ceil(procs * gpusPerProc)), CPUs: max(int(procs), 0), User: nameFromNumber("user", r.parseInteger("user", 11)),
		Account: nameFromNumber("group", r.parseInteger("group", 12)), Partition: nameFromNumber("queue", r.parseInteger("queue", 14)),
		TimeLimit: time.Duration(max(r.parseNumber("requested time", 8), 0) * float64(time.Second)),
	}
	switch r.parseInteger("status", 10) {
	case 0:
		j.End = workload.Failed
	case 5:
		j.End = workload.Cancelled
	case 2, 3, 4:
		return j, "parts of jobs that stand as a whole elsewhere"
	}
	switch {
	case j.Duration <= 0:
		return j, ignoredNeverRan
	case procs <= 0:
		return j, "whose processors are not known"
	}
	return j, ""
}

// nameFromNumber names a number of people or queues; "" for unknown ones.
func nameFromNumber(what string, n int64) string {
	if n < 0 {
		return ""
	}
	return what + strconv.FormatInt(n, 10)
}

// columnLayout says in which column a value stands, from 0; -1: nowhere.
type columnLayout struct{ classColumn, stepsColumn, gpusColumn, modeColumn, weightColumn, deadlineColumn, durationColumn, arrivalColumn int }

// layoutByColumnCount are those of the training traces by their number of columns. The
// column before the number of steps says whether a data set is needed; the
// ones before that are the command line.
var layoutByColumnCount = map[int]columnLayout{
	12: {classColumn: 0, stepsColumn: 5, gpusColumn: 6, modeColumn: 7, weightColumn: 8, deadlineColumn: 9, durationColumn: 10, arrivalColumn: 11},
	10: {classColumn: 0, stepsColumn: 5, gpusColumn: 6, weightColumn: 7, deadlineColumn: 8, arrivalColumn: 9, modeColumn: -1, durationColumn: -1},
	7:  {classColumn: 0, stepsColumn: 4, arrivalColumn: 5, gpusColumn: 6, modeColumn: -1, weightColumn: -1, deadlineColumn: -1, durationColumn: -1},
}

func isTrainingTrace(head string) bool {
	first, _, _ := strings.Cut(head, "\n")
	_, ok := layoutByColumnCount[strings.Count(first, "\t")+1]
	return ok && !strings.HasPrefix(first, "{")
}

func readTraining(in *bufio.Reader, s *jobCollector) error {
	return forEachLine(in, s, func(line int, text string) error {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		j, err := parseTrainingLine(strings.Split(text, "\t"))
		if err != nil {
			return s.rejectLine(line, err)
		}
		return s.addJob(j, line)
	})
}

// parseTrainingLine reads one line of a training trace.
func parseTrainingLine(cells []string) (workload.Job, error) {
	at, ok := layoutByColumnCount[len(cells)]
	if !ok {
		return workload.Job{}, newUnlocatedProblem("", "%d columns between tabs, want 12, 10 or 7", len(cells))
	}
	r := row{cells: cells}
	model, batch, err := ParseClass(cells[at.classColumn])
	j := workload.Job{
		Class: cells[at.classColumn], GPUs: int(r.parseInteger("gpus", at.gpusColumn)), Arrive: r.parseNumber("arrival", at.arrivalColumn),
		Weight: r.parseNumber("weight", at.weightColumn), Duration: r.parseNumber("duration", at.durationColumn),
		Training: &workload.Training{Model: model, BatchSize: batch, Mode: workload.StaticMode, Steps: r.parseInteger("total steps", at.stepsColumn)},
	}
	j.Name = j.Class
	if at.modeColumn >= 0 {
		j.Training.Mode = workload.BatchMode(cells[at.modeColumn])
	}
	if slo := r.parseNumber("SLO", at.deadlineColumn); slo > 0 && j.Duration > 0 {
		j.Deadline = j.Arrive + slo*j.Duration
	}
	if err != nil {
		return j, err
	}
	return j, r.checkBatchMode(&j)
}

func (r *row) checkBatchMode(j *workload.Job) error {
	switch j.Training.Mode {
	case workload.StaticMode, workload.AccordionMode, workload.GNSMode:
		return r.err
	}
	return newUnlocatedProblem("mode", "%q, want static, accordion or gns", j.Training.Mode)
}

var classPattern = regexp.MustCompile(`^(.+?)(?: \(batch size ([0-9]+)\))?$`)

// ParseClass splits "ResNet-18 (batch size 32)" into its model and batch size;
// classes without a batch size have batch 0.
func ParseClass(s string) (model string, batch int, err error) {
	m := classPattern.FindStringSubmatch(s)
	if m == nil {
		return "", 0, newUnlocatedProblem("job type", "%q, want like \"ResNet-18 (batch size 32)\"", printable.Truncate(s, maxShownChars))
	}
	if m[2] != "" {
		if batch, err = strconv.Atoi(m[2]); err != nil || batch == 0 {
			return "", 0, newUnlocatedProblem("job type", "the batch size of %q makes no sense", printable.Truncate(s, maxShownChars))
		}
	}
	return m[1], batch, nil
}

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

// maxShownChars is how much is quoted of a text that makes no sense.
const maxShownChars = 61

// unlocatedProblem is a workload.Problem that does not know its file and line yet.
type unlocatedProblem struct{ column, message string }

func (f *unlocatedProblem) Error() string { return f.column + ": " + f.message }

func newUnlocatedProblem(column, format string, a ...any) error {
	return &unlocatedProblem{column, fmt.Sprintf(format, a...)}
}
