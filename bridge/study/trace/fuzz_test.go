package trace_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairbridge/bridge/study/trace"
)

var seeds = []string{
	shockwave, gavel10, gavel7, phillyCSV, phillyLog, heliosCSV, itpCSV, tiresias60, openbCSV, swfText, paiTasks,
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
		for _, format := range append(formatNames(), "") {
			tr, err := trace.Read(strings.NewReader(text), "t", trace.Options{Format: format, SkipBad: skip})
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

func formatNames() []string {
	var all []string
	for _, f := range trace.Formats() {
		all = append(all, f.Name)
	}
	return all
}

// FuzzTables wants no file to break the reader of tables.
func FuzzTables(f *testing.F) {
	f.Add(tables)
	f.Add(`{"v100":{"x":{"null":1}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := trace.DecodeTables(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, typ := range got.Types() {
			for _, k := range got.Classes(typ) {
				if v, ok := got.Alone(typ, k.Class, k.GPUs); !ok || !(v >= 0) {
					t.Fatalf("%s %v: %g", typ, k, v)
				}
			}
		}
	})
}

const tables = `{"v100": {"('LM (batch size 5)', 1)": {"null": 12.5, "('A3C', 1)": [10, 3]}, "('A3C', 1)": {"null": 4, "('LM (batch size 5)', 1)": [3, 10]}},
"k80": {"('LM (batch size 5)', 2)": {"null": 0}}}`

func TestTables(t *testing.T) {
	got, err := trace.DecodeTables(strings.NewReader(tables))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tables.json.gz")
	if err := trace.SaveTables(path, got, false); err != nil {
		t.Fatal(err)
	}
	if got, err = trace.ReadTables(path); err != nil {
		t.Fatal(err)
	}
	if v, ok := got.Alone("v100", "LM (batch size 5)", 1); !ok || v != 12.5 {
		t.Errorf("alone %g, %v", v, ok)
	}
	if v, ok := got.Beside("v100", "A3C", 1, "LM (batch size 5)"); !ok || v != 3 {
		t.Errorf("beside %g, %v", v, ok)
	}
	if v, ok := got.Alone("k80", "LM (batch size 5)", 2); !ok || v != 0 {
		t.Errorf("what does not fit: %g, %v", v, ok)
	}
	for old, c := range map[string]struct{ with, want string }{
		"12.5":              {`"fast"`, `v100: ('LM (batch size 5)', 1): null: want 1 speeds in steps per second, got "fast"`},
		"4,":                {"-4,", "a speed of -4 steps per second is negative"},
		"[10, 3]":           {"[10]", "('A3C', 1): want 2 speeds"},
		"('A3C', 1)\": [":   {"('A3C', 2)\": [", "a neighbour of 2 GPUs cannot share 1"},
		"('A3C', 1)\": {\"": {"A3C\": {\"", `want a key like "('ResNet-18 (batch size 32)', 2)", got "A3C"`},
		"\"k80\":":          {"\"k80\"", "want JSON of GPU type, job type and speed"},
	} {
		_, err := trace.DecodeTables(strings.NewReader(strings.Replace(tables, old, c.with, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v\nwant %s", c.with, old, err, c.want)
		}
	}
	if _, err := trace.DecodeTables(strings.NewReader("{}")); err == nil {
		t.Error("empty tables are fine")
	}
}

// TestDocumented reads the example of the documentation.
func TestDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../docs/simulation.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, found := bytes.Cut(page, []byte("```json\n"))
	example, _, closed := bytes.Cut(example, []byte("```"))
	if !found || !closed {
		t.Fatal("no example in docs/simulation.md")
	}
	tr, err := trace.Read(bytes.NewReader(example), "example", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Jobs) != 2 || tr.Accounts[0].Weight != 3 || tr.Jobs[0].Limit.Hours() != 4 {
		t.Errorf("%+v", tr)
	}
	for _, f := range formatNames() {
		if !bytes.Contains(page, []byte("| `"+f+"` |")) {
			t.Errorf("format %s is not in docs/simulation.md", f)
		}
	}
	if slices.Contains(formatNames(), "auto") {
		t.Error("auto is no format")
	}
}
