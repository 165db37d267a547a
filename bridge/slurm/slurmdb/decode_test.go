package slurmdb

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
)

// samples are replies of real slurmdbds about the same four jobs.
const samples = "../../../../shared/slurm-samples/"

func open(t *testing.T, name string) *os.File {
	t.Helper()
	f, err := os.Open(samples + name)
	if os.IsNotExist(err) {
		t.Skip("there are no samples: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestReadSamples(t *testing.T) {
	for _, version := range []string{"22.05-v0.0.38", "24.11-v0.0.42", "26.05-v0.0.45"} {
		t.Run(version, func(t *testing.T) {
			got, meta, err := readReply(open(t, version+"-dbjobs.json"), "jobs")
			if err != nil || len(meta.Errors) > 0 {
				t.Fatal(err, meta.Errors)
			}
			rows, bad := (&Reader{cluster: "lab"}).jobsFromRecords(got.Jobs)
			if bad != nil || len(rows) != 4 {
				t.Fatalf("%d rows, %v", len(rows), bad)
			}
			for _, j := range rows {
				if j.User == "" || j.Account == "" || j.QOS == "" || j.Partition == "" || j.Submit.IsZero() || j.Cluster != "lab" || j.RequestedTRES.GPUCount() == 0 {
					t.Errorf("%+v lacks something", j)
				}
				if j.State != "PENDING" && (j.Nodes.Text == "" || j.Start.IsZero() || j.AllocatedTRES.GPUCount() == 0) || j.TimeLimit == 0 {
					t.Errorf("%+v lacks what a job that ran has", j)
				}
			}
			if none, bad := (&Reader{cluster: "other"}).jobsFromRecords(got.Jobs); bad != nil || len(none) != 0 {
				t.Errorf("%d rows of another cluster (%v)", len(none), bad)
			}
		})
	}
}

func TestReadShares(t *testing.T) {
	for _, version := range []string{"22.05-v0.0.38", "24.11-v0.0.42", "26.05-v0.0.45"} {
		got, _, err := readReply(open(t, version+"-dbassociations.json"), "associations")
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]Association{}
		for _, s := range (&Reader{cluster: "lab"}).associationsFromRecords(got.Associations.records) {
			found[s.Account+"/"+s.User] = s
		}
		if r := found["research/"]; r.ParentAccount != "root" || r.Shares != 1 || len(r.QOS) != 3 {
			t.Errorf("%s: research is %+v", version, r)
		}
		if a, ok := found["research/alice"]; !ok || a.ParentAccount != "" || a.Shares != 1 {
			t.Errorf("%s: alice is %+v", version, a)
		}
		if r, ok := found["root/"]; !ok || r.ParentAccount != "" {
			t.Errorf("%s: root is %+v", version, r)
		}
	}
}

// TestBadRecordsStopNoOther puts one bad record before a good one: it is named, the other is read.
func TestBadRecordsStopNoOther(t *testing.T) {
	const good = `{"job_id": 9, "state": {"current": "RUNNING"}, "time": {"submission": 5}}`
	const failed = `{"job_id": 5, "state": {"current": "FAILED"}, `
	const gpu = `"tres": {"allocated": [{"type": "gres", "name": "gpu", "count": 1}]}`
	for _, c := range []struct{ text, says string }{
		{`{"job_id": 0}`, "job_id 0 is no job's"},
		{`{"job_id": 5, "state": {"current": []}}`, "job 5 has no state"},
		{`{"job_id": 5, "state": {"current": "RUNNING"}}`, "job 5 was never submitted"},
		{`{"job_id": 5, "time": {"start": "x"}}`, `job 5: want a number, have "x"`},
		{`{"job_id": 5, "state": {"current": 7}}`, "job 5: json: cannot unmarshal number"},
		{`{"job_id": "5"}`, `job "5": json: cannot unmarshal string`},
		{`7`, "record 7: json: cannot unmarshal number"},
		{failed + `"time": {"submission": 253402300800}}`, "job 5 has a time in the year 10000"},
		{failed + `"nodes": "n1", "time": {"submission": 5, "start": 20, "end": 10}}`, "job 5 ends at"},
		{failed + `"nodes": "n[", "time": {"submission": 5}, ` + gpu + `}`, "the nodes of job 5: "},
	} {
		got, _, err := readReply(strings.NewReader(`{"jobs": [`+c.text+","+good+`]}`), "jobs")
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		rows, bad := (&Reader{}).jobsFromRecords(got.Jobs)
		if len(rows) != 1 || rows[0].ID != 9 || len(bad) != 1 || !strings.HasPrefix(bad[0].Error(), c.says) {
			t.Errorf("%s: %d rows, bad %v, want %s", c.text, len(rows), bad, c.says)
		}
	}
	const shares = `{"associations": [{"account": "a", "user": "u", "shares_raw": "x"}, {"account": "b"}]}`
	got, _, err := readReply(strings.NewReader(shares), "associations")
	if err != nil || len(got.Associations.records) != 1 || len(got.Associations.bad) != 1 ||
		!strings.HasPrefix(got.Associations.bad[0].Error(), `record "a" "u": json:`) {
		t.Errorf("%+v (%v)", got.Associations, err)
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{`{"jobs": `, "after "}, {`{"jobs": 7}`, "after "}, {`{}`, `the reply has no "jobs"`}, {`[]`, "after "},
	} {
		if _, _, err := readReply(strings.NewReader(c.text), "jobs"); err == nil ||
			!strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%s: %v, want %s", c.text, err, c.says)
		}
	}
	_, meta, err := readReply(strings.NewReader(`{"errors": [{"error_number": 9000, "description": "no", "source": "q"}]}`), "jobs")
	if want := (slurm.Problem{ErrorNumber: 9000, Text: "no, q"}); err != nil || len(meta.Errors) != 1 || meta.Errors[0] != want {
		t.Errorf("%v (%v), want %v", meta.Errors, err, want)
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]optionalNumber{
		"7": 7, "null": 0, "4294967294": 0, "4294967295": 0, "18446744073709551614": 0, "-2": 0,
		`{"set": true, "infinite": false, "number": 9}`: 9, `{"set": false, "infinite": false, "number": 9}`: 0, `{"set": true, "infinite": true, "number": 0}`: 0,
	} {
		n := optionalNumber(3)
		if err := n.UnmarshalJSON([]byte(text)); err != nil || n != want {
			t.Errorf("%s is %d (%v), want %d", text, n, err, want)
		}
	}
}

// A heterogeneous job whose launch failed leaves a row that is over but pending.
func TestLaunchFailed(t *testing.T) {
	got, _, err := readReply(strings.NewReader(`{"jobs": [
		{"job_id": 5, "state": {"current": ["PENDING"]}, "nodes": "n1", "time": {"submission": 5, "start": 10, "end": 10}},
		{"job_id": 6, "state": {"current": ["PENDING"]}, "nodes": "None assigned", "time": {"submission": 5, "start": 0, "end": 0}}]}`), "jobs")
	if err != nil {
		t.Fatal(err)
	}
	rows, bad := (&Reader{}).jobsFromRecords(got.Jobs)
	if bad != nil || rows[0].State != "REQUEUED" || !rows[0].HasEnded() || rows[1].State != "PENDING" ||
		rows[1].HasEnded() {
		t.Errorf("%+v (%v)", rows, bad)
	}
}

func TestStateOf(t *testing.T) {
	for want, words := range map[string][]string{"REQUEUED": {"PENDING", "REQUEUED"}, "RESIZING": {"PENDING", "RESIZING"}, "FAILED": {"FAILED"}, "": nil} {
		if got := mainStateWord(words); got != want {
			t.Errorf("%v is %q, want %q", words, got, want)
		}
	}
}

// TestBothWays: slurmrestd and sacct, asked about the same jobs, give the same
// rows.
func TestBothWays(t *testing.T) {
	ended := func(list []Job) []Job {
		return slices.DeleteFunc(list, func(j Job) bool { return !j.HasEnded() })
	}
	text, err := os.Open("testdata/22.05-sacct.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	bySacct, bad, err := ReadSacct(text, "testdata/22.05-sacct.txt", "lab", time.UTC)
	if err != nil || bad != nil {
		t.Fatal(err, bad)
	}
	byREST := ended(recorded(t, "22.05"))
	order := func(a, b Job) int { return cmp.Or(int(a.ID-b.ID), a.Submit.Compare(b.Submit)) }
	slices.SortFunc(byREST, order)
	bySacct = ended(bySacct)
	slices.SortFunc(bySacct, order)
	if diff := gocmp.Diff(bySacct, byREST); diff != "" || len(byREST) < 15 {
		t.Errorf("%d rows (-sacct +REST):\n%s", len(byREST), diff)
	}
}

// recorded returns the rows of a reply of a release, about jobs that were
// requeued, suspended, resized, cancelled, failed, on failing nodes, in arrays
// and heterogeneous.
func recorded(t *testing.T, release string) []Job {
	t.Helper()
	f, err := os.Open("testdata/" + release + "-jobs.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, _, err := readReply(f, "jobs")
	if err != nil {
		t.Fatal(err)
	}
	rows, bad := (&Reader{cluster: "lab"}).jobsFromRecords(got.Jobs)
	if bad != nil {
		t.Fatal(bad)
	}
	return rows
}

func TestRecorded(t *testing.T) {
	for release, want := range map[string]map[string]int{
		"22.05": {"REQUEUED": 1, "RESIZING": 2}, "26.05": {"REQUEUED": 1, "RESIZING": 4},
	} {
		seen, slept := map[string]int{}, 0
		for _, j := range recorded(t, release) {
			seen[j.State]++
			if j.SuspendedTime > 0 {
				slept++
			}
			if j.HasEnded() && j.Nodes.Text != "" && (j.Start.IsZero() || j.AllocatedTRES.GPUCount() == 0 || j.AllocatedTRES.GPUType() != "a100") {
				t.Errorf("%s: %+v", release, j)
			}
		}
		for state, n := range want {
			if seen[state] != n || slept != 1 {
				t.Errorf("%s: %v, %d suspended; want %v and one", release, seen, slept, want)
			}
		}
	}
}
