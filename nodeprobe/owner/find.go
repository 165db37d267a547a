package owner

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fairbridge/nodeprobe"
)

// JobFinder looks processes up below Root, which is /proc but in tests.
type JobFinder struct {
	ProcDir string
}

// Lookup names the owners of processes at one moment; it tells a process that was there when it
// began from a later one that got the same number.
type Lookup struct {
	JobFinder
	beganAtTick uint64 // ticks since boot; 0: unknown
}

// ticksPerSecond is how many clock ticks Linux shows to programs per second.
const ticksPerSecond = 100

// BeginLookup begins a lookup: call it before the process numbers are taken.
func (f JobFinder) BeginLookup() Lookup {
	text, _, _ := strings.Cut(string(f.readFile(1<<10, "uptime")), " ")
	up, err := strconv.ParseFloat(text, 64)
	if err != nil || up < 0 {
		up = 0
	}
	return Lookup{JobFinder: f, beganAtTick: uint64(up * ticksPerSecond)}
}

// JobOfProcess returns the job of the process; the zero ProcessJob when it has none, is gone,
// or cannot be seen.
func (l Lookup) JobOfProcess(pid int) nodeprobe.ProcessJob {
	if l.isReused(pid) {
		return nodeprobe.ProcessJob{}
	}
	if o, ok := ParseCgroup(string(l.readProcessFile(pid, "cgroup", 64<<10))); ok {
		if o.Job == 0 {
			o.Job = l.jobByTitle(pid).Job // 26.05's path has the SLUID only
		}
		return o
	}
	if o := l.jobByTitle(pid); o.IsKnown() {
		return o
	}
	o, _ := ParseEnviron(l.readProcessFile(pid, "environ", 1<<20))
	return o
}

// isReused tells a process that started after the lookup began. The tick in which
// it began is given to the process.
func (l Lookup) isReused(pid int) bool {
	start, ok := ParseStartTime(l.readProcessFile(pid, "stat", 4<<10))
	return !ok || l.beganAtTick > 0 && start > l.beganAtTick+1
}

// jobByTitle returns the job of the slurmstepd above a process. Anybody can give a
// process that title, so it counts only when it is not of the same user,
// unless that user is root.
func (l Lookup) jobByTitle(pid int) nodeprobe.ProcessJob {
	at, user, ok := l.readParent(pid)
	for depth := 0; ok && at > 1 && depth < 64; depth++ {
		parent, uid, seen := l.readParent(at)
		if uid != user || uid == 0 {
			if o, found := ParseStepdTitle(l.readProcessFile(at, "cmdline", 4<<10)); found {
				return o
			}
		}
		at, ok = parent, seen
	}
	return nodeprobe.ProcessJob{}
}

func (l Lookup) readParent(pid int) (parent, uid int, ok bool) {
	return ParseStatus(l.readProcessFile(pid, "status", 16<<10))
}

func (l Lookup) readProcessFile(pid int, name string, most int64) []byte {
	return l.readFile(most, strconv.Itoa(pid), name)
}

// readFile returns up to so many bytes of a file, nil when it cannot be read.
func (f JobFinder) readFile(most int64, path ...string) []byte {
	file, err := os.Open(filepath.Join(append([]string{f.ProcDir}, path...)...))
	if err != nil {
		return nil
	}
	defer file.Close()
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(file, most)); err != nil {
		return nil
	}
	return b.Bytes()
}
