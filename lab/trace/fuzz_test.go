package trace_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"fairbridge/lab/trace"
)

var seeds = []string{
	shockwave, gavel10, gavel7, phillyCSV, phillyLog, heliosCSV, itpCSV, tiresias60, pcsCSV, openbCSV, swfText, paiTasks,
	history("1|1|\"|x|ann|COMPLETED|2026-01-05T08:00:00|2026-01-05T08:00:00|2026-01-05T09:00:00|3600|gres/gpu=2",
		"9+1|2|a\nb\"|ann|FAILED|1767600000|1767600000|1767600060|60|gres/gpu=2"),
	sacctText, squeueText, squeueJSON, ownHead + `{"id":1,"gpus":2,"arrive":0,"duration":1,"limit":"2h","training":{"model":"LM","mode":"gns","steps":3}}`,
}

// FuzzRead wants no file to break the readers, and what they accept to make
// sense and to come back from our own format as it is.
func FuzzRead(f *testing.F) {
	f.Add(phillyCSV+"2017-10-09 07:01:55,66.0,1,66.0,m\xfcnchen\n", false)
	for i, s := range seeds {
		f.Add(s, i%2 == 0)
		f.Add(strings.Replace(s, "1", "-1", 3), true)
	}
	f.Fuzz(func(t *testing.T, text string, skip bool) {
		for _, format := range append(trace.FormatNames(), "") {
			tr, err := trace.Read(strings.NewReader(text), "t", trace.ReadOptions{Format: format, SkipBad: skip})
			if err != nil {
				continue
			}
			ids := map[int64]bool{}
			for i, j := range tr.Jobs {
				if ids[j.ID] || j.ID <= 0 || j.GPUs <= 0 || !(j.Arrive >= 0) || !(j.Duration >= 0) || i > 0 && j.Arrive < tr.Jobs[i-1].Arrive {
					t.Fatalf("%s: job %+v makes no sense", format, j)
				}
				ids[j.ID] = true
			}
			roundTrip(t, tr)
		}
	})
}

// TestDocumented reads the example of the documentation.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/simulation.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, found := bytes.Cut(page, []byte("```json\n"))
	example, _, closed := bytes.Cut(example, []byte("```"))
	if !found || !closed {
		t.Fatal("no example in docs/simulation.md")
	}
	tr, err := trace.Read(bytes.NewReader(example), "example", trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Jobs) != 2 || tr.Accounts[0].Weight != 3 || tr.Jobs[0].TimeLimit.Hours() != 4 {
		t.Errorf("%+v", tr)
	}
	for _, f := range trace.FormatNames() {
		if !bytes.Contains(page, []byte("| `"+f+"` |")) {
			t.Errorf("format %s is not in docs/simulation.md", f)
		}
	}
	if slices.Contains(trace.FormatNames(), "auto") {
		t.Error("auto is no format")
	}
}
