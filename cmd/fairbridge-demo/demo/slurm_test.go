package demo

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/cmd/fairbridge-demo/workday"
)

// After what Slurm 22.05 prints.
const printedSacct = `JobIDRaw|JobID|Cluster|State|Submit|Eligible|Start|End|Suspended|TimelimitRaw|User|Account|QOS|Partition|Reason|NodeList|AllocTRES|ReqTRES|JobName
1|1|lab|REQUEUED|1795249119|1795249119|1795249122|1795249126|00:00:00|2|alice|research|normal|gpu|None|n1|billing=1,cpu=1,gres/gpu:a100=8,gres/gpu=8,mem=800M,node=1||train-1
1|1|lab|COMPLETED|1795249126|1795249126|1795249133|1795249140|00:00:00|2|alice|research|normal|gpu|None|n1|billing=1,cpu=1,gres/gpu:a100=8,gres/gpu=8,mem=800M,node=1||train-1
4|2_1|lab|COMPLETED|1795249119|1795249119|1795249122|1795249126|00:00:00|2|bob|teaching|normal|gpu|None|n[1-2]|billing=2,cpu=2,gres/gpu:a100=4,gres/gpu=4,mem=2000M,node=2||homework-1
5|5|lab|RUNNING|1795249119|1795249119|1795249122|Unknown|00:00:00|2|bob|teaching|normal|gpu|None|n[1-2]|billing=2,cpu=2,gres/gpu=4,mem=2000M,node=2||x
6|6_[0-3]|lab|PENDING|1795249119|1795249119|Unknown|Unknown|00:00:00|2|bob|teaching|normal|gpu|Resources|None assigned|||y
`

func TestReadSacct(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(1795249100+s, 0).UTC() }
	want := []workday.RunRecord{
		{JobID: 1, Name: "train-1", User: "alice", Account: "research", GPUs: 8, Submit: at(19), Start: at(22), End: at(26), State: "REQUEUED"},
		{JobID: 1, Name: "train-1", User: "alice", Account: "research", GPUs: 8, Submit: at(26), Start: at(33), End: at(40), State: "COMPLETED"},
		{JobID: 4, Name: "homework-1", TaskIndex: 1, User: "bob", Account: "teaching", GPUs: 4, Submit: at(19), Start: at(22), End: at(26), State: "COMPLETED"},
	}
	got, err := parseSacct(printedSacct)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{"", "sacct: error: no", strings.Replace(printedSacct, "\n1|1|", "\nx|1|", 1)} {
		if _, err := parseSacct(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestReadSqueue(t *testing.T) {
	got, err := parseSqueue("1|train-1|RUNNING|n[1-2]\n2|homework-1|PENDING|\n2|homework-1|PENDING|\n9|x|COMPLETING|n3\n")
	want := []queuedTask{{1, "train-1", true, []string{"n1", "n2"}}, {2, "homework-1", false, nil}, {2, "homework-1", false, nil}, {9, "x", false, nil}}
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(queuedTask{})); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{"slurm_load_jobs error", "a|b|RUNNING|n1", "1|b|RUNNING|n[1"} {
		if _, err := parseSqueue(bad); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func TestSbatch(t *testing.T) {
	j := workday.Job{Name: "w", NodeCount: 2, GPUsPerNode: 8, TimeLimit: 2 * time.Minute, WorkTime: 9 * time.Second, ArrayTasks: 3, MayBeRequeued: true}
	line := strings.Join(sbatchCommand(&j, 120), " ")
	for _, want := range []string{"--nodes=2 --gres=gpu:8 --time=2 --array=0-2", "--comment=fairbridge:preemptible,ckpt=500ms", "--requeue"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q is not in %s", want, line)
		}
	}
	j.MayBeRequeued, j.ArrayTasks = false, 0
	if line := strings.Join(sbatchCommand(&j, 120), " "); strings.Contains(line, "comment") || strings.Contains(line, "array") {
		t.Error(line)
	}
}
