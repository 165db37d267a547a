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
	got, bad, err := ReadSacct(strings.NewReader(text), "f", "lab", time.FixedZone("", 3600))
	if err != nil || bad != nil {
		t.Fatal(err, bad)
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
	for text, says := range map[string]string{
		"": "f:1: no heading", "JobID|State\n": "f:1: the heading has no column jobidraw",
		`{"jobs": []}`:                      "f:1: the heading has no column jobidraw; ask for: ",
		head + strings.Repeat("x", 1<<20+1): "f:2: bufio.Scanner: token too long",
	} {
		jobs, _, err := ReadSacct(strings.NewReader(text), "f", "", time.UTC)
		if err == nil || !strings.HasPrefix(err.Error(), says) || jobs != nil {
			t.Errorf("%.200q: %d jobs, error %v, want %s", text, len(jobs), err, says)
		}
	}
}

// TestSacctPassesOverBadRows wants each bad row named, and the good ones around it.
func TestSacctPassesOverBadRows(t *testing.T) {
	good := "10|10|lab|COMPLETED|1795261075|1795261076|1795261077|00:00:00|1|a|b|n1|cpu=1|x\n"
	for row, says := range map[string]string{
		"10|10\n":                                              "f:3: 2 columns, but the header has 14",
		strings.Replace(good, "10|", "x|", 1):                  `f:3: "x" is no job id`,
		strings.Replace(good, "10|", "0|", 1):                  "f:3: jobidraw: no job has this id",
		strings.Replace(good, "COMPLETED", "", 1):              "f:3: state: it is missing",
		strings.Replace(good, "1795261075", "", 1):             "f:3: submit: it is missing",
		strings.Replace(good, "1795261076", "noon", 1):         `f:3: start: "noon" is no time`,
		strings.Replace(good, "1795261077", "1795261070", 1):   "f:3: job 10 ends at",
		strings.Replace(good, "1795261077", "253402300800", 1): "f:3: job 10 has a time in the year 10000",
		strings.Replace(good, "00:00:00", "1:2:3:4", 1):        "f:3: suspended:",
		strings.Replace(good, "cpu=1", "gres/gpu=x", 1):        "f:3: alloctres:",
	} {
		jobs, bad, err := ReadSacct(strings.NewReader(head+good+row+good), "f", "", time.UTC)
		if err != nil || len(jobs) != 2 || len(bad) != 1 || !strings.HasPrefix(bad[0].Error(), says) {
			t.Errorf("%.200q: %d jobs, bad %v, error %v, want %s", row, len(jobs), bad, err, says)
		}
	}
}

// TestSacctReadsNamesAndTimesAsWritten: names of several lines and with quotes, times with an
// offset, and times of the hour that comes twice.
func TestSacctReadsNamesAndTimesAsWritten(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	row := func(start, end, name string) string {
		return "5|5|lab|COMPLETED|" + start + "|" + start + "|" + end + "|00:00:00|1|a|b|n1|cpu=1|" + name + "\n"
	}
	for _, c := range []struct {
		start, end, name, wantName string
		hours                      float64
	}{
		{"2026-01-05T08:00:00+0100", "2026-01-05T08:30:00+0000", "\"open", "\"open", 1.5},
		{"2026-10-25T02:45:00", "2026-10-25T02:15:00", "a\nb|\"c\"\n", "a b|\"c\"", .5}, // summer time ends at three
		{"2026-10-25T02:15:00", "2026-10-25T02:45:00", "\"", "\"", .5},
		{"2026-10-25T01:15:00", "2026-10-25T03:15:00", "|", "|", 3},
	} {
		text := head + row(c.start, c.end, c.name) + row("1795261076", "1795261077", "y")
		jobs, bad, err := ReadSacct(strings.NewReader(text), "f", "", zone)
		if err != nil || bad != nil || len(jobs) != 2 {
			t.Errorf("%v: %d jobs, bad %v (%v)", c, len(jobs), bad, err)
			continue
		}
		if got := jobs[0].End.Sub(jobs[0].Start).Hours(); got != c.hours || jobs[0].Name != c.wantName {
			t.Errorf("%v: %q ran %g hours", c, jobs[0].Name, got)
		}
	}
}

func FuzzSacct(f *testing.F) {
	f.Add(head + "10|3_0|lab|COMPLETED|2026-11-21T11:37:54|2026-11-21T11:37:57|2026-11-21T11:37:59|00:00:04|120|alice|research|n[1-2]|gres/gpu=2|a\n")
	f.Add(head +
		"10|3_0|lab|COMPLETED|5|6|7|||alice|research|n1||\"a\n|b\"\n\n\"11|11|lab\n11|11|lab|FAILED|5|6|7|||a|r|n1||\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		jobs, _, err := ReadSacct(strings.NewReader(text), "f", "", time.UTC)
		for _, j := range jobs {
			if err != nil || j.ID <= 0 || j.State == "" || j.Submit.IsZero() || j.SuspendedTime < 0 || j.HasEnded() && !j.Start.IsZero() && j.End.Before(j.Start) {
				t.Errorf("%+v (%v)", j, err)
			}
		}
	})
}
