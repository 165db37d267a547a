package owner_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/owner"
)

// process is one directory of a made-up /proc.
type process struct {
	pid, parent, uid int
	start            int // ticks
	cgroup           string
	cmdline, environ string
}

func proc(t *testing.T, list ...process) owner.JobFinder {
	t.Helper()
	root := t.TempDir()
	write := func(text string, path ...string) {
		full := filepath.Join(append([]string{root}, path...)...)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("1000.00 5000.00\n", "uptime")
	for _, p := range list {
		dir := strconv.Itoa(p.pid)
		write(fmt.Sprintf("%d (x) S %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 %d 0", p.pid, p.parent, p.start), dir, "stat")
		write(fmt.Sprintf("Name:\tx\nPPid:\t%d\nUid:\t%d\t%d\t%d\t%d\n", p.parent, p.uid, p.uid, p.uid, p.uid), dir, "status")
		write(p.cgroup, dir, "cgroup")
		write(p.cmdline, dir, "cmdline")
		write(p.environ, dir, "environ")
	}
	return owner.JobFinder{ProcDir: root}
}

func TestOf(t *testing.T) {
	const plain = "0::/system.slice/slurmd.service\n"
	stepd := process{pid: 20, parent: 1, uid: 0, cgroup: plain, cmdline: "slurmstepd: [77.batch]\x00"}
	for name, c := range map[string]struct {
		list []process
		want nodeprobe.ProcessJob
	}{
		"cgroup before everything": {[]process{stepd, {pid: 30, parent: 20, uid: 1000,
			cgroup: "0::/system.slice/slurmstepd.scope/job_5/step_0/user/task_0\n", environ: "SLURM_JOB_ID=6"}},
			nodeprobe.ProcessJob{Job: 5, Step: "0", KnownBy: "cgroup"}},
		"SLUID, with the id of the title": {[]process{stepd, {pid: 30, parent: 20, uid: 1000,
			cgroup: "0::/system.slice/slurmstepd.scope/" + sluidPattern + "/step_batch/user/task_0\n", environ: "SLURM_JOB_ID=6"}},
			nodeprobe.ProcessJob{Job: 77, SLUID: sluidPattern, Step: "batch", KnownBy: "cgroup"}},
		"SLUID alone, whatever the user says": {[]process{{pid: 30, parent: 1, uid: 1000,
			cgroup: "0::/system.slice/slurmstepd.scope/" + sluidPattern + "/step_batch/user/task_0\n", environ: "SLURM_JOB_ID=6"}},
			nodeprobe.ProcessJob{SLUID: sluidPattern, Step: "batch", KnownBy: "cgroup"}},
		"title before environment": {[]process{stepd, {pid: 25, parent: 20, uid: 1000, cgroup: plain},
			{pid: 30, parent: 25, uid: 1000, cgroup: plain, environ: "SLURM_JOB_ID=6"}},
			nodeprobe.ProcessJob{Job: 77, Step: "batch", KnownBy: "title"}},
		"a title of the user's own": {[]process{{pid: 20, parent: 1, uid: 1000, cmdline: "slurmstepd: [1.batch]\x00"},
			{pid: 30, parent: 20, uid: 1000, cgroup: plain, environ: "SLURM_JOB_ID=6"}},
			nodeprobe.ProcessJob{Job: 6, KnownBy: "environ"}},
		"root's own job": {[]process{stepd, {pid: 30, parent: 20, uid: 0, cgroup: plain}},
			nodeprobe.ProcessJob{Job: 77, Step: "batch", KnownBy: "title"}},
		"no job":         {[]process{{pid: 30, parent: 1, uid: 1000, cgroup: plain}}, nodeprobe.ProcessJob{}},
		"gone":           {nil, nodeprobe.ProcessJob{}},
		"its own parent": {[]process{{pid: 30, parent: 30, uid: 1000, cgroup: plain}}, nodeprobe.ProcessJob{}},
		"number used again": {[]process{{pid: 30, parent: 1, uid: 1000, start: 100100,
			cgroup: "0::/system.slice/slurmstepd.scope/job_5/step_0/user/task_0\n"}}, nodeprobe.ProcessJob{}},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, proc(t, c.list...).BeginLookup().JobOfProcess(30)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestOfARealProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs Linux's /proc")
	}
	cmd := exec.Command("sleep", "30")
	cmd.Env = []string{"SLURM_JOB_ID=4711", "SLURM_STEP_ID=2"}
	if err := cmd.Start(); err != nil {
		t.Skip("needs sleep: ", err)
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	got := owner.JobFinder{ProcDir: "/proc"}.BeginLookup().JobOfProcess(cmd.Process.Pid)
	if got.KnownBy == "cgroup" || got.KnownBy == "title" {
		t.Skip("this test runs within a Slurm job itself")
	}
	if want := (nodeprobe.ProcessJob{Job: 4711, Step: "2", KnownBy: "environ"}); got != want {
		t.Errorf("found %+v, want %+v", got, want)
	}
}
