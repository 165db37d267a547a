package ask

import (
	"strings"
	"testing"

	"fairbridge/accounting/report"
	"fairbridge/api"
	"fairbridge/api/page/recording"
	"fairbridge/cmd/internal/screenshottest"
)

// TestScreenshot makes the page of reports of the recorded day, and takes a picture of it where one is wanted.
func TestScreenshot(t *testing.T) {
	rec, err := recording.Demo()
	if err != nil {
		t.Fatal(err)
	}
	var all []*api.Report
	for _, name := range []string{"efficiency", "idle"} {
		answer := *rec.Reports[name]
		answer.Report, _ = report.FindReport(name)
		all = append(all, &answer)
	}
	a := &reportOptions{format: "html"}
	a.Cluster, a.Since, a.Until = all[0].Cluster, all[0].Since, all[0].Until
	var b strings.Builder
	if err := a.writeAnswers(&b, all); err != nil || !strings.Contains(b.String(), "Efficiency by account") {
		t.Fatalf("%v\n%s", err, b.String())
	}
	screenshottest.Take(t, b.String(), 1280, 800, "report")
}
