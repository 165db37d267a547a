package main

import (
	"strings"
	"testing"

	"fairbridge/scripts/verify/part"
)

// greenOnce is a site whose part was green and was recorded so, and to which commits came since.
func greenOnce(t *testing.T) site {
	t.Helper()
	s := newSite(t)
	s.want(0, "switch is green", "switch")
	s.commit("code", "since then")
	return s
}

func TestGateRunsOnePartAfterTheOther(t *testing.T) {
	s := newSite(t, part.Part{Name: "zero"}, part.Part{Name: "one"}, part.Part{Name: "two"})
	for i, want := range []string{"one", "two", "zero", "one"} {
		if _, printed := s.do("next"); !strings.HasPrefix(printed, want+"\n") {
			t.Errorf("commit %d has part %s, want %s", i+1, printed, want)
		}
		s.commits(1)
	}
}

func TestGateRecordsWhenItIsAsked(t *testing.T) {
	s := newSite(t)
	s.want(0, "STALE: never green", "gate")
	if s.recorded("switch") {
		t.Error("gate changed the tree")
	}
	s.want(0, "switch is green", "gate", "--record")
	if !s.recorded("switch") {
		t.Error("gate --record kept nothing")
	}
}

func TestGateIsRedWhereThePartWasNeverGreen(t *testing.T) {
	s := newSite(t)
	s.commit("switch", "")
	s.want(1, "never green", "gate")
}

func TestGateIsRedWhereTheCodeChanged(t *testing.T) {
	s := greenOnce(t)
	s.commit("switch", "")
	s.want(1, "a commit since then broke it", "gate")
	if left := s.must("worktree", "list"); strings.Contains(left, "\n") {
		t.Errorf("work trees are left:\n%s", left)
	}
}

// The committed program of the old tree finds it red there, as on a machine that changed.
func TestGateIsGreenAndLoudWhereTheMachineChanged(t *testing.T) {
	s := newSite(t)
	s.commit("own", "#!/bin/sh\necho it runs at $(git rev-parse HEAD)\nexit 1\n")
	s.want(0, "switch is green", "switch")
	old := s.must("rev-parse", "HEAD")
	s.commit("switch", "")
	status, printed := s.do("gate")
	if status != 0 || !strings.Contains(printed, "it runs at "+old) ||
		!strings.Contains(printed, "PART switch IS RED, AND RED ON COMMIT "+old[:8]+" TOO") {
		t.Errorf("status %d:\n%s", status, printed)
	}
	if !strings.HasSuffix(printed, "###\n<nil>") {
		t.Errorf("it is not said last:\n%s", printed)
	}
}

func TestGateIsRedWhereTheOldCommitCannotTell(t *testing.T) {
	s := newSite(t)
	for _, status := range []string{"2", "3"} { // it knows no such part, or could not judge it
		s.commit("own", "#!/bin/sh\nexit "+status+"\n")
		s.want(0, "switch is green", "switch")
		s.commit("switch", "")
		s.want(1, "it counts as never green", "gate")
		s.must("rm", "-q", "switch")
	}
	s.must("reset", "-q", "--hard")
	s.write("docs/verified.tsv", "part\tcommit\tdate\tseconds\nswitch\t"+strings.Repeat("0", 40)+"\t2026-01-01\t1\n")
	s.want(1, "it counts as never green", "gate")
}
