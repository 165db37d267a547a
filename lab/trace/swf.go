package trace

import (
	"bufio"
	"math"
	"strconv"
	"strings"
	"time"

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
