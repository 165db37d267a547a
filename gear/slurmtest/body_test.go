package slurmtest

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// body is what Slurm does with one update body: the status, the error number
// and what the job looks like then.
type body struct {
	release string
	v       int
	body    string // {HOUR}: epoch in an hour, {LOCAL}: the same as a local time
	status  int
	number  int
	look    func(slurm.Job) any
	want    any
}

func itsPriority(j slurm.Job) any { return j.Priority }

func itsNice(j slurm.Job) any { return j.Nice }

func itsNodes(j slurm.Job) any { return j.RequiredNodes.Text + "/" + j.ExcludedNodes.Text }

func itsBegin(j slurm.Job) any { return j.EligibleTime.Unix() }

const first = 1767571200 // the world's first moment

// bodies are the measured cases, on a job with nice 3 and required node n2
// that begins in two hours.
var bodies = []body{
	{"26.05.5", 45, `{"nice":7}`, 200, 0, itsNice, int64(7)},
	{"26.05.5", 45, `{"nice":{"set":true,"number":7}}`, 500, 9202, itsNice, int64(3)},
	{"26.05.5", 45, `{"nice":"x"}`, 500, 9202, itsNice, int64(3)},
	{"26.05.5", 45, `{"job":{"nice":7}}`, 200, 0, itsNice, int64(3)},
	{"26.05.5", 45, `{"priority":{"number":780}}`, 200, 0, itsPriority, int64(9_997)},
	{"26.05.5", 45, `{"priority":{"set":true,"infinite":false,"number":5000}}`, 200, 0, itsPriority, int64(5_000)},
	{"26.05.5", 42, `{"priority":5000}`, 200, 0, itsPriority, int64(5_000)},
	{"24.11.5", 42, `{"priority":4294967295}`, 200, 0, itsPriority, int64(10_000)},
	{"24.11.5", 42, `{"priority":600,"hold":true}`, 200, 0, itsPriority, int64(600)},
	{"22.05.8", 38, `{"priority":600,"hold":true}`, 200, 0, itsPriority, int64(0)},
	{"22.05.8", 38, `{"priority":"600"}`, 200, 0, itsPriority, int64(600)},
	{"22.05.8", 38, `{"priority":{"set":true,"number":600}}`, 200, 0, itsPriority, int64(9_997)},
	{"22.05.8", 38, `{"foo":1,"nice":9}`, 200, 0, itsNice, int64(3)},
	{"22.05.8", 38, `{"site_factor":2147484148}`, 200, 0, itsPriority, int64(9_997)},
	{"26.05.5", 45, `{"site_factor":2147484148}`, 200, 0, itsPriority, int64(10_497)},
	{"26.05.5", 45, `{"site_factor":55}`, 200, 0, itsPriority, int64(1)},
	{"26.05.5", 45, `{"site_factor":null}`, 200, 0, itsPriority, int64(1)},
	{"26.05.5", 45, `{"site_factor":-5}`, 200, 0, itsPriority, int64(9_997)},
	{"26.05.5", 45, `{"site_factor":{"set":true,"number":5}}`, 422, 9000, itsPriority, int64(9_997)},
	{"26.05.5", 45, `{"required_nodes":["n1"],"excluded_nodes":["n2"]}`, 200, 0, itsNodes, "n1/n2"},
	{"26.05.5", 45, `{"required_nodes":[],"excluded_nodes":[]}`, 200, 0, itsNodes, "n2/"},
	{"26.05.5", 45, `{"required_nodes":[""]}`, 200, 0, itsNodes, "/"},
	{"26.05.5", 45, `{"required_nodes":null}`, 200, 0, itsNodes, "/"},
	{"26.05.5", 45, `{"excluded_nodes":null}`, 200, 0, itsNodes, "n2/"},
	{"26.05.5", 45, `{"comment":null}`, 200, 0, itsNodes, "n2/"},
	{"26.05.5", 45, `{"nice":null}`, 200, 0, itsNice, int64(0)},
	{"26.05.5", 45, `{"priority":null}`, 200, 0, itsPriority, int64(9_997)},
	{"26.05.5", 45, `{"priority":"5000"}`, 200, 0, itsPriority, int64(5_000)},
	{"26.05.5", 45, `{"hold":true}`, 200, 0, itsPriority, int64(0)},
	{"26.05.5", 45, `{"hold":null}`, 200, 0, itsPriority, int64(9_997)},
	{"26.05.5", 45, `{"hold":false}`, 200, 0, itsNice, int64(0)},
	{"26.05.5", 45, `{"priority":0}`, 200, 0, itsPriority, int64(0)},
	{"26.05.5", 45, `{"nice":7,"priority":5000}`, 200, 0, itsNice, int64(0)},
	{"26.05.5", 45, `{"excluded_nodes":["n1","n2"]}`, 200, 0, itsNodes, "n2/n1,n2"},
	{"26.05.5", 45, `{"excluded_nodes":"n1,n2"}`, 200, 0, itsNodes, "n2/n1,n2"},
	{"26.05.5", 45, `{"begin_time":"{HOUR}"}`, 200, 0, itsBegin, int64(first + 3600)},
	{"26.05.5", 45, `{"qos":"nosuch"}`, 200, 0, itsNodes, "n2/"},
	{"26.05.5", 45, `{"partition":"nosuch"}`, 422, 2000, itsNodes, "n2/"},
	{"26.05.5", 45, `{"tres_per_node":"gpu:3"}`, 422, 2115, itsNodes, "n2/"},
	{"26.05.5", 45, `[]`, 500, 9209, itsNodes, "n2/"},
	{"22.05.8", 38, `{"begin_time":"uts{HOUR}"}`, 200, 0, itsBegin, int64(first + 3600)},
	{"22.05.8", 38, `{"hold":true}`, 200, 0, itsPriority, int64(0)},
	{"22.05.8", 38, `{"nodelist":null}`, 200, 0, itsNodes, "/"},
	{"22.05.8", 38, `{"partition":"nosuch"}`, 500, 2000, itsNodes, "n2/"},
	{"22.05.8", 38, `{"nice":7}`, 200, 0, itsPriority, int64(9_993)},
	{"22.05.8", 38, `{"nice":9,"hold":false}`, 200, 0, itsNice, int64(9)},
	{"26.05.5", 45, `{"nice":9,"hold":false}`, 200, 0, itsNice, int64(9)},
	{"22.05.8", 38, `{"comment":"x","requeue":false}`, 200, 0, itsNodes, "n2/"},
	{"26.05.5", 45, `{"required_nodes":["n9"]}`, 422, 2018, itsNodes, "n2/"},
	{"24.11.5", 42, `{"required_nodes":["n9"]}`, 500, 2018, itsNodes, "n2/"},
	{"22.05.8", 38, `{"nodelist":"n1","exclude_nodes":"n2"}`, 200, 0, itsNodes, "n1/n2"},
	{"22.05.8", 38, `{"nodelist":""}`, 200, 0, itsNodes, "/"},
	{"22.05.8", 38, `{"exclude_nodes":["n1"]}`, 200, -1, itsNodes, "n2/"},
	{"26.05.5", 45, `{"begin_time":{"set":true,"infinite":false,"number":{HOUR}}}`, 200, 0, itsBegin, int64(first + 3600)},
	{"26.05.5", 45, `{"begin_time":"now+60"}`, 200, 0, itsBegin, int64(first + 60)},
	{"26.05.5", 45, `{"begin_time":0}`, 200, 0, itsBegin, int64(first + 7200)},
	{"26.05.5", 45, `{"begin_time":1}`, 200, 0, itsBegin, int64(first)},
	{"22.05.8", 38, `{"begin_time":"{LOCAL}"}`, 200, 0, itsBegin, int64(first + 3600)},
	{"22.05.8", 38, `{"begin_time":"now"}`, 200, 0, itsBegin, int64(first)},
	{"26.05.5", 45, `{"step_id":{"sluid":"s0000000000001"},"nice":7}`, 404, 2017, itsNice, int64(3)},
	{"26.05.5", 45, `{"step_id":{"sluid":"s000"},"nice":7}`, 422, 2185, itsNice, int64(3)},
	{"26.05.5", 43, `{"step_id":{"sluid":"s0000000000001"},"nice":7}`, 200, 0, itsNice, int64(7)},
}

// submitTwin queues the job the cases are about.
func submitTwin(t *testing.T, s *Server) int64 {
	t.Helper()
	return submit(t, s, sim.JobSpec{Nice: 3, RequiredNodes: []string{"n2"}, BeginTime: time.Unix(first+7200, 0)})
}

// at fills in the times of a body.
func (b body) at(t time.Time) string {
	t = t.Add(time.Hour)
	return strings.NewReplacer("{HOUR}", strconv.FormatInt(t.Unix(), 10), "{LOCAL}", t.Format("2006-01-02T15:04:05")).Replace(b.body)
}

func TestUpdateBodies(t *testing.T) {
	for _, c := range bodies {
		t.Run(c.release+" "+c.body, func(t *testing.T) {
			s := start(t, c.release)
			id := submitTwin(t, s)
			a := call(t, s, "POST", path(c.v, "job/1"), c.at(time.Unix(first, 0).UTC()))
			if a.status != c.status || a.number() != c.number {
				t.Errorf("answer %d, error %d; want %d, %d: %s", a.status, a.number(), c.status, c.number, a.body)
			}
			if got := c.look(job(t, s, id)); got != c.want {
				t.Errorf("then %v, want %v", got, c.want)
			}
		})
	}
}

func TestStatusOfRefusalsByRelease(t *testing.T) {
	for _, c := range []struct {
		release                      string
		v                            int
		missing, held, getMissing, w int // status codes; w: of PUT
	}{{"22.05.8", 38, 500, 500, 500, 405}, {"24.11.5", 42, 404, 500, 404, 404}, {"26.05.5", 45, 404, 422, 404, 404}} {
		s := start(t, c.release)
		submit(t, s, sim.JobSpec{Hold: true})
		for _, q := range []struct {
			method, tail, body string
			status, number     int
		}{
			{"POST", "job/99", `{"nice":1}`, c.missing, 2017}, {"POST", "job/1", `{"priority":9000}`, c.held, 2042},
			{"GET", "job/99", "", c.getMissing, 2017}, {"PUT", "job/1", "", c.w, 0}, {"POST", "job/1", `{nice`, 400, 0},
		} {
			if a := call(t, s, q.method, path(c.v, q.tail), q.body); a.status != q.status || a.number() != q.number {
				t.Errorf("%s: %s %s %s: %d, %d; want %d, %d", c.release, q.method, q.tail, q.body, a.status, a.number(), q.status, q.number)
			}
		}
	}
}

func TestArrayTaskAddress(t *testing.T) {
	s := start(t, "26.05.5")
	submit(t, s, sim.JobSpec{ArraySize: 3, Hold: true})
	if a := call(t, s, "POST", path(45, "job/1_2"), `{"nice":5}`); a.status != 422 || a.number() != 9000 {
		t.Errorf("26.05: %d %d", a.status, a.number())
	}
	s = start(t, "22.05.8")
	submit(t, s, sim.JobSpec{ArraySize: 3, Hold: true})
	a := call(t, s, "POST", path(38, "job/1_2"), `{"nice":5}`)
	if a.status != 200 || a.number() == 0 {
		t.Errorf("22.05: %d %d", a.status, a.number())
	}
	s.WithWorld(func(w *sim.World) {
		if j, err := w.Job(2); err != nil || j.Nice != 5 || j.ArrayTaskID != 2 {
			t.Errorf("22.05 says no and yet does it: %+v %v", j, err)
		}
	})
}

func TestVersionsAndAbsentEndpoints(t *testing.T) {
	s := start(t, "26.05.5")
	for _, q := range []struct {
		method, path string
		status       int
	}{
		{"GET", path(41, "jobs/"), 404}, {"GET", path(42, "jobs"), 200}, {"GET", path(44, "jobs/state/"), 200},
		{"POST", path(44, "jobs/requeue"), 404}, {"GET", path(45, "diag/"), 200}, {"GET", "/openapi/v3", 200},
		{"GET", path(45, "job/1/requeue"), 404},
	} {
		if a := call(t, s, q.method, q.path, `{}`); a.status != q.status {
			t.Errorf("%s %s: %d, want %d", q.method, q.path, a.status, q.status)
		}
	}
	doc := string(call(t, s, "GET", "/openapi/v3", "").body)
	for _, want := range []string{"/slurm/v0.0.42/jobs/", "/slurm/v0.0.45/jobs/requeue"} {
		if !strings.Contains(doc, `"`+want+`"`) {
			t.Errorf("the OpenAPI document lacks %s", want)
		}
	}
	s.SetAPIVersions(43, 44, 45)
	if a := call(t, s, "GET", path(42, "jobs/"), ""); a.status != 404 || !strings.Contains(string(a.body), "Unable to find requested URL") {
		t.Errorf("after the upgrade: %d %s", a.status, a.body)
	}
}
