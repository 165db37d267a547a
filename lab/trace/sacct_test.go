package trace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/lab/trace"
)

// history is a table of sacct -P of which each row ran for an hour on two GPUs.
func history(rows ...string) string {
	return "JobID|JobIDRaw|JobName|User|State|Submit|Start|End|ElapsedRaw|AllocTRES\n" + strings.Join(rows, "\n") + "\n"
}

// row is a job's that is called so.
func row(id int, name string) string {
	times := strings.Repeat("|2026-01-05T08:00:00", 2) + "|2026-01-05T09:00:00"
	return fmt.Sprintf("%d|%[1]d|%s|ann|COMPLETED%s|3600|gres/gpu=2", id, name, times)
}

func read(t *testing.T, text string, skip bool) *trace.Trace {
	t.Helper()
	tr, err := trace.Read(strings.NewReader(text), "t", trace.ReadOptions{SkipBad: skip})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestNamesSwallowNoRows: sacct does not quote, so that a quote is a sign like any other.
func TestNamesSwallowNoRows(t *testing.T) {
	names := []string{`"open`, "plain", `close"`, `"both"`, `""`, "two\nlines", `"a` + "\n" + `b"`, "ends\n", `'x`,
		"tab\tx"}
	var rows []string
	for i, name := range names {
		rows = append(rows, row(i+1, name))
	}
	tr := read(t, history(rows...), false)
	if len(tr.Jobs) != len(names) {
		t.Fatalf("%d jobs of %d", len(tr.Jobs), len(names))
	}
	for i, j := range tr.Jobs {
		if want := strings.TrimSpace(strings.ReplaceAll(names[i], "\n", " ")); j.Name != want || j.User != "ann" {
			t.Errorf("%q of %s, want %q", j.Name, j.User, want)
		}
	}
	bad := history(rows[0], strings.Replace(rows[1], "plain", "a|b", 1), rows[2][:20], rows[3])
	if tr = read(t, bad, true); len(tr.Jobs) != 2 || tr.SkippedCount != 2 ||
		!strings.Contains(tr.FirstErrors[0].Error(), "t:3: more columns than the header's 10") {
		t.Errorf("%d jobs, %d bad: %v", len(tr.Jobs), tr.SkippedCount, tr.FirstErrors)
	}
	last := "JobID|User|State|Submit|Start|ElapsedRaw|AllocTRES|JobName\n" +
		"1|ann|COMPLETED|2026-01-05T08:00:00+0100|2026-01-05T08:00:00+0100|3600|gres/gpu=2|crazy|name\n"
	if tr = read(t, last, false); tr.Jobs[0].Name != "crazy|name" || tr.Start.Hour() != 7 {
		t.Errorf("%+v from %v", tr.Jobs, tr.Start)
	}
}

// TestIDsComeAgain: rows with one id are one job only where a requeue joins them.
func TestIDsComeAgain(t *testing.T) {
	run := func(user, state, submit, end string) string {
		return fmt.Sprintf("7|7|x|%s|%s|2026-%s|2026-%[3]s|2026-%s|3600|gres/gpu=2", user, state, submit, end)
	}
	first := run("zoe", "COMPLETED", "01-05T08:00:00", "01-05T09:00:00")
	preempted := run("ann", "PREEMPTED", "02-05T08:00:00", "02-05T09:00:00")
	later := run("ann", "COMPLETED", "09-05T08:00:00", "09-05T09:00:00")
	for _, c := range []struct {
		name, second, third string
		jobs                int
	}{
		{"another's", later, "", 2},
		{"the same user's", run("zoe", "COMPLETED", "09-05T08:00:00", "09-05T09:00:00"), "", 2},
		{"printed twice", first, "", 1},
		{"preempted for good", preempted, later, 3},
		{"again at once", run("ann", "COMPLETED", "02-05T08:00:00", "02-05T09:00:00"),
			run("ann", "COMPLETED", "02-05T09:00:01", "02-05T12:00:00"), 3},
		{"requeued", preempted, run("ann", "COMPLETED", "02-05T09:00:01", "02-05T12:00:00"), 2},
		{"another's after a requeue", preempted, run("bob", "COMPLETED", "02-05T09:00:01", "02-05T12:00:00"), 3},
		{"tasks of an array", strings.Replace(first, "7|7", "8_1|", 1), strings.Replace(first, "7|7", "8_2|", 1), 3},
	} {
		tr := read(t, strings.TrimRight(history(first, c.second, c.third), "\n")+"\n", false)
		if len(tr.Jobs) != c.jobs {
			t.Errorf("%s: %d jobs, want %d", c.name, len(tr.Jobs), c.jobs)
		}
		for _, j := range tr.Jobs {
			if j.User == "zoe" && j.Line == 2 && j.ID != 7 {
				t.Errorf("%s: zoe's job is %d", c.name, j.ID)
			}
		}
	}
}

// TestIDsOfClusters: sacct -M prints several, whose ids have nothing to do with each other.
func TestIDsOfClusters(t *testing.T) {
	text := "JobID|Cluster|User|State|Submit|Start|End|AllocTRES\n"
	for _, cluster := range []string{"a", "b"} {
		text += "7|" + cluster + "|ann|COMPLETED|2026-01-05 08:00:00 +0100|2026-01-05T08:00:00|2026-01-05T09:00:00|" +
			"gres/gpu=1\n"
	}
	if tr := read(t, text, false); len(tr.Jobs) != 2 {
		t.Errorf("%d jobs of two clusters", len(tr.Jobs))
	}
}

// TestHetJobsStayOne wants the components of a heterogeneous job as one.
func TestHetJobsStayOne(t *testing.T) {
	component := func(i int, tres string) string {
		times := strings.Repeat("|2026-01-05T08:00:00", 2) + "|2026-01-05T09:00:00"
		return fmt.Sprintf("9001+%d|%d|het|bob|COMPLETED%s|3600|cpu=8,%s", i, 9001+i, times, tres)
	}
	sacct := history(component(0, "gres/gpu=4"), component(1, "node=1"), component(2, "gres/gpu=2"))
	squeue := "JOBID|USER|STATE|SUBMIT_TIME|TIME_LIMIT|NODES|TRES_PER_NODE\n" +
		"9001+0|bob|RUNNING|2026-01-05T08:00:00|1:00:00|2|gpu:2\n" +
		"9001+1|bob|RUNNING|2026-01-05T08:00:00|1:00:00|1|gpu:2\n"
	queued := `{"job_id": %d, "het_job_id": {"set": true, "number": 9001}, "user_name": "bob", "job_state": "RUNNING",
		"submit_time": 1767600100, "time_limit": 60, "tres_req_str": "gres/gpu=%d"}`
	queue := `{"jobs": [` + fmt.Sprintf(queued, 9001, 4) + "," + fmt.Sprintf(queued, 9002, 2) + `]}`
	for name, text := range map[string]string{"sacct": sacct, "squeue": squeue, "squeue-json": queue} {
		if d := cmp.Diff([]short{{9001, 6, 0, 3600, "bob@", "", "", 0}}, shorts(read(t, text, false).Jobs)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestUnknownIsNoError: a format's own word for a thing that is not known stops nothing.
func TestUnknownIsNoError(t *testing.T) {
	noProcs := swfText + " 4 200 5 30 0 -1 -1 -1 -1 -1 1 4 1 -1 2 -1 -1 -1\n"
	if tr := read(t, noProcs, false); len(tr.Jobs) != 2 || tr.IgnoredByReason["whose processors are not known"] != 1 {
		t.Errorf("swf: %v", tr.IgnoredByReason)
	}
	never := strings.Replace(phillyLog, `"attempts": [], "submitted_time": "2017-10-07 01:00:00"`,
		`"attempts": [], "submitted_time": "None"`, 1)
	if tr := read(t, never, false); len(tr.Jobs) != 2 || tr.IgnoredByReason["that never ran"] != 1 {
		t.Errorf("philly: %v", tr.IgnoredByReason)
	}
	late := strings.Replace(phillyLog, `"submitted_time": "2017-10-07 02:00:00"`, `"submitted_time": "None"`, 1)
	if tr := read(t, late, false); len(tr.Jobs) != 1 || tr.IgnoredByReason["whose submission is not known"] != 1 {
		t.Errorf("philly: %v", tr.IgnoredByReason)
	}
}

// TestQueueTellsGPUs reads all places where squeue -O tells them, with blanks to fill columns.
func TestQueueTellsGPUs(t *testing.T) {
	text := "JOBID  |USER |STATE  |SUBMIT_TIME        |TIME_LIMIT|NODES|TRES_PER_NODE|TRES_PER_JOB|TRES_ALLOC   |\n"
	for i, told := range []string{
		"gres/gpu:2 |N/A |cpu=1,gres/gpu=4", "N/A |gres/gpu:a100:3 |cpu=1", "N/A |N/A |cpu=1,gres/gpu=5",
		"N/A |N/A|cpu=1", "N/A |N/A|N/A",
	} {
		text += fmt.Sprintf("%d   |ann  |PENDING|2026-01-05T08:00:00|1:00:00   |2    |%s   |\n", i+1, told)
	}
	tr := read(t, text, false)
	mixed := strings.Replace(text, "gres/gpu:2", "gpu:k80:1,gpu:v100:1", 1)
	if j := read(t, mixed, false).Jobs[0]; j.GPUs != 4 || j.GPUType != "" {
		t.Errorf("of two types: %d %s", j.GPUs, j.GPUType)
	}
	var got []string
	for _, j := range tr.Jobs {
		got = append(got, fmt.Sprint(j.ID, ":", j.GPUs, j.GPUType))
	}
	if d := cmp.Diff([]string{"1:4", "2:3a100", "3:5"}, got); d != "" || tr.IgnoredByReason["without GPUs"] != 1 ||
		len(tr.IgnoredByReason) != 2 {
		t.Errorf("%s%v", d, tr.IgnoredByReason)
	}
}

// TestTypeOfAGang: the GPUs of tasks of two types have none.
func TestTypeOfAGang(t *testing.T) {
	mixed := paiTasks + "job5,a,1,Terminated,2000,2100,600,29,100,T4\njob5,b,1,Terminated,2000,2100,600,29,100,V100\n"
	if jobs := read(t, mixed, false).Jobs; jobs[len(jobs)-1].GPUs != 2 || jobs[len(jobs)-1].GPUType != "" {
		t.Errorf("pai: %+v", jobs[len(jobs)-1])
	}
}

// TestSacctJSONIsNamed: it is no queue.
func TestSacctJSONIsNamed(t *testing.T) {
	_, err := trace.Read(strings.NewReader(`{"jobs": [{"job_id": 4, "time": {"submission": 5}}]}`), "t",
		trace.ReadOptions{})
	if err == nil || !strings.Contains(err.Error(), "this is sacct --json") {
		t.Error(err)
	}
}
