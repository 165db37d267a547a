package decode

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/bridge/slurm"
)

func TestReply(t *testing.T) {
	tests := []struct {
		name    string
		text    string
		results []slurm.TaskResult
		meta    slurm.ReplyMeta
	}{
		{"plain success", `{"meta":{"slurm":{"release":"26.05.5","cluster":"lab"}},"errors":[],"warnings":[]}`, nil,
			slurm.ReplyMeta{Release: "26.05.5", Cluster: "lab"}},
		{"22.05", `{"meta":{"Slurm":{"release":"22.05.8"}},"errors":[{"error":"Invalid job id","errno":2017}]}`, nil,
			slurm.ReplyMeta{Release: "22.05.8", Errors: []slurm.Problem{{ErrorNumber: 2017, Text: "Invalid job id"}}}},
		{"refused", `{"errors":[{"description":"Job update failed","error_number":2073,"error":"Job is no longer pending","source":"slurm_update_job2()"}],
			"warnings":[{"description":"Unknown key","source":"#/x"}]}`, nil,
			slurm.ReplyMeta{Errors: []slurm.Problem{{ErrorNumber: 2073, Text: "Job update failed, Job is no longer pending, slurm_update_job2()"}}, Warnings: []string{"Unknown key, #/x"}}},
		{"results by task", `{"results":[{"job_id":5,"step_id":"5_[1]","error":"No error","error_code":0,"why":""},
			{"job_id":5,"step_id":"5_[2]","error":"held","error_code":2042,"why":"by admin"}]}`,
			[]slurm.TaskResult{{Job: 5, StepID: "5_[1]", ErrorNumber: 0, Text: "No error"}, {Job: 5, StepID: "5_[2]", ErrorNumber: 2042, Text: "held, by admin"}}, slurm.ReplyMeta{}},
		{"lists of lists", `{"status":[[{"job_id":123,"step_id":"123_[1]","error_code":0}],[]],"errors":[]}`,
			[]slurm.TaskResult{{Job: 123, StepID: "123_[1]", ErrorNumber: 0, Text: ""}}, slurm.ReplyMeta{}},
		{"negative number", `{"errors":[{"error_number":-1}]}`, nil, slurm.ReplyMeta{Errors: []slurm.Problem{{ErrorNumber: -1, Text: ""}}}},
		{"an error of an unknown form", `{"errors":[5, "text", {}]}`, nil,
			slurm.ReplyMeta{Errors: []slurm.Problem{{ErrorNumber: 0, Text: "an entry of an unknown form"}, {ErrorNumber: 0, Text: "text"}, {ErrorNumber: 0, Text: ""}}}},
		{"errors as text", `{"errors":"all is lost"}`, nil, slurm.ReplyMeta{Errors: []slurm.Problem{{ErrorNumber: 0, Text: "all is lost"}}}},
		{"unreadable number", `{"errors":[{"error_number":"x","error":"bad"}]}`, nil, slurm.ReplyMeta{Errors: []slurm.Problem{{ErrorNumber: 0, Text: "bad"}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			results, meta, err := new(Decoder).TaskResults(strings.NewReader(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.results, results); diff != "" {
				t.Errorf("results, -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(tt.meta, meta, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("meta, -want +got:\n%s", diff)
			}
		})
	}
}

// A list reply with errors may lack its list: the errors are what matters.
func TestErrorsInsteadOfList(t *testing.T) {
	jobs, meta, err := new(Decoder).Jobs(strings.NewReader(`{"errors":[{"error_number":2017,"error":"Invalid job id"}]}`), nil)
	if err != nil || len(jobs) != 0 || len(meta.Errors) != 1 || meta.Errors[0].ErrorNumber != 2017 {
		t.Errorf("%v, %v, %v", jobs, meta, err)
	}
}

func TestLastUpdate(t *testing.T) {
	for text, want := range map[string]int64{
		`{"set":true,"infinite":false,"number":1795225436}`: 1795225436,
		`1795225436`: 1795225436,
		`{"set":true,"infinite":false,"number":0}`: 0,
		`null`: 0,
	} {
		_, meta, err := new(Decoder).Jobs(strings.NewReader(`{"jobs":[],"last_update":`+text+`}`), nil)
		if err != nil || unix(meta.LastUpdate) != want {
			t.Errorf("%s: %v, %v", text, meta.LastUpdate, err)
		}
	}
}

func TestStates(t *testing.T) {
	got, _, err := new(Decoder).TaskStates(strings.NewReader(
		`{"jobs":[{"job_id":"1","state":["RUNNING","COMPLETING"]},{"job_id":"5_0","state":["PENDING"]},{"job_id":9,"state":"FAILED"},
			{"job_id":"3+1","state":["PENDING"]},{"job_id":"12_*","state":["CANCELLED"]}]}`), nil)
	want := []slurm.TaskState{
		{Job: 1, State: "RUNNING", Flags: []string{"COMPLETING"}},
		{Job: 5, IsArrayTask: true, State: "PENDING"},
		{Job: 9, State: "FAILED"},
		{Job: 3, State: "PENDING"},
		{Job: 12, State: "CANCELLED"},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	for _, line := range []string{
		`{}`, `{"job_id":"1"}`, `{"state":["PENDING"]}`, `{"job_id":"","state":["PENDING"]}`, `{"job_id":"0","state":["PENDING"]}`,
		`{"job_id":"5_","state":["PENDING"]}`, `{"job_id":"x","state":["PENDING"]}`, `{"job_id":"5_1_2","state":["PENDING"]}`,
		`{"job_id":"1","state":[]}`, `{"job_id":"1","state":["NEWSTATE"]}`, `{"job_id":"-1","state":["PENDING"]}`, `{"job_id":null,"state":["PENDING"]}`,
	} {
		if got, _, err := new(Decoder).TaskStates(strings.NewReader(`{"jobs":[`+line+`]}`), nil); err == nil {
			t.Errorf("%s was read as %+v", line, got)
		}
	}
}

func TestNodes(t *testing.T) {
	for text, want := range map[string]slurm.Node{
		`{"name":"n1","state":"idle","state_flags":["DRAIN"],"features":"a,b","active_features":"a,b","slurmd_version":"22.05.8"}`: {
			Name: "n1", State: "IDLE", Flags: []string{"DRAIN"}, Features: []string{"a", "b"}, Version: "22.05.8"},
		`{"name":"n1","state":["MIXED","POWERED_DOWN","DRAIN"],"active_features":["a"],"partitions":["gpu"],"tres_used":null}`: {
			Name: "n1", State: "MIXED", Flags: []string{"DRAIN", "POWERED_DOWN"}, Features: []string{"a"}, Partitions: []string{"gpu"}},
		`{"name":"n1"}`:                                      {Name: "n1", State: "UNREADABLE"},
		`{"name":"n1","state":["NEW"]}`:                      {Name: "n1", State: "UNREADABLE", Flags: []string{"NEW"}},
		`{"name":"n1","state":["IDLE"],"gres":5}`:            {Name: "n1", State: "UNREADABLE"},
		`{"name":"n1","state":["IDLE"],"topology":5}`:        {Name: "n1", State: "IDLE"},
		`{"name":"n1","state":["IDLE"],"alloc_memory":null}`: {Name: "n1", State: "IDLE"},
	} {
		got, _, err := new(Decoder).Nodes(strings.NewReader(`{"nodes":[`+text+`]}`), nil)
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got[0], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if _, ok := got[0].IsSchedulable(); ok != (want.State == "IDLE" && len(want.Flags) == 0) {
			t.Errorf("%s: schedulable %v", text, ok)
		}
	}
	if _, _, err := new(Decoder).Nodes(strings.NewReader(`{"nodes":[{"state":["IDLE"]}]}`), nil); err == nil {
		t.Error("a node without a name was accepted")
	}
}

func TestPartitions(t *testing.T) {
	for text, want := range map[string]slurm.Partition{
		`{"name":"gpu","nodes":"n[1-4]","max_time_limit":60,"priority_tier":3,"allowed_accounts":"a","allowed_qos":"q","denied_accounts":"d","denied_qos":"e","state":"UP","qos":"own","maximum_nodes_per_job":2}`: {
			QOS: "own", MaxNodes: 2, Name: "gpu", Nodes: slurm.ReadHosts("n[1-4]"), MaxTimeMinutes: 60, PriorityTier: 3, AllowedAccounts: []string{"a"}, AllowedQOS: []string{"q"}, DeniedAccounts: []string{"d"}, DeniedQOS: []string{"e"}, State: "UP"},
		`{"name":"gpu","nodes":{"configured":"n[1-4]","total":4},"maximums":{"time":{"set":true,"infinite":false,"number":60},"nodes":{"set":true,"infinite":false,"number":2}},
			"priority":{"job_factor":1,"tier":3},"accounts":{"allowed":"a","deny":"d"},"qos":{"allowed":"q","deny":"e","assigned":"own"},"partition":{"state":["UP"]}}`: {
			QOS: "own", MaxNodes: 2, Name: "gpu", Nodes: slurm.ReadHosts("n[1-4]"), MaxTimeMinutes: 60, PriorityTier: 3, AllowedAccounts: []string{"a"}, AllowedQOS: []string{"q"}, DeniedAccounts: []string{"d"}, DeniedQOS: []string{"e"}, State: "UP"},
		`{"name":"p","maximums":{"time":{"set":false,"infinite":true,"number":0}},"partition":{"state":["DOWN"]}}`: {Name: "p", State: "DOWN"},
		`{"name":"p","maximums":{"shares":0,"cpus_per_node":{"set":true,"number":8}},"partition":{"state":["UP"]}}`: {
			Name: "p", State: "UP", Exclusive: "YES", MaxCPUsPerNode: 8},
		`{"name":"p","maximums":{"shares":0},"partition":{"exclusive":"NO","state":["UP"]}}`: {
			Name: "p", State: "UP"},
		`{"name":"p","max_time_limit":-1,"state":"UP"}`:                        {Name: "p", State: "UP"},
		`{"name":"p","partition":{"state":["UP"]},"priority":{"tier":"high"}}`: {Name: "p"}, // unreadable
	} {
		got, _, err := new(Decoder).Partitions(strings.NewReader(`{"partitions":[`+text+`]}`), nil)
		if err != nil || len(got) != 1 {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestPing(t *testing.T) {
	for text, want := range map[string]slurm.Ping{
		`{"hostname":"ctl","ping":"UP","status":0,"mode":"primary"}`:                            {Host: "ctl", IsUp: true, IsPrimary: true},
		`{"hostname":"ctl","pinged":"DOWN","latency":1,"mode":"backup"}`:                        {Host: "ctl", IsUp: false, IsPrimary: false},
		`{"hostname":"ctl","responding":true,"latency":821,"primary":true,"status":"No error"}`: {Host: "ctl", IsUp: true, IsPrimary: true},
	} {
		got, _, err := new(Decoder).Ping(strings.NewReader(`{"pings":[` + text + `]}`))
		if err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestDiag(t *testing.T) {
	got, _, err := new(Decoder).Diag(strings.NewReader(`{"statistics":{"req_time":5,"schedule_cycle_last":1500,"bf_active":true,"parts_packed":1}}`))
	want := slurm.Diag{Now: time.Unix(5, 0).UTC(), CycleLast: 1500 * time.Microsecond, IsBackfilling: true}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%s, %v", diff, err)
	}
	if _, _, err := new(Decoder).Diag(strings.NewReader(`{"statistics":[]}`)); err == nil {
		t.Error("a list was accepted")
	}
}

// TestCountsOfRequests: what is no count is left out, and the clock is read all the same: polls
// rest on it.
func TestCountsOfRequests(t *testing.T) {
	alice := slurm.RPCCount{Name: "alice", Count: 3, TotalTime: 40 * time.Microsecond}
	whole := `{"user_id":3001,"user":"alice","count":3,"average_time":{"set":true,"infinite":false,"number":13},"total_time":40}`
	for text, want := range map[string][]slurm.RPCCount{
		`[` + whole + `]`: {alice},
		`[` + whole + `,{"user":"bob","count":"many","total_time":1},{"user":"","count":1,"total_time":1},{"user":"carol","count":1},7,[],` + whole + `]`: {alice, alice},
		`[]`: nil, `null`: nil, `"none"`: nil, `{"user":"alice"}`: nil,
	} {
		got, _, err := new(Decoder).Diag(strings.NewReader(`{"statistics":{"rpcs_by_user":` + text + `,"req_time":5}}`))
		if diff := cmp.Diff(want, got.RPCsByUser); err != nil || diff != "" || got.Now.Unix() != 5 {
			t.Errorf("%s: %s, %v, %v", text, diff, got.Now, err)
		}
	}
}

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
