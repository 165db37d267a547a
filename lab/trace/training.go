package trace

import (
	"bufio"
	"regexp"
	"strconv"
	"strings"

	"fairbridge/bridge/printable"
	"fairbridge/replica/workload"
)

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
