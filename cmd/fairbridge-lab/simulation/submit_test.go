package simulation

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/cmd/internal/cli"
	"fairbridge/scripts/executable"
)

// elementVariable makes this test binary the program that elements of an array run.
const elementVariable = "FAIRBRIDGE_TEST_ELEMENT"

func TestMain(m *testing.M) {
	if os.Getenv(elementVariable) == "" {
		os.Exit(m.Run())
	}
	c := NewCompareCommand(&cli.Options{})
	c.SetArgs(os.Args[2:]) // after "compare"
	if c.Execute() != nil {
		os.Exit(1)
	}
}

// blindNodes makes every element of fakeSlurm one that ends before it has a log.
const blindNodes = "blind"

// fakeSlurm puts an sbatch into the PATH that runs every element at once, and a squeue that shows
// none. failing elements end before they begin.
func fakeSlurm(t *testing.T, failing string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sbatch": `for f; do case $f in --array=0-*) last=${f#--array=0-};; --output=*) log=${f#--output=};; esac; done
echo "$@" >` + dir + `/flags; cat >` + dir + `/script; i=0
[ "` + failing + `" = ` + blindNodes + ` ] && i=$((last + 1))
while [ $i -le $last ]; do [ "$i" = "` + failing + `" ] || ` + elementVariable + `=1 SLURM_ARRAY_TASK_ID=$i sh ` + dir + `/script >$(dirname "$log")/log-47_$i 2>&1; i=$((i + 1)); done
echo "47;lab"`,
		"squeue": `exit 0`,
	} {
		if err := executable.Write(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// runCompare runs the command and returns what it printed, the time simulations took left out.
func runCompare(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	c := NewCompareCommand(&cli.Options{})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetOut(&out)
	c.SetErr(&errs)
	c.SetArgs(append([]string{"--generate", "philly", "--jobs", "20", "--cluster", "2x8", "--policy", "fifo,srtf", "--against", "slurm", "--seeds", "2", "--opted-in", "none,all"}, args...))
	err = c.ExecuteContext(t.Context())
	return out.String(), errs.String(), err
}

// TestSubmitPrintsTheSameTable: an array makes the same table as this process alone, what is there
// is not made again, and what an element did not make is said to be missing and made the next time.
func TestSubmitPrintsTheSameTable(t *testing.T) {
	want, _, err := runCompare(t)
	if err != nil {
		t.Fatal(err)
	}
	fakeSlurm(t, "1")
	runs := filepath.Join(t.TempDir(), "runs of 'mine'")
	submit := []string{"--runs", runs, "--submit", "--elements", "5", "--sbatch", "-p cpu"}
	if _, _, err := runCompare(t, submit...); err == nil || !strings.Contains(err.Error(), "3 runs are missing in the table") || !strings.Contains(err.Error(), "log-47_*") {
		t.Errorf("with an element that failed: %v", err)
	}
	before := listFiles(t, runs)
	fakeSlurm(t, "none")
	got, said, err := runCompare(t, submit...)
	if err != nil || got != want {
		t.Errorf("%v; the table is\n%s\nwant\n%s", err, got, want)
	}
	if !strings.Contains(said, "job array 47 makes the 3 missing runs with 5 elements") {
		t.Errorf("said %q", said)
	}
	after := listFiles(t, runs)
	for name, at := range before {
		if after[name] != at {
			t.Errorf("%s was made again", name)
		}
	}
	if got, said, err := runCompare(t, submit...); err != nil || got != want || strings.Contains(said, "job array") {
		t.Errorf("with everything there: %v, %q, %s", err, said, got)
	}
	if got, _, err := runCompare(t, "--runs", runs); err != nil || got != want {
		t.Errorf("read back without an array: %v, %s", err, got)
	}
}

// TestSubmitSaysWhyNothingWasMade: nodes that do not see the folder leave no log, which is said; else the
// words of an element that failed are.
func TestSubmitSaysWhyNothingWasMade(t *testing.T) {
	for failing, want := range map[string][]string{
		blindNodes: {"no element of job array 47 could write its log into ", "name a folder with --runs that the nodes see", "sacct -j 47"},
		"none":     {"log-47_0: \"", "fairbridge: not found"},
	} {
		fakeSlurm(t, failing)
		runs := t.TempDir()
		a := &jobArray{folder: runs, elementCount: 2, command: []string{filepath.Join(runs, "fairbridge")}}
		if err := a.submit(t.Context()); err != nil {
			t.Fatal(err)
		}
		err := (&submitFlags{missingCount: 3, made: a}).describeMissing()
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v does not say %q", failing, err, w)
			}
		}
	}
}

// TestPageOfKeptRuns: what is not kept of a run is not drawn.
func TestPageOfKeptRuns(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]bool{"kept.html": false, "made.html": true} {
		args := []string{"--generate", "philly", "--jobs", "20", "--cluster", "2x8", "--policy", "fifo,srtf", "--html", filepath.Join(dir, name)}
		if name == "kept.html" {
			args = append(args, "--runs", dir)
		}
		c := NewCompareCommand(&cli.Options{})
		c.SetOut(new(bytes.Buffer))
		c.SetErr(new(bytes.Buffer))
		c.SetArgs(args)
		if err := c.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || strings.Contains(string(page), "GPUs in use") != want || !strings.Contains(string(page), "Finish-time fairness") {
			t.Errorf("%s: %v, draws the course over time: want %t", name, err, want)
		}
	}
}

// listFiles returns when each kept run was written.
func listFiles(t *testing.T, dir string) map[string]time.Time {
	t.Helper()
	at := map[string]time.Time{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".json.gz") {
			return err
		}
		info, err := d.Info()
		if err == nil {
			at[path] = info.ModTime()
		}
		return err
	})
	if err != nil || len(at) == 0 {
		t.Fatalf("%d runs in %s, %v", len(at), dir, err)
	}
	return at
}

func TestSubmitWithoutSlurm(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, _, err := runCompare(t, "--runs", t.TempDir(), "--submit")
	if err == nil || !strings.Contains(err.Error(), "submitting the runs by sbatch") || !strings.Contains(err.Error(), "leave out --submit") {
		t.Errorf("%v", err)
	}
}

func TestSubmitFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--submit":                             "--runs DIR",
		"--part=1/3":                           "--runs DIR",
		"--runs=x --submit --part=1/3":         "leave out --part",
		"--runs=x --sbatch=-pcpu":              "add --submit",
		"--runs=x --elements=3":                "add --submit",
		"--runs=x --submit --elements=0":       "elements",
		"--runs=x --part=3/3":                  "not a part",
		"--runs=x --part=-1/3":                 "not a part",
		"--runs=x --part=one":                  "not a part",
		"--runs=x --part=1/0":                  "not a part",
		"--runs=/dev/null/x --submit":          "folder for runs",
		"--runs=x --submit --elements=1000000": "elements",
	} {
		if _, _, err := runCompare(t, strings.Fields(args)...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}

func TestElementScript(t *testing.T) {
	a := &jobArray{elementCount: 9, command: []string{"/opt/it's here/fairbridge", "compare", "--policy=a:b=1;2,c"}}
	want := "#!/bin/sh\nexec " + `'/opt/it'\''s here/fairbridge' 'compare' '--policy=a:b=1;2,c' --part="$SLURM_ARRAY_TASK_ID/9"` + "\n"
	if got := a.script(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
