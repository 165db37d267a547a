package sites_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairbridge/lab/sites"
)

func str(n int) string { return strconv.Itoa(n) }

// writeLog writes a log of jobs of two processors, an hour each, of which the first half
// arrives at load .5 of a machine of 16 processors, the other at load 1.
func writeLog(t *testing.T, jobs int) (folder string) {
	var b bytes.Buffer
	at := 0
	for i := range jobs {
		b.WriteString(strings.Join([]string{str(i + 1), str(at), "-1", "3600", "2", "-1", "-1", "2", "7200", "-1", "1",
			str(i % 3), "1", "-1", "-1", "-1", "-1", "-1"}, " ") + "\n")
		at += 450
		if i < jobs/2 {
			at += 450
		}
	}
	folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "log.swf"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

// TestChooseWindows wants only windows in which jobs wait where there are enough, each of jobs that follow one another.
func TestChooseWindows(t *testing.T) {
	site := sites.Site{Name: "made", File: "log.swf", Processors: 16}
	for name, c := range map[string]struct {
		jobs     int
		isScaled bool
		first    []int
	}{
		"enough": {8000, false, []int{4000, 5000, 6000, 6500, 7500}},
		"few":    {4000, true, []int{500, 1500, 2000, 2500, 3500}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := writeLog(t, c.jobs)
			log, err := site.Load(folder)
			if err != nil {
				t.Fatal(err)
			}
			windows := site.ChooseWindows(log)
			var first []int
			for _, w := range windows {
				first = append(first, w.FirstJob)
				s, err := w.Take(log)
				if err != nil {
					t.Fatal(err)
				}
				load := s.OfferedLoad(0, len(s.Jobs))
				if w.IsScaled != c.isScaled || load < sites.LeastLoad || load > sites.MostLoad ||
					len(s.Accounts) != 3 || len(s.History.Runs) == 0 || !s.Jobs[0].IsUnstoppable || !s.Jobs[0].IsSilent {
					t.Errorf("%+v: load %.2f, accounts %v, %d runs before", w, load, s.Accounts, len(s.History.Runs))
				}
			}
			if !slices.Equal(first, c.first) {
				t.Errorf("windows from jobs %v, want %v", first, c.first)
			}
		})
	}
}

// TestWindowsAreReadBack wants a list back as it was written, and a bad line named.
func TestWindowsAreReadBack(t *testing.T) {
	a := sites.Site{Name: "A", File: "a.swf", Processors: 12}
	other := sites.Site{Name: "B b", File: "b.swf.gz", Processors: 4096}
	windows := []sites.Window{
		{Site: a, FirstJob: 500, JobCount: 500, Load: .91}, {Site: other, JobCount: 7, Load: 2, IsScaled: true},
	}
	var b bytes.Buffer
	if err := sites.WriteWindows(&b, windows); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if got, err := sites.ReadWindows(&b); err != nil || !slices.Equal(got, windows) {
		t.Errorf("read back: %+v, %v", got, err)
	}
	for name, bad := range map[string]string{
		"another head": "site\n", "a word for a number": strings.Replace(text, "\t7\t", "\tseven\t", 1),
		"no processors": strings.Replace(text, "4096", "0", 1), "too few cells": text + "C\n",
	} {
		if _, err := sites.ReadWindows(strings.NewReader(bad)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
