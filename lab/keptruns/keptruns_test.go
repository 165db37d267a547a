package keptruns_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/lab/keptruns"
	"fairbridge/replica/measure"
)

func open(t *testing.T, path, program string, any bool) *keptruns.Folder {
	t.Helper()
	f, err := keptruns.Open(path, program, any)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestRunsComeBackExactly: what was kept is read back bit for bit, by the program that made it,
// and by another only where that is allowed.
func TestRunsComeBackExactly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs")
	run := &measure.Run{PolicyName: "drf", TraceName: "day", Seed: 7, ClusterGPUs: 32, MakespanSeconds: 1.0 / 3, HasOneSpeed: true, JobOutcomes: []measure.JobOutcome{{ID: 3, Account: "a", GPUCount: 2, Finish: 0.1 + 0.2}}}
	mine := open(t, path, "one", false)
	if got, err := mine.FindRun("k"); got != nil || err != nil {
		t.Fatalf("an empty folder has %v, %v", got, err)
	}
	if err := mine.KeepRun("k", run); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		program string
		any     bool
		want    *measure.Run
	}{{"one", false, run}, {"two", false, nil}, {"two", true, run}} {
		got, err := open(t, path, c.program, c.any).FindRun("k")
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("program %s, any %t: %v\n%s", c.program, c.any, err, diff)
		}
	}
	if got, err := open(t, path, "two", true).FindRun("other"); got != nil || err != nil {
		t.Errorf("another key has %v, %v", got, err)
	}
}

// TestBrokenRunIsNamed: a file that is none of ours is an error that says which it is.
func TestBrokenRunIsNamed(t *testing.T) {
	path := t.TempDir()
	if err := os.WriteFile(filepath.Join(path, "k.one.json.gz"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, path, "one", false).FindRun("k"); err == nil || !strings.Contains(err.Error(), "k.one.json.gz") {
		t.Errorf("the error is %v", err)
	}
}

func TestProgramHasOneHash(t *testing.T) {
	first, err := keptruns.HashProgram()
	second, _ := keptruns.HashProgram()
	if err != nil || len(first) != 16 || first != second {
		t.Errorf("hashes %q and %q (%v)", first, second, err)
	}
}
