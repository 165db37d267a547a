package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/scripts/executable"
	"fairbridge/scripts/throwaway/livetest"
)

// TestCompareByAJobArray: an array of Slurm jobs makes the table that this machine makes alone, and
// what is there is not made again. On this machine's own release: the nodes of others have a file
// system of their own, in which neither the program nor the folder is.
func TestCompareByAJobArray(t *testing.T) {
	if release != releases[0] {
		t.Skip("runs on this machine's own Slurm")
	}
	begin(t)
	s := &site{t: t, slurm: livetest.Borrow(t, findRoot(t, release)), dir: t.TempDir()}
	s.clear()
	t.Cleanup(s.clear)
	path, err := labBinary()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sbatch", "squeue"} { // as this machine would have them
		words := s.slurm.Command(t.Context(), "root", name).Args
		if err := executable.Write(filepath.Join(s.dir, name), []byte(fmt.Sprintf("#!/bin/sh\nAS=root exec %s \"$@\"\n", strings.Join(words, " ")))); err != nil {
			t.Fatal(err)
		}
	}
	compare := func(more ...string) (string, string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), path, append([]string{"compare", "--generate", "philly", "--jobs", "20", "--cluster", "2x8",
			"--policy", "fifo,srtf", "--against", "slurm", "--seeds", "2"}, more...)...)
		c.Env = append(os.Environ(), "PATH="+s.dir+":"+os.Getenv("PATH"))
		var said strings.Builder
		c.Stderr = &said
		out, err := c.Output()
		if err != nil {
			t.Fatalf("compare %v: %v\n%s%s", more, err, out, &said)
		}
		return string(out), said.String()
	}
	want, _ := compare()
	submit := []string{"--runs", filepath.Join(s.dir, "runs"), "--submit", "--elements", "3", "--sbatch", "-p gpu --mem=500 -t 5"}
	if got, said := compare(submit...); got != want || !strings.Contains(said, "makes the 6 missing runs with 3 elements") {
		t.Errorf("it said %s\nthe table is\n%s\nwant\n%s", said, got, want)
	}
	if got, said := compare(submit...); got != want || strings.Contains(said, "job array") {
		t.Errorf("with everything there it said %s\n%s", said, got)
	}
}
