package ask

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/journal"
	"fairbridge/api"
)

func TestQueueEstimatesFitATerminal(t *testing.T) {
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	var e estimates.StoredEstimate
	e.MadeAt, e.Start.Early, e.Start.Middle, e.Start.Late = now.Add(-59*time.Minute-59*time.Second), now.Add(-time.Minute), now.Add(23*time.Hour+59*time.Minute), now.Add(13*24*time.Hour+23*time.Hour)
	past := e
	past.Start.Middle, past.Start.Late = now.Add(-10*time.Minute), now.Add(-2*time.Minute)
	rows := []api.QueueJob{
		{QueueRow: journal.QueueRow{Partition: "gpu-long", Rank: 1000, User: "a-long-user-name", State: "PENDING", GPUs: 128}, Address: "4711_[0-9]", Estimate: &e},
		{QueueRow: journal.QueueRow{Partition: "gpu-long", Rank: 1, User: "bob", State: "RUNNING", GPUs: 8}, Address: "7"},
		{QueueRow: journal.QueueRow{Partition: "gpu-long", Rank: 2, User: "cem", State: "PENDING", GPUs: 8}, Address: "8", Estimate: &past},
	}
	var b strings.Builder
	f := queueFlags{}
	f.columns, _ = findColumns("", estimateColumns)
	printQueueTable(&b, rows, &f, false, now)
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(line) - 1; n > 90 {
			t.Errorf("%d wide: %s", n, line)
		}
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{"PENDING now 23h59m 13d23h 59m59s", "RUNNING – – – –", "PENDING past past past 59m59s"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, b.String())
		}
	}
}
