package startestimate

import (
	"strings"
	"testing"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/api"
	"fairbridge/bridge"
)

func TestParseDeadline(t *testing.T) {
	want := time.Date(2026, 12, 1, 9, 0, 0, 0, time.Local)
	for _, text := range []string{"2026-12-01T09:00", "2026-12-01T09:00:00", want.Format(time.RFC3339)} {
		if got, err := parseDeadline(text); err != nil || !got.Equal(want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if got, err := parseDeadline(""); err != nil || !got.IsZero() {
		t.Errorf("none: %v, %v", got, err)
	}
	if _, err := parseDeadline("tomorrow"); err == nil || !strings.Contains(err.Error(), "want a time like") {
		t.Error(err)
	}
}

func TestDeadlineText(t *testing.T) {
	d := &api.Deadline{At: noon.Add(3 * time.Hour), IsSoft: true, Chance: .42, LikelyBy: noon.Add(7 * time.Hour), Promise: &estimates.Promise{MadeAt: noon.Add(-time.Hour), Deadline: noon.Add(2 * time.Hour), Chance: .95}}
	text := DeadlineText(d, true, noon)
	for _, want := range []string{"Its soft deadline is 15:00:00.", "done by then is about 42 %; by 19:00:00", "fairbridge when --deadline", "told at least 95 %.", "Its deadline was 14:00:00 then."} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q: %s", want, text)
		}
	}
	d.Offers = []api.DeadlineOffer{{Job: startAt(4, 2*time.Hour, time.Hour).Job, Chance: .9, LikelyBy: noon.Add(2 * time.Hour)}}
	d.Offers[0].Job.Partition = "fast"
	if text = DeadlineText(d, true, noon); !strings.Contains(text, "Likelier, if submitted now in its stead: 4 a100 for 2h in partition fast (about 90 %, likely by 14:00:00).") || strings.Contains(text, "when --deadline") {
		t.Errorf("with offers: %s", text)
	}
	if text = DeadlineText(d, false, noon); !strings.Contains(text, "about 42 %; by 19:00:00 it would be likely") || strings.Contains(text, "Likelier") {
		t.Errorf("of one that runs: %s", text)
	}
	if text = DeadlineText(&api.Deadline{At: noon, Chance: .5}, false, noon); !strings.Contains(text, "its time limit may end it before") {
		t.Errorf("of one whose limit may end it: %s", text)
	}
	if text = DeadlineText(&api.Deadline{At: noon}, false, noon); strings.Contains(text, "chance") {
		t.Errorf("of one of which nothing is known: %s", text)
	}
}

func TestPrintDeadline(t *testing.T) {
	a := &api.When{Partition: "gpu", Mode: bridge.ModeRank, Policy: "fifo", AsOf: noon, JobStart: startAt(8, 4*time.Hour, 5*time.Hour)}
	a.Deadline = &api.Deadline{At: noon.Add(5 * time.Hour), Chance: .05, LikelyBy: noon.Add(8 * time.Hour)}
	if text := answerText(a); !strings.Contains(text, "done by 17:00:00 is at most 5 %; by 20:00:00 it would be likely") || !strings.Contains(text, "a later deadline is") {
		t.Error(text)
	}
	offer := startAt(4, 4*time.Hour, time.Hour)
	offer.Job.Partition = "fast"
	a.Deadline.Offers = []api.DeadlineOffer{{Job: offer.Job, Chance: .9, LikelyBy: noon.Add(4 * time.Hour)}}
	if text := answerText(a); !strings.Contains(text, "REQUEST PARTITION CHANCE LIKELY BY 4 a100 for 4h fast about 90 % 16:00:00") {
		t.Error(text)
	}
}
