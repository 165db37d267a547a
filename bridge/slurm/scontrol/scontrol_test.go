package scontrol

import (
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
)

// shown is what Slurm 22.05 prints of a job, shortened.
const shown = `JobId=12 JobName=wrap
   UserId=alice(1001) GroupId=alice(1001) MCS_label=N/A
   Priority=4294901757 Nice=0 Account=research QOS=normal
   JobState=PENDING Reason=Resources Dependency=(null)
   RunTime=00:00:00 TimeLimit=01:00:00 TimeMin=N/A
   SubmitTime=2026-11-21T09:27:38 EligibleTime=2026-11-21T09:27:38
   Comment=UserId=bob(7) SubmitTime=2020-01-01T00:00:00

`

func TestParseJob(t *testing.T) {
	want := Job{1001, time.Date(2026, 11, 21, 9, 27, 38, 0, time.UTC)}
	for name, text := range map[string]string{
		"alone":                         shown,
		"in its array":                  strings.ReplaceAll(shown, "JobId=12 ", "JobId=13 ") + shown,
		"a name that looks like fields": strings.ReplaceAll(shown, "JobName=wrap", "JobName=x UserId=bob(7) GroupId=bob(7)"),
	} {
		if j, err := parseJob(text, 12); err != nil || j != want {
			t.Errorf("%s: %+v %v", name, j, err)
		}
	}
	for name, text := range map[string]string{
		"nothing":      "",
		"another":      strings.ReplaceAll(shown, "JobId=12 ", "JobId=120 "),
		"two users":    strings.ReplaceAll(shown, "Comment=", "Comment=x\n   UserId=bob(7) GroupId=bob(7)"),
		"no such time": strings.ReplaceAll(shown, "SubmitTime=2026-11-21T09:27:38", "SubmitTime=Unknown"),
	} {
		if j, err := parseJob(text, 12); err == nil {
			t.Errorf("%s: %+v", name, j)
		}
	}
}

func TestDiffers(t *testing.T) {
	j := &slurm.Job{ID: 12, UserID: 1001, Submit: time.Date(2026, 11, 21, 8, 27, 38, 0, time.UTC)}
	there, _ := parseJob(shown, 12) // an hour later: another time zone
	if why := formatDifference(j, there); why != "" {
		t.Error(why)
	}
	there.SubmitLocal = there.SubmitLocal.Add(time.Second)
	if formatDifference(j, there) == "" {
		t.Error("submitted a second later, and the same")
	}
	there, _ = parseJob(shown, 12)
	there.UserID++
	if formatDifference(j, there) == "" {
		t.Error("of another user, and the same")
	}
}

func TestConfig(t *testing.T) {
	c := Command{"sh", "-c", `test "$*" = "show config" && printf 'Configuration data as of now\nClusterName             = lab\nAuthInfo = cred_expire=30\n'`, "scontrol"}
	if got, err := c.ReadConfig(t.Context()); err != nil || got["ClusterName"] != "lab" || got["AuthInfo"] != "cred_expire=30" {
		t.Errorf("%v %v", got, err)
	}
	for _, c := range []Command{nil, {"/nowhere/scontrol"}, {"sh", "-c", "echo no controller >&2; exit 1"}} {
		if _, err := c.ReadConfig(t.Context()); err == nil {
			t.Errorf("%v: no error", c)
		}
	}
}
