package workload_test

import (
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/replica/workload"
)

// FuzzTables wants no file to break the reader of tables.
func FuzzTables(f *testing.F) {
	f.Add(tables)
	f.Add(`{"v100":{"x":{"null":1}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := workload.DecodeSpeedTables(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, typ := range got.GPUTypes() {
			for _, k := range got.ClassSizes(typ) {
				if v, ok := got.StepsAlone(typ, k.Class, k.GPUs); !ok || !(v >= 0) {
					t.Fatalf("%s %v: %g", typ, k, v)
				}
			}
		}
	})
}

const tables = `{"v100": {"('LM (batch size 5)', 1)": {"null": 12.5, "('A3C', 1)": [10, 3]}, "('A3C', 1)": {"null": 4, "('LM (batch size 5)', 1)": [3, 10]}},
"k80": {"('LM (batch size 5)', 2)": {"null": 0}}}`

func TestTables(t *testing.T) {
	got, err := workload.DecodeSpeedTables(strings.NewReader(tables))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tables.json.gz")
	if err := workload.SaveSpeedTables(path, got, false); err != nil {
		t.Fatal(err)
	}
	if got, err = workload.ReadSpeedTables(path); err != nil {
		t.Fatal(err)
	}
	if v, ok := got.StepsAlone("v100", "LM (batch size 5)", 1); !ok || v != 12.5 {
		t.Errorf("alone %g, %v", v, ok)
	}
	if v, ok := got.StepsBeside("v100", "A3C", 1, "LM (batch size 5)"); !ok || v != 3 {
		t.Errorf("beside %g, %v", v, ok)
	}
	if v, ok := got.StepsAlone("k80", "LM (batch size 5)", 2); !ok || v != 0 {
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
		_, err := workload.DecodeSpeedTables(strings.NewReader(strings.Replace(tables, old, c.with, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v\nwant %s", c.with, old, err, c.want)
		}
	}
	if _, err := workload.DecodeSpeedTables(strings.NewReader("{}")); err == nil {
		t.Error("empty tables are fine")
	}
}
