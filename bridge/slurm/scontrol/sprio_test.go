package scontrol

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairbridge/scripts/executable"
)

func TestParsePriorities(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       map[int64]JobPriority // nil: it cannot be read
	}{
		{"none waits", "", map[int64]JobPriority{}},
		{"some", "7 0 0 11000\n  9  -412 3 1\n11 2000000000 -5 2000011005\n", map[int64]JobPriority{7: {0, 0, 11000}, 9: {-412, 3, 1}, 11: {2000000000, -5, 2000011005}}},
		{"a job of two partitions", "7 5 0 300\n7 5 0 200\n", map[int64]JobPriority{7: {5, 0, 0}}},
		{"a header", "JOBID SITE NICE PRIORITY\n7 0 0 1\n", nil},
		{"a column less", "7 0 1\n", nil},
	} {
		got, err := parsePriorities([]byte(tt.text))
		if (err != nil) != (tt.want == nil) || err == nil && !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
	}
}

func TestCommandBeside(t *testing.T) {
	for _, tt := range []struct{ scontrol, want []string }{
		{[]string{"scontrol"}, []string{"sprio"}},
		{[]string{"ssh", "ctl", "/opt/slurm/bin/scontrol"}, []string{"ssh", "ctl", "/opt/slurm/bin/sprio"}},
		{[]string{"false"}, nil},
		{nil, nil},
	} {
		if got := CommandBeside(tt.scontrol, "sprio"); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.scontrol, got, tt.want)
		}
	}
}

// TestReadPrioritiesRunsSprio: the program beside scontrol is asked, and what it complains of is told.
func TestReadPrioritiesRunsSprio(t *testing.T) {
	dir := t.TempDir()
	scontrol := Command{filepath.Join(dir, "scontrol")}
	if _, err := scontrol.ReadPriorities(t.Context()); err == nil {
		t.Error("there is no sprio, and no error")
	}
	write := func(script string) {
		if err := executable.Write(filepath.Join(dir, "sprio"), []byte("#!/bin/sh\n"+script)); err != nil {
			t.Fatal(err)
		}
	}
	write(`[ "$*" = "--noheader --format=%i %S %N %Y" ] && echo "7 41 0 4307"`)
	if got, err := scontrol.ReadPriorities(t.Context()); err != nil || got[7] != (JobPriority{41, 0, 4307}) {
		t.Errorf("%v, %v", got, err)
	}
	write("echo sprio: error: no priority plugin >&2; exit 1")
	if _, err := scontrol.ReadPriorities(t.Context()); err == nil || !strings.Contains(err.Error(), "no priority plugin") {
		t.Errorf("%v", err)
	}
}
