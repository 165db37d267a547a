package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/scripts/executable"
	"fairbridge/scripts/verify/part"
)

// site is a tree of git with parts of its own, and what verify printed there.
type site struct {
	verifier
	t   *testing.T
	out *bytes.Buffer
}

// newSite makes a repository with one commit, in which part "switch" is green while the file switch is not there.
func newSite(t *testing.T, parts ...part.Part) site {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git here, whose repositories this is about")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		t.Setenv("GIT_"+who+"_NAME", "A. Tester")
		t.Setenv("GIT_"+who+"_EMAIL", "tester@localhost")
	}
	if parts == nil {
		parts = []part.Part{{Name: "switch", Commands: [][]string{{"true"}, {"sh", "-c", "test ! -e switch"}}}}
	}
	out := new(bytes.Buffer)
	build := func(_ context.Context, tree string) (string, error) { return filepath.Join(tree, "own"), nil }
	s := site{verifier{t.TempDir(), parts, out, build}, t, out}
	s.must("init", "-q")
	s.must("config", "core.fsync", "none")
	s.write(".gitignore", "/bin/\n")
	s.write("docs/status.md", "above\n"+sectionBegin+sectionEnd+"below\n")
	s.commit("own", "#!/bin/sh\n[ $1 = switch ] || exit 2\n[ ! -e switch ]\n")
	return s
}

func (s site) must(args ...string) string {
	s.t.Helper()
	out, err := s.git(args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func (s site) write(name, text string) {
	s.t.Helper()
	name = filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := executable.Write(name, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

// commit writes a file and commits everything.
func (s site) commit(name, text string) {
	s.t.Helper()
	s.write(name, text)
	s.must("add", "-A")
	s.must("commit", "-qm", name)
}

// do runs verify and returns its exit status and what it printed.
func (s site) do(args ...string) (status int, printed string) {
	s.t.Helper()
	s.out.Reset()
	err := s.command(s.t.Context(), args)
	return exitStatus(err), fmt.Sprintf("%s%v", s.out, err)
}

// want runs verify and wants an exit status and words that it prints.
func (s site) want(status int, words string, args ...string) {
	s.t.Helper()
	if got, printed := s.do(args...); got != status || !strings.Contains(printed, words) {
		s.t.Errorf("verify %v: status %d, want %d and %q in:\n%s", args, got, status, words, printed)
	}
}

// recorded reports whether the part is green in the file at the commit that is checked out.
func (s site) recorded(name string) bool {
	s.t.Helper()
	rows, err := s.readRows(verifiedFile)
	if err != nil {
		s.t.Fatal(err)
	}
	row := lastGreen(rows, name)
	return row != nil && row[1] == s.must("rev-parse", "HEAD")
}

func TestGreenPartsAreKeptAndNotRunAgain(t *testing.T) {
	s := newSite(
		t,
		part.Part{Name: "good", Commands: [][]string{{"true"}}},
		part.Part{Name: "bad", Commands: [][]string{{"false"}}},
		part.Part{Name: "also", Commands: [][]string{{"true"}}},
	)
	s.want(1, "red: bad")
	if !s.recorded("good") || !s.recorded("also") || s.recorded("bad") {
		t.Error("what was green is not what is recorded")
	}
	s.commit("docs/repeats.tsv", "date\tcommit\ttest\n") // and the records that were just written
	s.want(1, "bad, 1 of 1")
	s.want(0, "good is green after", "good")
	s.commit("code", "other")
	s.want(1, "good, 1 of 3")
}

func TestPageAndFileAgree(t *testing.T) {
	s := newSite(t)
	s.want(0, "switch is green", "switch")
	page, err := os.ReadFile(filepath.Join(s.root, statusFile))
	row := fmt.Sprintf("| switch | %.8s | %s | 0 |\n", s.must("rev-parse", "HEAD"), today())
	if err != nil || !strings.Contains(string(page), row) || !strings.HasPrefix(string(page), "above\n") ||
		!strings.HasSuffix(string(page), "below\n") {
		t.Errorf("the page lacks %q, or text around it (%v):\n%s", row, err, page)
	}
	if section, err := (verifier{root: "../.."}).section(); err != nil {
		t.Error(err)
	} else if page, err := os.ReadFile("../../" + statusFile); err != nil || !strings.Contains(string(page), sectionBegin+section+sectionEnd) {
		t.Errorf("%s does not show %s and %s (%v), want between its marks:\n%s", statusFile, verifiedFile, repeatsFile, err, section)
	}
}

func TestATreeWithChangesIsNotRecorded(t *testing.T) {
	s := newSite(t)
	s.write("code", "changed, and not committed")
	s.want(0, "switch is not recorded", "switch")
	if s.recorded("switch") {
		t.Error("it is recorded")
	}
	s.commit("code", "committed")
	s.want(0, "switch is green", "switch")
	s.write("code", "changed again")
	s.want(0, "switch, 1 of 1") // the commit is green, this tree may not be
}

func TestAPartThatChangesTheTreeIsNotRecorded(t *testing.T) {
	s := newSite(t, part.Part{Name: "writes", Commands: [][]string{{"sh", "-c", "echo >left"}}})
	s.want(0, "writes is not recorded", "writes")
}

func TestPartsAreStaleAfter200Commits(t *testing.T) {
	s := newSite(t)
	s.want(0, "STALE: never green", "--list")
	s.want(0, "switch is green", "switch")
	s.commit("code", "kept")
	s.commits(199)
	s.want(0, ", 200 commits ago", "--list")
	if _, printed := s.do("--list"); strings.Contains(printed, "STALE") {
		t.Errorf("stale after 200 commits:\n%s", printed)
	}
	s.commits(1)
	s.want(0, ", 201 commits ago", "--list")
	s.write("docs/verified.tsv", "part\tcommit\tdate\tseconds\nswitch\t"+strings.Repeat("0", 40)+"\t2026-01-01\t1\n")
	s.want(0, "1 s, a commit that is not here", "--list")
}

// commits adds commits of the same tree.
func (s site) commits(n int) {
	s.t.Helper()
	head := s.must("symbolic-ref", "HEAD")
	var in strings.Builder
	for i := range n {
		fmt.Fprintf(&in, "commit %s\ncommitter A <a@localhost> 1700000000 +0000\ndata 0\n", head)
		if i == 0 {
			fmt.Fprintf(&in, "from %s^0\n", head)
		}
	}
	cmd := exec.Command("git", "fast-import", "--quiet")
	cmd.Dir, cmd.Stdin = s.root, strings.NewReader(in.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git fast-import: %v: %s", err, out)
	}
}

func TestUsage(t *testing.T) {
	s := newSite(t)
	for _, args := range []string{"none-such", "--help", "gate --other", "repeats", "switch none-such"} {
		s.want(2, "usage", strings.Fields(args)...)
	}
}

func TestLimitStopsAllThatAPartStarted(t *testing.T) {
	s := newSite(
		t,
		part.Part{
			Name:     "slow",
			Limit:    100 * time.Millisecond,
			Commands: [][]string{{"sh", "-c", "sleep 100 & sleep 100"}},
		},
	)
	s.want(1, "longer than its limit of 100ms", "slow")
}

func TestAPartKnowsItsNameAndItsEnvironment(t *testing.T) {
	show := [][]string{{"sh", "-c", "echo $FAIRBRIDGE_VERIFY $A $RAPID_SEED $GOFLAGS"}}
	s := newSite(
		t,
		part.Part{Name: "one", Env: []string{"A=b"}, Commands: show},
		part.Part{Name: "two", Env: []string{"FAIRBRIDGE_VERIFY=other"}, Commands: show},
	)
	t.Setenv("GOFLAGS", "-buildvcs=false")
	s.want(0, "one b 1 -buildvcs=false -trimpath -count=1\n", "one")
	s.want(0, "other 1 -buildvcs", "two")
	log, err := os.ReadFile(filepath.Join(s.root, "bin/verify/one.log"))
	if err != nil || !strings.Contains(string(log), "one b 1") {
		t.Errorf("the log has %q (%v)", log, err)
	}
}

func TestRepeatsAreKept(t *testing.T) {
	s := newSite(t)
	s.want(0, "<nil>", "repeats", filepath.Join(s.root, "bin/none"))
	s.write("bin/report", "")
	s.want(0, "<nil>", "repeats", filepath.Join(s.root, "bin/report"))
	if rows, err := s.readRows(repeatsFile); len(rows) != 0 || err != nil {
		t.Errorf("without repeats there are rows %v (%v)", rows, err)
	}
	s.write(
		"bin/report",
		"fairbridge/e2e.TestLease: 2 runs, 1 failures\nfairbridge/e2e.TestOrder/24.11: 3 runs, 2 failures\n",
	)
	s.want(
		0,
		"repeated: fairbridge/e2e.TestLease: 2 runs, 1 failures\nrepeated: fairbridge/e2e.TestOrder/24.11: 3",
		"repeats",
		filepath.Join(s.root, "bin/report"),
	)
	page, err := os.ReadFile(filepath.Join(s.root, statusFile))
	if rows, _ := s.readRows(repeatsFile); len(rows) != 2 || err != nil ||
		!strings.Contains(string(page), " | fairbridge/e2e.TestLease |\n") {
		t.Errorf("%v rows (%v), and the page:\n%s", rows, err, page)
	}
}

func TestWhatCouldNotBeJudgedIsNotRed(t *testing.T) {
	s := newSite(t)
	s.write("bin/verify", "no folder")
	s.want(3, "making the folder of logs", "switch")
	s.root = t.TempDir()
	s.want(3, "verify needs a clone of git")
}
