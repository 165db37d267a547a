package published

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"fairbridge/lab/trace"
	"fairbridge/replica/policyset"
)

const shared = "../../../shared/traces/shockwave"

// TestFind wants both published traces to be known by their content, and no
// other: one job more or less, or another cluster.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		file string
		gpus int
	}{{"120_32gpus.trace", 32}, {"220_64gpus.trace", 64}} {
		tr, err := trace.ReadFile(filepath.Join(shared, c.file), trace.ReadOptions{})
		if err != nil {
			t.Skipf("the published traces are not here: %v", err)
		}
		if FindResultSet(tr.Jobs, c.gpus) == nil {
			t.Errorf("%s on %d GPUs is not known: its hash is %s", c.file, c.gpus, HashJobs(tr.Jobs))
		}
		if FindResultSet(tr.Jobs, c.gpus*2) != nil {
			t.Errorf("%s is known on %d GPUs", c.file, c.gpus*2)
		}
		other := slices.Clone(tr.Jobs)
		other[7].GPUs++
		if FindResultSet(other, c.gpus) != nil || FindResultSet(tr.Jobs[1:], c.gpus) != nil {
			t.Errorf("%s is known when changed", c.file)
		}
	}
}

// TestOurs wants the names of our policies to be names.
func TestOurs(t *testing.T) {
	for _, s := range resultSets {
		for _, r := range s.Rows {
			if _, err := policyset.ParsePolicies(r.OurPolicy, true); err != nil {
				t.Errorf("%s, %s: %v", s.Title, r.Name, err)
			}
		}
	}
}

// TestRowsAreTheFiles holds our rows against the published files.
func TestRowsAreTheFiles(t *testing.T) {
	f, err := os.Open(filepath.Join(shared, "results.csv"))
	if err != nil {
		t.Skipf("the published results are not here: %v", err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range resultSets {
		for _, r := range s.Rows {
			want := []float64{float64(s.JobCount), float64(s.ClusterGPUs), r.Makespan, r.AvgJCT, r.WorstRho, r.MeanRho, r.UnfairShare, r.Utilization}
			if !slices.ContainsFunc(lines[1:], func(l []string) bool { return same(l, want) }) {
				t.Errorf("%s, %s: no line of the file has these figures", s.Title, r.Name)
			}
		}
	}
}

// same reports whether a line of the file has the figures.
func same(line []string, want []float64) bool {
	for i, column := range []int{2, 3, 5, 6, 7, 8, 9, 11} {
		if v, err := strconv.ParseFloat(line[column], 64); err != nil || v != want[i] {
			return false
		}
	}
	return true
}
