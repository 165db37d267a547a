package doctor

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// maxRestdBytes is the resident size beyond which slurmrestd is said to hoard.
const maxRestdBytes = 2 << 30

// checkRestd looks at every slurmrestd on this host, containers' apart: its memory grows with every
// long list unless it is told otherwise, and compact JSON halves what it
// writes, from 26.05 on. proc is where the kernel shows processes; release is Slurm's, "" when
// unknown.
func (r *Report) checkRestd(proc, release string) {
	var hidden, large, hoards, blanks []string
	dirs, _ := filepath.Glob(filepath.Join(proc, "[0-9]*")) // fails only for a bad pattern
	for _, d := range dirs {
		name, err := os.ReadFile(filepath.Join(d, "comm"))
		if err != nil || strings.TrimSpace(string(name)) != "slurmrestd" {
			continue
		}
		if isInOtherNamespace(d) {
			continue
		}
		pid := filepath.Base(d)
		if size := readResidentBytes(d); size > maxRestdBytes {
			large = append(large, fmt.Sprintf("%s (%d MB)", pid, size>>20))
		}
		env, err := os.ReadFile(filepath.Join(d, "environ"))
		if err != nil {
			hidden = append(hidden, pid)
			continue
		}
		if !hasVariable(env, "MALLOC_ARENA_MAX=") {
			hoards = append(hoards, pid)
		}
		if !hasVariable(env, "SLURMRESTD_JSON=compact") {
			blanks = append(blanks, pid)
		}
	}
	r.addProcessFinding(hidden, LevelSkip, "run doctor as root", "environment not readable")
	r.addProcessFinding(large, LevelWarn, "Environment=MALLOC_ARENA_MAX=1 and MemoryMax= in its unit, -t 4 on its command line; restart it", "holds much memory")
	r.addProcessFinding(hoards, LevelWarn, "Environment=MALLOC_ARENA_MAX=1 in its unit, -t 4 on its command line", "keeps what every long list cost it")
	if release == "" || !isOlderRelease(release, "26.05") {
		r.addProcessFinding(blanks, LevelWarn, "Environment=SLURMRESTD_JSON=compact in its unit", "writes JSON with blanks: half as much again")
	}
}

// checkWay looks at whom the token can be given to on its way to slurmrestd.
func (r *Report) checkWay(url string) {
	if strings.HasPrefix(url, "http://") {
		fix := "have slurmrestd listen on a unix socket, as the quick start's unit does, " +
			"and set slurm.url: unix:///run/slurmrestd-fairbridge/rest.sock"
		r.addFinding("slurmrestd", LevelWarn, fix, "%s is a port that every user of this host may take while "+
			"slurmrestd is down: whoever does is given the token", url)
	}
}

// isInOtherNamespace reports whether a process has a number of its own in a namespace below
// ours: it is in a container, whose processes nobody knows by the numbers we see.
func isInOtherNamespace(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if numbers, ok := strings.CutPrefix(line, "NSpid:"); ok {
			return len(strings.Fields(numbers)) > 1
		}
	}
	return false
}

// addProcessFinding reports what holds of the processes, if there are any.
func (r *Report) addProcessFinding(pids []string, l Level, fix, what string) {
	if len(pids) > 0 {
		r.addFinding("slurmrestd", l, fix, "%s: process %s", what, strings.Join(pids, ", "))
	}
}

// hasVariable reports whether a variable of the environment begins like that.
func hasVariable(env []byte, prefix string) bool {
	return bytes.HasPrefix(env, []byte(prefix)) || bytes.Contains(env, []byte("\x00"+prefix))
}

// readResidentBytes returns the resident size of a process in bytes, 0 when unknown.
func readResidentBytes(dir string) int64 {
	text, err := os.ReadFile(filepath.Join(dir, "statm"))
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
