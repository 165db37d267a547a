package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// restMemory is the resident size beyond which slurmrestd is said to hoard.
const restMemory = 2 << 30

// Restd looks at a slurmrestd on this host, if there is one: its memory grows
// with every long list unless it is told otherwise, and compact JSON halves
// what it writes.
func (r *Report) Restd(proc string) {
	dirs, _ := filepath.Glob(filepath.Join(proc, "[0-9]*"))
	for _, d := range dirs {
		name, err := os.ReadFile(filepath.Join(d, "comm"))
		if err != nil || strings.TrimSpace(string(name)) != "slurmrestd" {
			continue
		}
		env, err := os.ReadFile(filepath.Join(d, "environ"))
		if err != nil {
			r.add("slurmrestd", Skip, "run doctor as root", "its environment (process %s) cannot be read", filepath.Base(d))
			continue
		}
		r.environment(filepath.Base(d), string(env), resident(d))
	}
}

func (r *Report) environment(pid, env string, rss int64) {
	if rss > restMemory {
		r.add("slurmrestd", Warn, "MALLOC_ARENA_MAX=1 in its environment and -t 4; set MemoryMax= on its unit", "process %s holds %d MB", pid, rss>>20)
	}
	if !strings.Contains(env, "MALLOC_ARENA_MAX=") {
		r.add("slurmrestd", Warn, "Environment=MALLOC_ARENA_MAX=1 in its unit, and -t 4", "process %s keeps what every long list cost it", pid)
	}
	if !strings.Contains(env, "SLURMRESTD_JSON=compact") {
		r.add("slurmrestd", Warn, "Environment=SLURMRESTD_JSON=compact in its unit (has an effect from 26.05)", "process %s writes JSON with blanks: half as much again", pid)
	}
}

// resident returns the resident size of a process in bytes, 0 when unknown.
func resident(dir string) int64 {
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
