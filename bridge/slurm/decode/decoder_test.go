package decode

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/bridge/slurm"
)

// job writes a jobs reply with one job that has all that is needed, changed
// by more: `"key": value` pairs, which replace those with the same key.
func job(more ...string) string {
	pairs := []string{
		`"job_id": 7`, `"user_id": 1000`, `"partition": "gpu"`, `"job_state": ["PENDING"]`,
		`"submit_time": 1795225297`, `"priority": 5`, `"restart_cnt": 0`,
	}
	for _, m := range more {
		key, _, _ := strings.Cut(m, ":")
		for i := range pairs {
			if strings.HasPrefix(pairs[i], key+":") {
				pairs[i] = m
				m = ""
			}
		}
		if m != "" {
			pairs = append(pairs, m)
		}
	}
	return `{"jobs": [{` + strings.Join(pairs, ", ") + `}]}`
}

// decodeJob decodes a reply with one job.
func decodeJob(t *testing.T, text string) slurm.Job {
	t.Helper()
	jobs, _, err := new(Decoder).Jobs(strings.NewReader(text), nil)
	if err != nil || len(jobs) != 1 {
		t.Fatalf("%s: %d jobs, %v", text, len(jobs), err)
	}
	return jobs[0]
}

var at = time.Unix(1795225297, 0).UTC()

var jobTests = []struct {
	name string
	with []string
	want func(*slurm.Job)
}{
	{"nothing more", nil, func(*slurm.Job) {}},
	{"wrapped numbers", []string{
		`"submit_time": {"set":true,"infinite":false,"number":1795225297}`,
		`"priority": {"infinite":false,"number":9,"set":true}`,
		`"time_limit": {"set":true,"infinite":false,"number":60}`,
		`"nice": -5`},
		func(j *slurm.Job) { j.Priority, j.TimeLimit, j.Nice, j.IsNiceKnown = 9, time.Hour, -5, true }},
	{"negative nice of 22.05", []string{`"nice": 4294967096`}, func(j *slurm.Job) { j.Nice, j.IsNiceKnown = -200, true }},
	{"missing is not zero", []string{`"nice": null`, `"array_task_id": null`, `"array_job_id": 7`},
		func(j *slurm.Job) { j.ArrayJobID = 7 }},
	{"not set is not zero", []string{`"array_task_id": {"set":false,"infinite":false,"number":0}`,
		`"array_job_id": {"set":true,"infinite":false,"number":7}`}, func(j *slurm.Job) { j.ArrayJobID = 7 }},
	{"task zero", []string{`"array_task_id": {"set":true,"infinite":false,"number":0}`, `"array_job_id": 7`},
		func(j *slurm.Job) { j.ArrayJobID, j.IsArrayTask = 7, true }},
	{"task of no array", []string{`"array_task_id": 3`, `"array_job_id": 0`}, func(*slurm.Job) {}},
	{"no limit", []string{`"time_limit": {"set":false,"infinite":true,"number":0}`}, func(*slurm.Job) {}},
	{"no limit, plainly", []string{`"time_limit": 4294967295`}, func(*slurm.Job) {}},
	{"held by priority", []string{`"priority": 0`}, func(j *slurm.Job) { j.Priority, j.IsHeld = 0, true }},
	{"held by flag", []string{`"hold": true`}, func(j *slurm.Job) { j.IsHeld = true }},
	{"state with flags", []string{`"job_state": ["RUNNING","STAGE_OUT","COMPLETING"]`},
		func(j *slurm.Job) { j.State, j.Flags = "RUNNING", []string{"COMPLETING", "STAGE_OUT"} }},
	{"state of one word", []string{`"job_state": "RUNNING"`}, func(j *slurm.Job) { j.State = "RUNNING" }},
	{"only a flag", []string{`"job_state": "CONFIGURING"`},
		func(j *slurm.Job) { j.State, j.Flags = "RUNNING", []string{"CONFIGURING"} }},
	{"completing", []string{`"job_state": "COMPLETING"`},
		func(j *slurm.Job) { j.State, j.Flags = "COMPLETING", []string{"COMPLETING"} }},
	{"times", []string{`"eligible_time": 0`, `"start_time": 1795225297`, `"suspend_time": null`, `"pre_sus_time": 90`},
		func(j *slurm.Job) { j.Start, j.PreSuspendTime = at, 90*time.Second }},
	{"hostlists", []string{`"nodes": "None assigned"`, `"required_nodes": ["n1","n2"]`, `"excluded_nodes": "n[3-4]"`},
		func(j *slurm.Job) {
			j.RequiredNodes, j.ExcludedNodes = slurm.ReadHosts("n1,n2"), slurm.ReadHosts("n[3-4]")
		}},
	{"exclusive", []string{`"shared": ["none"]`}, func(j *slurm.Job) { j.Exclusive = true }},
	{"exclusive, 22.05", []string{`"shared": "none"`}, func(j *slurm.Job) { j.Exclusive = true }},
	{"exclusive, v0.0.40", []string{`"exclusive": ["true"]`}, func(j *slurm.Job) { j.Exclusive = true }},
	{"exclusive, v0.0.45", []string{`"submit_line": "sbatch -p gpu --exclusive run.sh"`, `"shared": []`}, func(j *slurm.Job) { j.Exclusive = true }},
	{"exclusive by user, v0.0.45", []string{`"submit_line": "sbatch -p gpu --exclusive=user run.sh"`}, func(*slurm.Job) {}},
	{"shared by user", []string{`"shared": ["user"]`, `"exclusive": ["user"]`, `"cron": 5`}, func(*slurm.Job) {}},
	{"sluid", []string{`"step_id": {"job_id": {"set":true,"infinite":false,"number":1}, "sluid": "s335M7"}`},
		func(j *slurm.Job) { j.SLUID = "s335M7" }},
	{"control characters", []string{`"comment": "a\u001b[2J\n\u009bé"`}, func(j *slurm.Job) { j.Comment = "a [2J  é" }},
	{"escaped key", []string{`"comm\u0065nt": "x"`}, func(j *slurm.Job) { j.Comment = "x" }},
	{"unknown keys", []string{`"x": {"jobs":[1,{"y":[]}]}`, `"": 1`, `"x": 2`}, func(*slurm.Job) {}},
	{"whole number as fraction", []string{`"cpus": 8.0`}, func(j *slurm.Job) { j.CPUs = 8 }},
	{"a long remark is cut", []string{`"comment": "` + strings.Repeat("é", 3000) + `"`},
		func(j *slurm.Job) { j.Comment = strings.Repeat("é", 2048) }},
	{"cut within a character", []string{`"comment": "x` + strings.Repeat("é", 3000) + `"`},
		func(j *slurm.Job) { j.Comment = "x" + strings.Repeat("é", 2047) }},
	{"cut before an escape", []string{`"comment": "` + strings.Repeat("x", 4094) + `\u0041tail"`},
		func(j *slurm.Job) { j.Comment = strings.Repeat("x", 4094) }},
	{"cut although it fills the window", []string{`"comment": "` + strings.Repeat("x", 300_000) + `"`},
		func(j *slurm.Job) { j.Comment = strings.Repeat("x", 4096) }},
}

func TestJobFields(t *testing.T) {
	for _, tt := range jobTests {
		t.Run(tt.name, func(t *testing.T) {
			want := slurm.Job{ID: 7, UserID: 1000, Partitions: []string{"gpu"}, State: "PENDING", Submit: at, Priority: 5}
			tt.want(&want)
			if diff := cmp.Diff(want, decodeJob(t, job(tt.with...)), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestOpaqueJobs(t *testing.T) {
	for with, want := range map[string]string{
		`"priority": null`: "priority is missing",
		`"priority": {"set":false,"infinite":false,"number":1}`: "priority is missing",
		`"priority": "5"`:                   "priority is not of the expected kind",
		`"priority": 1.5`:                   "priority is not of the expected kind",
		`"restart_cnt": -3`:                 "restart_cnt is not of the expected kind",
		`"submit_time": 0`:                  "submit_time is missing",
		`"submit_time": null`:               "submit_time is missing",
		`"submit_time": 99999999999999`:     "submit_time is not of the expected kind",
		`"job_state": []`:                   "job_state is not of the expected kind",
		`"job_state": ["FROBNICATING"]`:     "job_state is not of the expected kind",
		`"job_state": [5]`:                  "job_state is not of the expected kind",
		`"nice": {"set":true}`:              "nice is not of the expected kind",
		`"nice": 99999999999`:               "nice is not of the expected kind",
		`"nodes": {}`:                       "nodes is not of the expected kind",
		`"tres_req_str": 5`:                 "tres_req_str is not of the expected kind",
		`"step_id": {"sluid": 5}`:           "step_id is not of the expected kind",
		`"time_limit": 9223372036854775807`: "time_limit is not of the expected kind",
		`"required_nodes": "` + strings.Repeat("n", 2<<20) + `"`: "required_nodes is not of the expected kind",
	} {
		if got := decodeJob(t, job(with)).UntrustedReason; got != want {
			t.Errorf("%s: opaque %q, want %q", slurm.QuoteExcerpt(with), got, want)
		}
	}
}

// Records do not change when the decoder is used again.
func TestRecordsStayValid(t *testing.T) {
	var d Decoder
	text := reply(t, "26.05-v0.0.44", 50)
	first, _, err := d.Jobs(bytes.NewReader(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprintf("%+v", first)
	for i := range 20 {
		other := bytes.ReplaceAll(text, []byte("train-"), fmt.Appendf(nil, "other%d-", i))
		if _, _, err := d.Jobs(bytes.NewReader(bytes.ReplaceAll(other, []byte("RUNNING"), []byte("PENDING"))), nil); err != nil {
			t.Fatal(err)
		}
	}
	if after := fmt.Sprintf("%+v", first); before != after {
		t.Errorf("records changed:\n%s\n%s", before, after)
	}
}

func TestAllocations(t *testing.T) {
	const jobs = 2000
	text := reply(t, "26.05-v0.0.44", jobs)
	var d Decoder
	into := make([]slurm.Job, 0, jobs)
	n := testing.AllocsPerRun(3, func() {
		if out, _, err := d.Jobs(bytes.NewReader(text), into[:0]); err != nil || len(out) != jobs {
			t.Fatal(len(out), err)
		}
	})
	if n/jobs > 3 {
		t.Errorf("%.1f allocations per job, want at most 3", n/jobs)
	}
}

func TestShapesFit(t *testing.T) {
	for name, n := range map[string]int{
		"job": len(jobSchema.fields), "node": len(nodeSchema.fields), "partition": len(partitionSchema.fields), "diag": len(diagSchema.fields),
	} {
		if n > maxFields {
			t.Errorf("%s has %d fields, more than a set holds", name, n)
		}
	}
	if len(jobSchema.fieldIndexByName) != len(jobSchema.fields) {
		t.Error("a job field is listed twice")
	}
}

// Every job is exactly one of pending, running and done.
func TestOneBaseState(t *testing.T) {
	for text, want := range map[string]string{
		`["PENDING"]`: "pending", `["PENDING","REQUEUED"]`: "pending", `["RUNNING"]`: "running", `["RUNNING","CONFIGURING"]`: "running",
		`["SUSPENDED"]`: "running", `["COMPLETED","COMPLETING"]`: "running", `["COMPLETED"]`: "done", `["PREEMPTED"]`: "done",
		`"COMPLETING"`: "running", `"CONFIGURING"`: "running", `"REQUEUE_HOLD"`: "pending", `"TIMEOUT"`: "done", `"REVOKED"`: "done",
	} {
		j := decodeJob(t, job(`"job_state": `+text))
		got := map[bool]string{j.IsPending(): "pending", j.IsRunning(): "running", j.IsDone(): "done"}
		if got[true] != want || j.IsPending() && j.IsRunning() || j.UntrustedReason != "" {
			t.Errorf("%s: state %s flags %v, want %s", text, j.State, j.Flags, want)
		}
	}
}
