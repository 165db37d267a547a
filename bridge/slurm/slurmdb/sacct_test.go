package slurmdb

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
)

const head = "JobIDRaw|JobID|Cluster|State|Submit|Start|End|Suspended|TimelimitRaw|User|Account|NodeList|AllocTRES|JobName\n"

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func TestSacct(t *testing.T) {
	text := head +
		"10|3_0|lab|COMPLETED|2026-11-21T11:37:54|2026-11-21T11:37:57|2026-11-21T11:37:59|1-00:00:04|120|alice|research|n[1-2]|billing=1,cpu=1,gres/gpu:a100=2,gres/gpu=2,mem=10M,node=2|a|b\n" +
		"10.batch|3_0.batch|lab|COMPLETED|2026-11-21T11:37:54|2026-11-21T11:37:57|2026-11-21T11:37:59|00:00:00||||n1|cpu=1|batch\r\n" +
		"\n8|8|lab|CANCELLED by 0|1795261075|None|1795261080|00:00:00|UNLIMITED|bob|teaching|None assigned||c\n" +
		"9|9|far|RUNNING|1795261075|1795261076|Unknown|00:00:00||bob|teaching|n1||c\n" +
		"4|4+0|lab|REQUEUED|1795261075|1795261076|1795261077|||bob|teaching|n1||c\n"
	got, err := ReadSacct(strings.NewReader(text), "f", "lab", time.FixedZone("", 3600))
	if err != nil {
		t.Fatal(err)
	}
	want := []Job{
		{ID: 10, ArrayJob: 3, Cluster: "lab", State: "COMPLETED", Submit: at("2026-11-21T10:37:54Z"), Start: at("2026-11-21T10:37:57Z"), End: at("2026-11-21T10:37:59Z"),
			SuspendedTime: 24*time.Hour + 4*time.Second, TimeLimit: 2 * time.Hour, User: "alice", Account: "research", Nodes: slurm.ReadHosts("n[1-2]"), Name: "a|b", Restarts: -1,
			AllocatedTRES: slurm.TRES{CPUs: 1, NodeCount: 2, Billing: 1, MemMB: 10, Gres: []slurm.GRES{{Name: "gpu", Count: 2}, {Name: "gpu", Type: "a100", Count: 2}}}},
		{ID: 8, Cluster: "lab", State: "CANCELLED", Submit: at("2026-11-21T11:37:55Z"), End: at("2026-11-21T11:38:00Z"), User: "bob", Account: "teaching", Name: "c", Restarts: -1},
		{ID: 4, Cluster: "lab", State: "REQUEUED", Submit: at("2026-11-21T11:37:55Z"), Start: at("2026-11-21T11:37:56Z"), End: at("2026-11-21T11:37:57Z"),
			User: "bob", Account: "teaching", Nodes: slurm.ReadHosts("n1"), Name: "c", Restarts: -1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestSacctRefuses(t *testing.T) {
	good := "10|10|lab|COMPLETED|1795261075|1795261076|1795261077|00:00:00|1|a|b|n1|cpu=1|x\n"
	for _, c := range []struct{ text, says string }{
		{"", "f:1: no heading"},
		{"JobID|State\n", "f:1: the heading has no column jobidraw"},
		{head + good + "10|10\n", "f:3: 2 columns, the heading has 14"},
		{head + strings.Replace(good, "10|", "x|", 1), `f:2: jobidraw: "x" is no number`},
		{head + strings.Replace(good, "10|", "0|", 1), "f:2: jobidraw: no job has this id"},
		{head + strings.Replace(good, "COMPLETED", "", 1), "f:2: state: it is missing"},
		{head + strings.Replace(good, "1795261075", "", 1), "f:2: submit: it is missing"},
		{head + strings.Replace(good, "1795261076", "noon", 1), `f:2: start: "noon" is no time`},
		{head + strings.Replace(good, "1795261077", "1795261070", 1), "f:2: job 10 ends at"},
		{head + strings.Replace(good, "00:00:00", "1:2:3:4", 1), "f:2: suspended:"},
		{head + strings.Replace(good, "cpu=1", "cpu=x", 1), "f:2: alloctres:"},
		{head + good + strings.Repeat("x", maxLineBytes+1), "f:3: bufio.Scanner: token too long"},
	} {
		jobs, err := ReadSacct(strings.NewReader(c.text), "f", "", time.UTC)
		if err == nil || !strings.HasPrefix(err.Error(), c.says) || jobs != nil {
			t.Errorf("%.200q: %d jobs, error %v, want %s", c.text, len(jobs), err, c.says)
		}
	}
}

func FuzzSacct(f *testing.F) {
	f.Add(head + "10|3_0|lab|COMPLETED|2026-11-21T11:37:54|2026-11-21T11:37:57|2026-11-21T11:37:59|00:00:04|120|alice|research|n[1-2]|gres/gpu=2|a\n")
	f.Fuzz(func(t *testing.T, text string) {
		jobs, err := ReadSacct(strings.NewReader(text), "f", "", time.UTC)
		for _, j := range jobs {
			if err != nil || j.ID <= 0 || j.State == "" || j.Submit.IsZero() || j.SuspendedTime < 0 || j.HasEnded() && !j.Start.IsZero() && j.End.Before(j.Start) {
				t.Errorf("%+v (%v)", j, err)
			}
		}
	})
}
