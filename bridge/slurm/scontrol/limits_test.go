package scontrol

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"fairbridge/bridge/slurm"
)

// TestParseLimits reads what scontrol of real releases printed, while a job of alice with four GPUs and ten
// minutes runs.
func TestParseLimits(t *testing.T) {
	for release, qos := range map[string]string{
		"22.05": "GrpTRESRunMins gres/gpu +Inf 40",
		"26.05": "GrpTRES gres/gpu 64 4,GrpTRESRunMins gres/gpu +Inf 40,MinTRESPJ gres/gpu 1 0," +
			"MaxTRESPA gres/gpu 20 4," +
			"MaxJobsPU  4 1,MaxTRESPU gres/gpu 8 4,MaxTRESRunMinsPU gres/gpu 10000 40",
	} {
		text, err := os.ReadFile("testdata/limits-" + release + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		all, err := ParseLimits(text, "lab")
		if err != nil {
			t.Fatal(err)
		}
		job := &slurm.Job{User: "alice", UserID: 3002, Account: "research", Partitions: []string{"gpu"}, QOS: "normal"}
		limits, ok := all.OfJob(job, job.QOS)
		if !ok {
			t.Fatalf("%s: the job's association is not there", release)
		}
		running := "GrpTRESRunMins gres/gpu +Inf 40,"
		user := "GrpTRESRunMins gres/gpu +Inf 40,MaxWallPJ  100 0"
		account := "GrpJobs  30 1,GrpWall  500 0,GrpTRES gres/gpu 16 4,GrpTRESMins gres/gpu 1000 0,"
		if got, want := describe(limits), user+","+account+user+","+running+qos; got != want {
			t.Errorf("%s:\n%s, want\n%s", release, got, want)
		}
		job.User, job.UserID = "bob", 7
		if _, ok := all.OfJob(job, job.QOS); ok {
			t.Errorf("%s: bob has no association with the account", release)
		}
		if other, err := ParseLimits(text, "elsewhere"); err != nil || len(other.Associations) != 0 {
			t.Errorf("%s: %v of another cluster, %v", release, other.Associations, err)
		}
	}
}

// describe prints limits that concern jobs, time and GPUs.
func describe(limits []slurm.Limit) string {
	var list []string
	for _, l := range limits {
		if l.TRES == "" || l.TRES == "gres/gpu" {
			list = append(list, fmt.Sprintf("%s %s %g %g", l.Name, l.TRES, l.Most, l.Usage))
		}
	}
	return strings.Join(list, ",")
}

// TestNoLimits: a Slurm without accounting says so; another text is not taken for one.
func TestNoLimits(t *testing.T) {
	none := "No associations currently cached in Slurm.\nNo QOS currently cached in Slurm.\n"
	l, err := ParseLimits([]byte(none), "lab")
	if _, ok := l.OfJob(&slurm.Job{Account: "a", QOS: "q"}, "q"); err != nil || !ok {
		t.Errorf("%v, %v", ok, err)
	}
	for _, text := range []string{"", "slurm_load_assoc_mgr_info error: Access denied\n", "Association Records\n"} {
		if l, err := ParseLimits([]byte(text), "lab"); err == nil {
			t.Errorf("%q: %v", text, l)
		}
	}
	hostile := "Association Records\nClusterName=lab Account=a UserName=u(1) GrpJobs=x(1) MaxTRESPJ=gres/gpu= " +
		"Comment=GrpJobs=N(0)\nQOS Records\n"
	l, err = ParseLimits([]byte(hostile), "lab")
	if err != nil || len(l.Associations) != 1 || len(l.Associations["a"][0].Limits) != 2 {
		t.Errorf("%+v, %v", l, err)
	}
}
