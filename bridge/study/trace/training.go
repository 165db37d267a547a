package trace

import (
	"bufio"
	"regexp"
	"strconv"
	"strings"

	"fairbridge/bridge/plain"
	"fairbridge/bridge/study/workload"
)

// layout says in which column a value stands, from 0; -1: nowhere.
type layout struct{ class, steps, gpus, mode, weight, slo, duration, arrival int }

// layouts are those of the training traces by their number of columns. The
// column before the number of steps says whether a data set is needed; the
// ones before that are the command line.
var layouts = map[int]layout{
	12: {class: 0, steps: 5, gpus: 6, mode: 7, weight: 8, slo: 9, duration: 10, arrival: 11},
	10: {class: 0, steps: 5, gpus: 6, weight: 7, slo: 8, arrival: 9, mode: -1, duration: -1},
	7:  {class: 0, steps: 4, arrival: 5, gpus: 6, mode: -1, weight: -1, slo: -1, duration: -1},
}

func isTraining(head string) bool {
	first, _, _ := strings.Cut(head, "\n")
	_, ok := layouts[strings.Count(first, "\t")+1]
	return ok && !strings.HasPrefix(first, "{")
}

func readTraining(in *bufio.Reader, s *collector) error {
	return eachLine(in, s, func(line int, text string) error {
		if strings.TrimSpace(text) == "" {
			return nil
		}
		j, err := parseTrainingLine(strings.Split(text, "\t"))
		if err != nil {
			return s.reject(line, err)
		}
		return s.add(j, line)
	})
}

// parseTrainingLine reads one line of a training trace.
func parseTrainingLine(cells []string) (workload.Job, error) {
	at, ok := layouts[len(cells)]
	if !ok {
		return workload.Job{}, problemf("", "%d columns between tabs, want 12, 10 or 7", len(cells))
	}
	r := row{cells: cells}
	model, batch, err := ParseClass(cells[at.class])
	j := workload.Job{
		Class: cells[at.class], GPUs: int(r.whole("gpus", at.gpus)), Arrive: r.number("arrival", at.arrival),
		Weight: r.number("weight", at.weight), Duration: r.number("duration", at.duration),
		Training: &workload.Training{Model: model, Batch: batch, Mode: workload.Static, Steps: r.whole("total steps", at.steps)},
	}
	j.Name = j.Class
	if at.mode >= 0 {
		j.Training.Mode = workload.Mode(cells[at.mode])
	}
	if slo := r.number("SLO", at.slo); slo > 0 && j.Duration > 0 {
		j.Deadline = j.Arrive + slo*j.Duration
	}
	if err != nil {
		return j, err
	}
	return j, r.checkMode(&j)
}

func (r *row) checkMode(j *workload.Job) error {
	switch j.Training.Mode {
	case workload.Static, workload.Accordion, workload.GNS:
		return r.err
	}
	return problemf("mode", "%q, want static, accordion or gns", j.Training.Mode)
}

var classForm = regexp.MustCompile(`^(.+?)(?: \(batch size ([0-9]+)\))?$`)

// ParseClass splits "ResNet-18 (batch size 32)" into its model and batch size;
// classes without a batch size have batch 0.
func ParseClass(s string) (model string, batch int, err error) {
	m := classForm.FindStringSubmatch(s)
	if m == nil {
		return "", 0, problemf("job type", "%q, want like \"ResNet-18 (batch size 32)\"", plain.Truncate(s, shownChars))
	}
	if m[2] != "" {
		if batch, err = strconv.Atoi(m[2]); err != nil || batch == 0 {
			return "", 0, problemf("job type", "the batch size of %q makes no sense", plain.Truncate(s, shownChars))
		}
	}
	return m[1], batch, nil
}
