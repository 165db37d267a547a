package owner_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/owner"
)

const sluidPattern = "s0N1M7Y2EV5N00"

var cgroups = map[string]struct {
	text string
	want nodeprobe.ProcessJob
}{
	"v1": {"11:memory:/slurm/uid_1000/job_123/step_0/task_0\n4:freezer:/slurm/uid_1000/job_123/step_0\n0::/system.slice/slurmd.service\n",
		nodeprobe.ProcessJob{Job: 123, Step: "0", KnownBy: "cgroup"}},
	"v1, several slurmd":     {"3:devices:/slurm_n12/uid_0/job_7/step_batch/task_0\n", nodeprobe.ProcessJob{Job: 7, Step: "batch", KnownBy: "cgroup"}},
	"v2":                     {"0::/system.slice/slurmstepd.scope/job_55/step_extern/user/task_0\n", nodeprobe.ProcessJob{Job: 55, Step: "extern", KnownBy: "cgroup"}},
	"v2, several slurmd":     {"0::/system.slice/n3_slurmstepd.scope/job_55/step_4/user/task_1\n", nodeprobe.ProcessJob{Job: 55, Step: "4", KnownBy: "cgroup"}},
	"v2, slurmstepd":         {"0::/system.slice/slurmstepd.scope/job_55/step_batch/slurm\n", nodeprobe.ProcessJob{Job: 55, Step: "batch", KnownBy: "cgroup"}},
	"26.05":                  {"0::/system.slice/slurmstepd.scope/" + sluidPattern + "/step_0/user/task_0\n", nodeprobe.ProcessJob{SLUID: sluidPattern, Step: "0", KnownBy: "cgroup"}},
	"hybrid":                 {"9:cpu:/user.slice\n1:name=systemd:/\n0::/../../system.slice/slurmstepd.scope/job_9/step_0/user/task_0\n", nodeprobe.ProcessJob{Job: 9, Step: "0", KnownBy: "cgroup"}},
	"below a container":      {"0::/docker/abc/system.slice/slurmstepd.scope/job_9/step_0/user/task_0\n", nodeprobe.ProcessJob{Job: 9, Step: "0", KnownBy: "cgroup"}},
	"container within a job": {"0::/system.slice/slurmstepd.scope/job_9/step_0/user/task_0/podman-1\n", nodeprobe.ProcessJob{Job: 9, Step: "0", KnownBy: "cgroup"}},
	"forged below a job":     {"0::/system.slice/slurmstepd.scope/job_9/step_0/user/task_0/system.slice/slurmstepd.scope/job_1/step_0\n", nodeprobe.ProcessJob{Job: 9, Step: "0", KnownBy: "cgroup"}},
	"no final newline":       {"0::/system.slice/slurmstepd.scope/job_9/step_0", nodeprobe.ProcessJob{Job: 9, Step: "0", KnownBy: "cgroup"}},

	"forged by a user":  {"0::/user.slice/user-1000.slice/user@1000.service/system.slice/slurmstepd.scope/job_1/step_0\n", nodeprobe.ProcessJob{}},
	"not Slurm's":       {"0::/system.slice/job_12/step_0\n", nodeprobe.ProcessJob{}},
	"login session":     {"0::/user.slice/user-1000.slice/session-4.scope\n", nodeprobe.ProcessJob{}},
	"the daemon itself": {"0::/system.slice/slurmstepd.scope/system\n", nodeprobe.ProcessJob{}},
	"job 0":             {"0::/system.slice/slurmstepd.scope/job_0/step_0\n", nodeprobe.ProcessJob{}},
	"huge job":          {"0::/system.slice/slurmstepd.scope/job_99999999999999999999/step_0\n", nodeprobe.ProcessJob{}},
	"short SLUID":       {"0::/system.slice/slurmstepd.scope/s0N1M7/step_0\n", nodeprobe.ProcessJob{}},
	"no step":           {"0::/system.slice/slurmstepd.scope/job_5\n", nodeprobe.ProcessJob{}},
	"empty":             {"", nodeprobe.ProcessJob{}},
	"garbage":           {"::::\n\x00job_1/step_0\n", nodeprobe.ProcessJob{}},
}

func TestParseCgroup(t *testing.T) {
	for name, c := range cgroups {
		t.Run(name, func(t *testing.T) {
			got, ok := owner.ParseCgroup(c.text)
			if !ok {
				got = nodeprobe.ProcessJob{}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func FuzzParseCgroup(f *testing.F) {
	for _, c := range cgroups {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if o, ok := owner.ParseCgroup(text); ok && (!o.IsKnown() || o.Job < 0 || o.Step == "" || o.KnownBy != "cgroup") {
			t.Errorf("%q gives %+v", text, o)
		}
	})
}

func TestParseTitle(t *testing.T) {
	for text, want := range map[string]nodeprobe.ProcessJob{
		"slurmstepd: [10114.batch]\x00":  {Job: 10114, Step: "batch", KnownBy: "title"},
		"slurmstepd: [10114.0]":          {Job: 10114, Step: "0", KnownBy: "title"},
		"slurmstepd: [10114+1.extern]":   {Job: 10114, Step: "extern", KnownBy: "title"},
		"slurmstepd: [0.batch]":          {},
		"slurmstepd infinity\x00":        {},
		"bash -c slurmstepd: [1.batch]":  {},
		"slurmstepd: [123456789012.0]":   {},
		"/bin/slurmstepd: [10114.batch]": {},
		"":                               {},
	} {
		got, ok := owner.ParseStepdTitle([]byte(text))
		if !ok {
			got = nodeprobe.ProcessJob{}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestParseEnviron(t *testing.T) {
	for text, want := range map[string]nodeprobe.ProcessJob{
		"A=b\x00SLURM_JOB_ID=12\x00SLURM_STEP_ID=0\x00":      {Job: 12, Step: "0", KnownBy: "environ"},
		"SLURM_JOB_ID=12\x00SLURM_JOB_SLUID=" + sluidPattern: {Job: 12, SLUID: sluidPattern, KnownBy: "environ"},
		"SLURM_JOB_ID=12\x00SLURM_JOB_SLUID=x/../y":          {Job: 12, KnownBy: "environ"},
		"SLURM_JOB_ID=12\x00SLURM_JOB_ID=13":                 {Job: 12, KnownBy: "environ"},
		"SLURM_JOB_ID=-1":                                    {}, "SLURM_JOB_ID=": {}, "XSLURM_JOB_ID=1": {}, "": {}, "\x00\x00=": {},
	} {
		got, _ := owner.ParseEnviron([]byte(text))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func TestParseStart(t *testing.T) {
	line := "42 (a) b) (c) S 1 42 42 0 -1 4194304 1 0 0 0 0 0 0 0 20 0 1 0 9876 1000 2 18446744073709551615\n"
	if got, ok := owner.ParseStartTime([]byte(line)); !ok || got != 9876 {
		t.Errorf("started at %d, %v", got, ok)
	}
	for _, bad := range []string{"", "42 (x)", "42 (x) S 1 2 3", "no brackets 1 2 3 4 5 6 7 8 9"} {
		if _, ok := owner.ParseStartTime([]byte(bad)); ok {
			t.Errorf("%q is read", bad)
		}
	}
	if own, err := os.ReadFile("/proc/self/stat"); err == nil {
		if _, ok := owner.ParseStartTime(own); !ok {
			t.Errorf("cannot read this process's own: %s", own)
		}
	}
}

func FuzzParseProc(f *testing.F) {
	f.Add([]byte("42 (a) S 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9"))
	f.Add([]byte("Name:\tx\nPPid:\t7\nUid:\t0\t0\t0\t0\n"))
	f.Add([]byte("slurmstepd: [10114.batch]\x00"))
	f.Add([]byte("SLURM_JOB_ID=12\x00SLURM_JOB_SLUID=" + sluidPattern))
	f.Fuzz(func(t *testing.T, b []byte) {
		owner.ParseStartTime(b)
		if parent, uid, ok := owner.ParseStatus(b); ok && (parent < 0 || uid < 0) {
			t.Errorf("%q: %d %d", b, parent, uid)
		}
		if o, ok := owner.ParseStepdTitle(b); ok && o.Job <= 0 {
			t.Errorf("title %q: %+v", b, o)
		}
		if o, ok := owner.ParseEnviron(b); ok && o.Job <= 0 {
			t.Errorf("environ %q: %+v", b, o)
		}
	})
}
