package evaluation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/scripts/verify/part"
)

// TestStartEstimatesAreASection wants a row for every workload, and the rest of the page as it was.
func TestStartEstimatesAreASection(t *testing.T) {
	part.Only(t, "studies")
	path := filepath.Join(t.TempDir(), "evaluation.md")
	rest := "# Evaluation\n\nhead\n\n## Speed\n\nfast\n"
	if err := os.WriteFile(path, []byte(rest), 0o600); err != nil {
		t.Fatal(err)
	}
	o := StartEstimateOptions{IsQuick: true, ReportProgress: func(string) {}}
	if err := WriteStartEstimates(t.Context(), path, o); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	workloads, _, err := o.workloads()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range workloads {
		if !strings.Contains(page, "\n| "+w.title+" | ") {
			t.Errorf("no row for %s", w.title)
		}
	}
	if !strings.Contains(page, "\n| up to 10m | ") {
		t.Errorf("no row for what seemed near: %s", page)
	}
	begin, end := findSection(page, startEstimatesTitle)
	if got := page[:begin] + page[end:]; got != rest {
		t.Errorf("the rest of the page is now %q", got)
	}
	if strings.Contains(page, "NaN") || strings.Contains(page, "%!") {
		t.Errorf("a figure is none: %s", page[begin:end])
	}
}
