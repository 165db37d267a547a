// Package readertest asks every command that only reads, on a site where some jobs have
// run, and wants an answer from each. Tests of the quick start and of the demonstration
// share it.
package readertest

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"fairbridge/accounting/report"
)

// Site is a place where fairbridge is installed and has seen jobs.
type Site struct {
	Run  func(args ...string) (string, error) // runs fairbridge and returns what it printed; an error for any status but 0
	Jobs []string                             // jobs as a user names them: done, running, waiting, tasks of arrays
	// EmptyReports are the names of reports that have nothing to say on such a site.
	EmptyReports []string
	// UncertainReports are the names of reports that may have something to say there or not.
	UncertainReports []string
	// IsIdle says that no job waits or runs there now.
	IsIdle bool
}

// CheckAll asks every command that reads, of the database and of Slurm as it is now, each as
// text and as JSON.
func CheckAll(t testing.TB, s Site) {
	t.Helper()
	CheckDatabase(t, s)
	s.askBoth(t, "plan")
	s.askBoth(t, "doctor")
}

// CheckDatabase asks every report, and job, queue, explain and db status, which need no Slurm
// whose clock is ours.
func CheckDatabase(t testing.TB, s Site) {
	t.Helper()
	for _, r := range report.AllReports() {
		s.checkReport(t, r.Name)
	}
	s.ask(t, "report", "all")
	s.checkQueue(t)
	s.askBoth(t, "db", "status")
	if len(s.Jobs) == 0 {
		t.Error("no job to ask about")
	}
	for _, job := range s.Jobs {
		s.askBoth(t, "job", job)
		s.askBoth(t, "explain", job)
	}
}

// checkQueue wants jobs in the queue, or the sentence that there are none.
func (s Site) checkQueue(t testing.TB) {
	t.Helper()
	if !s.IsIdle {
		s.askBoth(t, "queue")
		return
	}
	if text := s.ask(t, "queue"); !strings.Contains(text, "saw no GPU jobs") {
		t.Errorf("nothing waits or runs, and the queue says:\n%s", text)
	}
	var queue struct{ Jobs []any }
	if text := s.ask(t, "queue", "--json"); json.Unmarshal([]byte(text), &queue) != nil || queue.Jobs == nil || len(queue.Jobs) > 0 {
		t.Errorf("nothing waits or runs, and queue --json says:\n%s", text)
	}
}

// checkReport wants rows with figures of a report.
func (s Site) checkReport(t testing.TB, name string) {
	t.Helper()
	s.ask(t, "report", name)
	var answer struct{ Rows []map[string]any }
	text := s.ask(t, "report", name, "--json")
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Errorf("report %s: %v:\n%s", name, err, text)
		return
	}
	if slices.Contains(s.UncertainReports, name) {
		return
	}
	if got, want := hasFigure(answer.Rows), !slices.Contains(s.EmptyReports, name); got != want {
		t.Errorf("report %s: figures there %v, want %v:\n%s", name, got, want, text)
	}
}

// hasFigure reports whether a cell of the rows is a number other than 0.
func hasFigure(rows []map[string]any) bool {
	for _, row := range rows {
		for _, cell := range row {
			if n, ok := cell.(float64); ok && n != 0 {
				return true
			}
		}
	}
	return false
}

// askBoth asks for text and for JSON.
func (s Site) askBoth(t testing.TB, words ...string) {
	t.Helper()
	s.ask(t, words...)
	text := s.ask(t, append(words[:len(words):len(words)], "--json")...)
	if t := strings.TrimSpace(text); t == "" || t == "[]" || t == "{}" || t == "null" || !json.Valid([]byte(t)) {
		text = ""
	}
	if text == "" {
		t.Errorf("fairbridge %s --json says nothing that can be read", strings.Join(words, " "))
	}
}

// ask runs one command, which must end well and print something.
func (s Site) ask(t testing.TB, words ...string) string {
	t.Helper()
	out, err := s.Run(words...)
	if err != nil || strings.TrimSpace(out) == "" {
		t.Errorf("fairbridge %s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return out
}
