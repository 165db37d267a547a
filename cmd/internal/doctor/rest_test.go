package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// process writes what the kernel shows of a process. Without env the
// environment may not be read.
func process(t *testing.T, proc, pid, comm, env string, megabytes int) {
	t.Helper()
	dir := filepath.Join(proc, pid)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	pages := megabytes << 20 / os.Getpagesize()
	for name, text := range map[string]string{
		"comm": comm + "\n", "environ": env, "statm": fmt.Sprintf("%d %d 10 1 0 5 0\n", pages*2, pages),
	} {
		if name == "environ" && env == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// namespaced adds the numbers that a process has in our namespace and in those below.
func namespaced(t *testing.T, proc, pid, numbers string) {
	t.Helper()
	text := "Name:\tslurmrestd\nNStgid:\t" + numbers + "\nNSpid:\t" + numbers + "\nThreads:\t1\n"
	if err := os.WriteFile(filepath.Join(proc, pid, "status"), []byte(text), 0o444); err != nil {
		t.Fatal(err)
	}
}

func TestRestd(t *testing.T) {
	const fine = "PATH=/bin\x00MALLOC_ARENA_MAX=1\x00SLURMRESTD_JSON=compact\x00"
	type line struct {
		Level Level
		Text  string
	}
	for _, tt := range []struct {
		name string
		fill func(proc string)
		want []line
	}{
		{"none", func(proc string) { process(t, proc, "1", "systemd", "A=b", 10) }, nil},
		{"fine", func(proc string) { process(t, proc, "20", "slurmrestd", fine, 200) }, nil},
		{"first in its environment", func(proc string) {
			process(t, proc, "20", "slurmrestd", "MALLOC_ARENA_MAX=1\x00SLURMRESTD_JSON=compact\x00", 200)
		}, nil},
		{"only alike", func(proc string) {
			process(t, proc, "20", "slurmrestd", "XMALLOC_ARENA_MAX=1\x00SLURMRESTD_JSON=pretty\x00", 200)
		}, []line{{LevelWarn, "keeps what every long list cost it: process 20"}, {LevelWarn, "writes JSON with blanks: half as much again: process 20"}}},
		{"two, told together", func(proc string) {
			process(t, proc, "20", "slurmrestd", "A=b\x00", 3000)
			process(t, proc, "21", "slurmrestd", "A=b\x00", 30)
			process(t, proc, "22", "slurmctld", "A=b\x00", 9000)
		}, []line{
			{LevelWarn, "holds much memory: process 20 (3000 MB)"},
			{LevelWarn, "keeps what every long list cost it: process 20, 21"},
			{LevelWarn, "writes JSON with blanks: half as much again: process 20, 21"},
		}},
		{"of another user", func(proc string) { process(t, proc, "20", "slurmrestd", "", 3000) }, []line{
			{LevelSkip, "environment not readable: process 20"}, {LevelWarn, "holds much memory: process 20 (3000 MB)"},
		}},
		{"one of a container's", func(proc string) {
			process(t, proc, "20", "slurmrestd", "A=b\x00", 3000)
			namespaced(t, proc, "20", "20\t7")
			process(t, proc, "21", "slurmrestd", "", 30)
			namespaced(t, proc, "21", "21")
		}, []line{{LevelSkip, "environment not readable: process 21"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			proc := t.TempDir()
			tt.fill(proc)
			var r Report
			r.checkRestd(proc, "26.05.5")
			var got []line
			for _, f := range r {
				if f.Fix == "" {
					t.Errorf("no fix: %+v", f)
				}
				got = append(got, line{f.Level, f.Text})
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestRestdBefore2605: what has no effect yet is not asked for.
func TestRestdBefore2605(t *testing.T) {
	for release, want := range map[string]int{"22.05.8": 0, "25.11.1": 0, "26.05.0": 1, "": 1} {
		proc := t.TempDir()
		process(t, proc, "20", "slurmrestd", "MALLOC_ARENA_MAX=1\x00", 200)
		var r Report
		r.checkRestd(proc, release)
		if len(r) != want {
			t.Errorf("Slurm %q: %+v, want %d findings", release, r, want)
		}
	}
}

// TestWay: a port that anybody may take is warned of, a socket and TLS are not.
func TestWay(t *testing.T) {
	for url, want := range map[string]int{"http://localhost:6820": 1, "unix:///run/r.sock": 0, "https://ctl:6820": 0} {
		var r Report
		if r.checkWay(url); len(r) != want || want == 1 && r[0].Level != LevelWarn {
			t.Errorf("%s: %v", url, r)
		}
	}
}
