// Package owner finds the Slurm job of a process on this node: by its cgroup,
// which only root can change; where Slurm keeps no cgroups, by the title of the
// slurmstepd above it; and last by its environment, which the user can change
// and which is therefore marked.
package owner

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"fairbridge/nodeprobe"
)

// Slurm's cgroups: v1 below uid_N of every controller; v2 below the scope of
// slurmstepd, by job or, since 26.05, by the run's SLUID. The node's name is a
// part of the path where several slurmd share a host.
var (
	cgroupV1Pattern = regexp.MustCompile(`^(?:.*?/)?slurm(?:_[^/]+)?/uid_\d+/job_(\d+)/step_([^/]+)`)
	cgroupV2Pattern = regexp.MustCompile(`^(?:.*?/)?(?:[^/]+_)?slurmstepd\.scope/(?:job_(\d+)|(s[0-9A-Z]{13}))/step_([^/]+)`)
)

// ParseCgroup returns the job of the process whose /proc/PID/cgroup this is.
// Below user.slice a user makes cgroups of any name: they count for nothing.
// Of nested names the outermost counts, since Slurm made that one.
func ParseCgroup(text string) (nodeprobe.ProcessJob, bool) {
	for line := range strings.Lines(text) {
		_, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		_, path, ok := strings.Cut(rest, ":")
		if !ok || strings.HasPrefix(path, "/user.slice/") {
			continue
		}
		if o, ok := jobFromPath(path); ok {
			return o, true
		}
	}
	return nodeprobe.ProcessJob{}, false
}

func jobFromPath(path string) (nodeprobe.ProcessJob, bool) {
	if m := cgroupV1Pattern.FindStringSubmatch(path); m != nil {
		return newProcessJob(m[1], "", m[2])
	}
	if m := cgroupV2Pattern.FindStringSubmatch(path); m != nil {
		return newProcessJob(m[1], m[2], m[3])
	}
	return nodeprobe.ProcessJob{}, false
}

func newProcessJob(job, sluid, step string) (nodeprobe.ProcessJob, bool) {
	o := nodeprobe.ProcessJob{SLUID: sluid, Step: step, KnownBy: "cgroup"}
	if job == "" {
		return o, true
	}
	id, ok := parseJobID(job)
	o.Job = id
	return o, ok
}

// parseJobID reads a job id: positive, and of a size Slurm can give.
func parseJobID(s string) (int64, bool) {
	id, err := strconv.ParseUint(s, 10, 32)
	return int64(id), err == nil && id > 0
}

var stepdTitlePattern = regexp.MustCompile(`^slurmstepd: \[(\d+)(?:\+\d+)?\.([^\]]+)\]`)

// ParseStepdTitle returns the job of a slurmstepd whose /proc/PID/cmdline this is.
func ParseStepdTitle(cmdline []byte) (nodeprobe.ProcessJob, bool) {
	m := stepdTitlePattern.FindSubmatch(cmdline)
	if m == nil {
		return nodeprobe.ProcessJob{}, false
	}
	id, ok := parseJobID(string(m[1]))
	return nodeprobe.ProcessJob{Job: id, Step: string(m[2]), KnownBy: "title"}, ok
}

// ParseEnviron returns the job that a process's environment names. The first
// of several equal names counts, as for programs.
func ParseEnviron(environ []byte) (nodeprobe.ProcessJob, bool) {
	values := map[string]string{}
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		name, value, ok := strings.Cut(string(entry), "=")
		if _, seen := values[name]; ok && !seen && strings.HasPrefix(name, "SLURM_") {
			values[name] = value
		}
	}
	id, ok := parseJobID(values["SLURM_JOB_ID"])
	if !ok {
		return nodeprobe.ProcessJob{}, false
	}
	o := nodeprobe.ProcessJob{Job: id, Step: values["SLURM_STEP_ID"], KnownBy: "environ"}
	if s := values["SLURM_JOB_SLUID"]; sluidPattern.MatchString(s) {
		o.SLUID = s
	}
	return o, true
}

var sluidPattern = regexp.MustCompile(`^s[0-9A-Z]{13}$`)

// ParseStartTime returns when the process of a /proc/PID/stat started, in clock
// ticks since boot. The command's name, in brackets, may contain anything.
func ParseStartTime(stat []byte) (ticks uint64, ok bool) {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return 0, false
	}
	f := bytes.Fields(stat[end+1:])
	if len(f) < 20 {
		return 0, false
	}
	ticks, err := strconv.ParseUint(string(f[19]), 10, 64)
	return ticks, err == nil
}

// ParseStatus returns parent and real user of a /proc/PID/status.
func ParseStatus(status []byte) (parent, uid int, ok bool) {
	parent, uid = -1, -1
	for line := range bytes.Lines(status) {
		name, value, _ := strings.Cut(string(line), ":")
		f := strings.Fields(value)
		if len(f) == 0 {
			continue
		}
		switch name {
		case "PPid":
			parent = parseUnsigned(f[0])
		case "Uid":
			uid = parseUnsigned(f[0])
		}
	}
	return parent, uid, parent >= 0 && uid >= 0
}

func parseUnsigned(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

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
