package settings

import (
	"testing"
	"time"
)

// An admin reads beforehand on which days a canary decides, and that it has ended.
func TestDescribeCanaries(t *testing.T) {
	f := &File{Partitions: []Partition{
		{Name: "cpu"},
		{Name: "gpu", Policy: "fairbridge", Canary: Canary{Policy: "srtf", DaysPerWeek: 2, Seed: 1, Since: "2026-03-02", Until: "2026-03-08", TimeZone: "Europe/Berlin"}},
	}}
	for at, want := range map[string]string{
		"2026-03-04T12:00:00Z": "Partition gpu: srtf decides in place of fairbridge from 2026-03-02 until 2026-03-08, next on Thu 2026-03-05, Sun 2026-03-08; days begin at midnight in Europe/Berlin.",
		"2026-03-05T23:30:00Z": "Partition gpu: srtf decides in place of fairbridge from 2026-03-02 until 2026-03-08, next on Sun 2026-03-08; days begin at midnight in Europe/Berlin.",
		"2026-03-09T12:00:00Z": "Partition gpu: srtf decides in place of fairbridge from 2026-03-02 until 2026-03-08, on no day any more; days begin at midnight in Europe/Berlin.",
	} {
		moment, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.DescribeCanaries(moment); len(got) != 1 || got[0] != want {
			t.Errorf("at %s:\n%q, want\n%q", at, got, want)
		}
	}
}
