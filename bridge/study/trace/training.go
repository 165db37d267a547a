package trace

import (
	"bufio"
	"regexp"
	"strconv"
	"strings"

	"fairbridge/bridge/printable"
	"fairbridge/bridge/study/workload"
)

// columnLayout says in which column a value stands, from 0; -1: nowhere.
type columnLayout struct{ class, steps, gpus, mode, weight, deadline, duration, arrival int }

// layoutByColumnCount are those of the training traces by their number of columns. The
// column before the number of steps says whether a data set is needed; the
// ones before that are the command line.
var layoutByColumnCount = map[int]columnLayout{
	12: {class: 0, steps: 5, gpus: 6, mode: 7, weight: 8, deadline: 9, duration: 10, arrival: 11},
	10: {class: 0, steps: 5, gpus: 6, weight: 7, deadline: 8, arrival: 9, mode: -1, duration: -1},
	7:  {class: 0, steps: 4, arrival: 5, gpus: 6, mode: -1, weight: -1, deadline: -1, duration: -1},
}

func isTraining(head string) bool {
	first, _, _ := strings.Cut(head, "\n")
	_, ok := layoutByColumnCount[strings.Count(first, "\t")+1]
	return ok && !strings.HasPrefix(first, "{")
}

func readTraining(in *bufio.Reader, s *collector) error {
	return eachLine(in, s, func(line int, text string) error {
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
	model, batch, err := ParseClass(cells[at.class])
	j := workload.Job{
		Class: cells[at.class], GPUs: int(r.parseWhole("gpus", at.gpus)), Arrive: r.parseNumber("arrival", at.arrival),
		Weight: r.parseNumber("weight", at.weight), Duration: r.parseNumber("duration", at.duration),
		Training: &workload.Training{Model: model, Batch: batch, Mode: workload.StaticMode, Steps: r.parseWhole("total steps", at.steps)},
	}
	j.Name = j.Class
	if at.mode >= 0 {
		j.Training.Mode = workload.BatchMode(cells[at.mode])
	}
	if slo := r.parseNumber("SLO", at.deadline); slo > 0 && j.Duration > 0 {
		j.Deadline = j.Arrive + slo*j.Duration
	}
	if err != nil {
		return j, err
	}
	return j, r.checkMode(&j)
}

func (r *row) checkMode(j *workload.Job) error {
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
