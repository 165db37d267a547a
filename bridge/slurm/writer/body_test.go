package writer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
)

// bodies are what must go over the wire, byte for byte, per family of
// versions. They were all seen to work on a live Slurm.
var bodies = []struct {
	name          string
	edit          slurm.Edit
	v38, v42, v45 string // "" means refused
}{
	{name: "site factor up", edit: slurm.Edit{Kind: slurm.EditSiteFactor, Value: 55},
		v42: `{"site_factor":2147483703}`, v45: `{"site_factor":2147483703,"step_id":{"sluid":"` + id + `"}}`},
	{name: "site factor down", edit: slurm.Edit{Kind: slurm.EditSiteFactor, Value: -55},
		v42: `{"site_factor":2147483593}`, v45: `{"site_factor":2147483593,"step_id":{"sluid":"` + id + `"}}`},
	{name: "site factor neutral", edit: slurm.Edit{Kind: slurm.EditSiteFactor},
		v42: `{"site_factor":2147483648}`, v45: `{"site_factor":2147483648,"step_id":{"sluid":"` + id + `"}}`},
	{name: "nice", edit: slurm.Edit{Kind: slurm.EditNice, Value: -30},
		v38: `{"nice":-30}`, v42: `{"nice":-30}`, v45: `{"nice":-30,"step_id":{"sluid":"` + id + `"}}`},
	{name: "priority", edit: slurm.Edit{Kind: slurm.EditPriority, Value: 5000},
		v38: `{"priority":5000}`, v42: `{"priority":{"set":true,"infinite":false,"number":5000}}`,
		v45: `{"priority":{"set":true,"infinite":false,"number":5000},"step_id":{"sluid":"` + id + `"}}`},
	{name: "lease", edit: slurm.Edit{Kind: slurm.EditLease, Until: noon.Add(10 * time.Minute)},
		v38: `{"begin_time":"uts1795263000"}`, v42: `{"begin_time":{"set":true,"infinite":false,"number":1795263000}}`,
		v45: `{"begin_time":{"set":true,"infinite":false,"number":1795263000},"step_id":{"sluid":"` + id + `"}}`},
	{name: "unlease now", edit: slurm.Edit{Kind: slurm.EditUnlease, Until: noon},
		v38: `{"begin_time":"uts1795262340"}`, v42: `{"begin_time":{"set":true,"infinite":false,"number":1795262340}}`,
		v45: `{"begin_time":{"set":true,"infinite":false,"number":1795262340},"step_id":{"sluid":"` + id + `"}}`},
	{name: "unlease to the user's begin", edit: slurm.Edit{Kind: slurm.EditUnlease, Until: noon.Add(30 * time.Hour)},
		v38: `{"begin_time":"uts1795370400"}`, v42: `{"begin_time":{"set":true,"infinite":false,"number":1795370400}}`,
		v45: `{"begin_time":{"set":true,"infinite":false,"number":1795370400},"step_id":{"sluid":"` + id + `"}}`},
	{name: "require", edit: slurm.Edit{Kind: slurm.EditRequireNodes, Nodes: []string{"n1", "n2"}},
		v38: `{"nodelist":"n1,n2"}`, v42: `{"required_nodes":["n1","n2"]}`,
		v45: `{"required_nodes":["n1","n2"],"step_id":{"sluid":"` + id + `"}}`},
	{name: "require nothing", edit: slurm.Edit{Kind: slurm.EditRequireNodes},
		v38: `{"nodelist":""}`, v42: `{"required_nodes":[""]}`, v45: `{"required_nodes":[""],"step_id":{"sluid":"` + id + `"}}`},
	{name: "exclude", edit: slurm.Edit{Kind: slurm.EditExcludeNodes, Nodes: []string{"n3"}},
		v38: `{"exclude_nodes":"n3"}`, v42: `{"excluded_nodes":["n3"]}`, v45: `{"excluded_nodes":["n3"],"step_id":{"sluid":"` + id + `"}}`},
	{name: "exclude nothing", edit: slurm.Edit{Kind: slurm.EditExcludeNodes},
		v38: `{"exclude_nodes":""}`, v42: `{"excluded_nodes":[""]}`, v45: `{"excluded_nodes":[""],"step_id":{"sluid":"` + id + `"}}`},
	{name: "admin comment", edit: slurm.Edit{Kind: slurm.EditAdminComment, Text: "fairbridge 2 Mar 12:00 UTC: waits as 3rd of 12; others are ahead of it"},
		v42: `{"admin_comment":"fairbridge 2 Mar 12:00 UTC: waits as 3rd of 12; others are ahead of it"}`,
		v45: `{"admin_comment":"fairbridge 2 Mar 12:00 UTC: waits as 3rd of 12; others are ahead of it","step_id":{"sluid":"` + id + `"}}`},
	{name: "admin comment cleared", edit: slurm.Edit{Kind: slurm.EditAdminComment},
		v42: `{"admin_comment":""}`, v45: `{"admin_comment":"","step_id":{"sluid":"` + id + `"}}`},
	{name: "hard hold", edit: slurm.Edit{Kind: slurm.EditHardHold},
		v38: `{"hold":true}`, v42: `{"hold":true}`, v45: `{"hold":true,"step_id":{"sluid":"` + id + `"}}`},
}

func TestBodies(t *testing.T) {
	for _, c := range bodies {
		for version, want := range map[int]string{38: c.v38, 42: c.v42, 45: c.v45} {
			f := &fake{job: record(version, "PENDING", "")}
			d := open(t, f, version, Config{AllowHardHold: true})
			e := c.edit
			e.Run = run(7)
			err := d.ApplyEdit(t.Context(), e)
			if want == "" {
				if classOf(err) != slurm.ErrorBadRequest || len(f.writes) != 0 {
					t.Errorf("%s, v0.0.%d: %v, wrote %q", c.name, version, err, f.writes)
				}
				continue
			}
			path := map[int]string{38: "POST /slurm/v0.0.38/job/7 ", 42: "POST /slurm/v0.0.42/job/7 ", 45: "POST /slurm/v0.0.45/job/7 "}[version]
			if diff := cmp.Diff([]string{path + want}, f.writes); err != nil || diff != "" {
				t.Errorf("%s, v0.0.%d: %v\n%s", c.name, version, err, diff)
			}
		}
	}
}

func TestGPUBodies(t *testing.T) {
	for _, c := range []struct {
		name    string
		version int
		more    string
		want    string // "" means refused
	}{
		{"per node", 38, `,"tres_per_node":"gres:gpu:a100:4"`, `{"gres":"gpu:a100:3"}`},
		{"per node", 42, `,"tres_per_node":"gres/gpu:a100:4"`, `{"tres_per_node":"gres/gpu:a100:3"}`},
		{"per node, no type", 42, `,"tres_per_node":"gres/gpu:4"`, `{"tres_per_node":"gres/gpu:3"}`},
		{"per job", 38, `,"tres_per_job":"gres:gpu:4"`, `{"gpus":"6"}`},
		{"per job", 45, `,"tres_per_job":"gres/gpu:a100:4"`, `{"tres_per_job":"gres/gpu:a100:6","step_id":{"sluid":"` + id + `"}}`},
		{"more than GPUs", 42, `,"tres_per_node":"gres/gpu:4,gres/shard:2"`, ""},
		{"per task", 42, `,"tres_per_task":"gres/gpu:4"`, ""},
		{"none", 42, ``, ""},
	} {
		f := &fake{job: record(c.version, "PENDING", c.more)}
		d := open(t, f, c.version, Config{})
		r := run(7)
		if c.version < 44 {
			r.SLUID = ""
		}
		err := d.ApplyEdit(t.Context(), slurm.Edit{Run: r, Kind: slurm.EditSetGPUs, Value: 6})
		if c.want == "" {
			if classOf(err) != slurm.ErrorBadRequest || len(f.writes) != 0 {
				t.Errorf("%s: %v %q", c.name, err, f.writes)
			}
			continue
		}
		if err != nil || len(f.writes) != 1 || f.writes[0][len("POST /slurm/v0.0.45/job/7 "):] != c.want {
			t.Errorf("%s, v0.0.%d: %v %q, want %s", c.name, c.version, err, f.writes, c.want)
		}
	}
	d := open(t, &fake{job: record(42, "PENDING", `,"tres_per_node":"gres/gpu:4"`)}, 42, Config{})
	r := run(7)
	r.SLUID = ""
	if err := d.ApplyEdit(t.Context(), slurm.Edit{Run: r, Kind: slurm.EditSetGPUs, Value: 5}); classOf(err) != slurm.ErrorBadRequest {
		t.Errorf("5 GPUs on 2 nodes: %v", err)
	}
}

// TestGPUTypeBodies: a type is written in the place of another, and never where any was asked for.
func TestGPUTypeBodies(t *testing.T) {
	for _, c := range []struct{ asks, wants, body string }{
		{"gres/gpu:a100:4", "h100", `{"tres_per_node":"gres/gpu:h100:3"}`},
		{"gres/gpu:a100:4", "a100", `{"tres_per_node":"gres/gpu:a100:3"}`},
		{"gres/gpu:4", "h100", ""},
		{"gres/gpu:a100:4", "h100:9,shard", ""},
		{"gres/gpu:a100:4", "8", ""},
	} {
		f := &fake{job: record(42, "PENDING", `,"tres_per_node":"`+c.asks+`"`)}
		r := run(7)
		r.SLUID = ""
		err := open(t, f, 42, Config{}).ApplyEdit(t.Context(), slurm.Edit{Run: r, Kind: slurm.EditSetGPUs, Value: 6, Text: c.wants})
		switch {
		case c.body == "" && (classOf(err) != slurm.ErrorBadRequest || len(f.writes) != 0):
			t.Errorf("%s to %q: %v %q", c.asks, c.wants, err, f.writes)
		case c.body != "" && (err != nil || len(f.writes) != 1 || f.writes[0] != "POST /slurm/v0.0.42/job/7 "+c.body):
			t.Errorf("%s to %q: %v %q, want %s", c.asks, c.wants, err, f.writes, c.body)
		}
	}
}

func TestFieldsNotAllowed(t *testing.T) {
	for _, name := range []string{"user_id", "script", "account", "qos", "environment", "name", ""} {
		if b, err := encodeUpdate(updateField{name, 1}, ""); err == nil {
			t.Errorf("wrote %s", b)
		}
	}
}

// 22.05 takes the id of an array for all its tasks.
func TestPlainAddress(t *testing.T) {
	for _, c := range []struct {
		job  slurm.Job
		want string // "" means refused
	}{
		{slurm.Job{ID: 7}, "7"},
		{slurm.Job{ID: 8, ArrayJobID: 7, IsArrayTask: true, ArrayTaskID: 3}, "8"},
		{slurm.Job{ID: 7, ArrayJobID: 7, IsArrayTask: true, ArrayTaskID: 9}, "7_9"},
		{slurm.Job{ID: 7, ArrayJobID: 7, ArrayTasks: slurm.ReadArrayTasks("2-4,6%2")}, "7_2-4,6"},
		{slurm.Job{ID: 7, ArrayJobID: 7, ArrayTasks: slurm.ReadArrayTasks("0-8:2")}, "7_0-8:2"},
		{slurm.Job{ID: 7, ArrayJobID: 7, ArrayTasks: slurm.ReadArrayTasks("0,2,4,...")}, ""},
		{slurm.Job{ID: 7, ArrayJobID: 7, ArrayTasks: slurm.ReadArrayTasks("1/../../x")}, ""},
		{slurm.Job{ID: 7, ArrayJobID: 7}, ""},
	} {
		got, err := address2205(&c.job)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v: %q, %v", c.job, got, err)
		}
	}
}

// TestShardBodies: the one GPU of a waiting job becomes shards only while the job is bound to the node named, and its
// GPU is given back from them.
func TestShardBodies(t *testing.T) {
	shards := slurm.Edit{Kind: slurm.EditSetShards, Value: 2, Nodes: []string{"n1"}}
	for _, c := range []struct {
		name    string
		version int
		edit    slurm.Edit
		state   string
		more    string
		body    string
		class   slurm.ErrorClass
	}{
		{"one GPU", 42, shards, "PENDING", `,"tres_per_node":"gres/gpu:1","required_nodes":"n1"`, `{"tres_per_node":"gres/shard:2"}`, ""},
		{"of a type", 42, shards, "PENDING", `,"tres_per_node":"gres/gpu:a100:1","required_nodes":"n1"`, `{"tres_per_node":"gres/shard:2"}`, ""},
		{"other shards", 42, shards, "PENDING", `,"tres_per_node":"gres/shard:1","required_nodes":"n1"`, `{"tres_per_node":"gres/shard:2"}`, ""},
		{"not bound", 42, shards, "PENDING", `,"tres_per_node":"gres/gpu:1"`, "", slurm.ErrorJobChanged},
		{"bound elsewhere", 42, shards, "PENDING", `,"tres_per_node":"gres/gpu:1","required_nodes":"n2"`, "", slurm.ErrorJobChanged},
		{"it runs", 42, shards, "RUNNING", `,"tres_per_node":"gres/gpu:1","required_nodes":"n1"`, "", slurm.ErrorJobChanged},
		{"two GPUs", 42, shards, "PENDING", `,"tres_per_node":"gres/gpu:2","required_nodes":"n1"`, "", slurm.ErrorBadRequest},
		{"in all", 42, shards, "PENDING", `,"tres_per_job":"gres/gpu:1","required_nodes":"n1"`, "", slurm.ErrorBadRequest},
		{"22.05", 38, shards, "PENDING", `,"tres_per_node":"gres:gpu:1","required_nodes":"n1"`, "", slurm.ErrorBadRequest},
		{"a GPU of each of two nodes again", 42, slurm.Edit{Kind: slurm.EditSetGPUs, Value: 2, Text: "a100"}, "PENDING", `,"tres_per_node":"gres/shard:2"`, `{"tres_per_node":"gres/gpu:a100:1"}`, ""},
	} {
		f := &fake{job: record(c.version, c.state, c.more)}
		c.edit.Run = run(7)
		c.edit.Run.SLUID = ""
		err := open(t, f, c.version, Config{}).ApplyEdit(t.Context(), c.edit)
		switch {
		case c.body == "" && (classOf(err) != c.class || len(f.writes) != 0):
			t.Errorf("%s: %v %q", c.name, err, f.writes)
		case c.body != "" && (err != nil || len(f.writes) != 1 || f.writes[0] != "POST /slurm/v0.0.42/job/7 "+c.body):
			t.Errorf("%s: %v %q, want %s", c.name, err, f.writes, c.body)
		}
	}
}
