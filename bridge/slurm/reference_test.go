package slurm

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
)

// The reference reads replies the slow and obvious way: encoding/json into
// maps, then field by field. It shares no code with the scanner, and what both
// accept must come out the same.

// jsonObject is one JSON object of the reference.
type jsonObject map[string]any

func (o jsonObject) has(key string) bool { return o[key] != nil }

// whole reads a JSON number without a fraction: 8.0 is 8.
func whole(n json.Number) (int64, verdict) {
	if strings.ContainsAny(n.String(), ".eE") {
		f, err := n.Float64()
		if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return 0, unreadable
		}
		return int64(f), found
	}
	v, ok := new(big.Int).SetString(n.String(), 10)
	switch {
	case ok && v.IsInt64():
		return v.Int64(), found
	case ok && v.IsUint64() && v.Uint64() == math.MaxUint64:
		return 0, infinite
	case ok && v.IsUint64() && v.Uint64() == math.MaxUint64-1:
		return 0, absent
	}
	return 0, unreadable
}

func number(v any) (int64, verdict) {
	switch v := v.(type) {
	case nil:
		return 0, absent
	case json.Number:
		return whole(v)
	case map[string]any:
		set, ok1 := true, true
		if x, there := v["set"]; there {
			set, ok1 = x.(bool)
		}
		endless, ok2 := false, true
		if x, there := v["infinite"]; there {
			endless, ok2 = x.(bool)
		}
		n, there := v["number"]
		switch {
		case !ok1 || !ok2:
			return 0, unreadable
		case endless:
			return 0, infinite
		case !set:
			return 0, absent
		case !there:
			return 0, unreadable
		}
		return number(n)
	}
	return 0, unreadable
}

func sized(v any) (int64, verdict) {
	n, got := number(v)
	switch {
	case got != found:
		return 0, got
	case n == -1 || n == math.MaxUint32:
		return 0, infinite
	case n == -2 || n == math.MaxUint32-1:
		return 0, absent
	case n < 0:
		return 0, unreadable
	}
	return n, found
}

// cleaned replaces control characters.
func cleaned(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r <= 0x9f {
			return ' '
		}
		return r
	}, s)
}

// reader collects what is wrong with a record of the reference.
type reader struct {
	o           jsonObject
	good, wrong map[string]bool
}

func (r *reader) note(key string, got verdict) bool {
	r.good[key] = got == found || got == infinite
	if got == unreadable {
		r.wrong[key] = true
	}
	return got == found
}

func (r *reader) text(key string) string {
	s, ok := r.o[key].(string)
	got := found
	if !ok {
		got = absent
		if r.o.has(key) {
			got = unreadable
		}
	}
	r.note(key, got)
	return cleaned(s)
}

func (r *reader) size(key string) int64 {
	v, got := sized(r.o[key])
	r.note(key, got)
	return v
}

func (r *reader) flag(key string) bool {
	b, ok := r.o[key].(bool)
	if r.o.has(key) && !ok {
		r.wrong[key] = true
	}
	return b
}

func (r *reader) time(key string) time.Time {
	v, got := sized(r.o[key])
	if v > 253402300799 {
		got = unreadable
	}
	if got == infinite || got == found && v == 0 {
		got = absent
	}
	if !r.note(key, got) {
		return time.Time{}
	}
	return time.Unix(v, 0).UTC()
}

func (r *reader) span(key string, unit time.Duration) time.Duration {
	v, got := sized(r.o[key])
	if v > int64(1<<62/unit) {
		r.note(key, unreadable)
		return 0
	}
	r.note(key, got)
	return time.Duration(v) * unit
}

// list reads a string or a list of strings.
func (r *reader) list(key string, upper bool) (out []string, ok bool) {
	items, isList := r.o[key].([]any)
	if !isList {
		items = []any{r.o[key]}
	}
	got := found
	for _, x := range items {
		s, ok := x.(string)
		if !ok {
			if got = unreadable; x == nil && !isList {
				got = absent
			}
			continue
		}
		if s = cleaned(s); upper && strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyz") {
			s = strings.ToUpper(s)
		}
		out = append(out, s)
	}
	return out, r.note(key, got)
}

func (r *reader) hosts(key string) string {
	list, _ := r.list(key, false)
	s := strings.Join(list, ",")
	if _, isList := r.o[key].([]any); !isList && (s == "(null)" || s == "None assigned") {
		return ""
	}
	return s
}

// state splits state words.
func (r *reader) state(key string) (base string, flags []string) {
	words, ok := r.list(key, true)
	if !ok {
		return "", nil
	}
	i := slices.IndexFunc(words, func(w string) bool { return jobBases[w] })
	if i >= 0 {
		base = words[i]
		words = slices.Delete(words, i, i+1)
	}
	slices.Sort(words)
	words = slices.Compact(words)
	for _, w := range words {
		if base == "" {
			base = impliedBase[w]
		}
	}
	if base == "" {
		r.wrong[key], r.good[key] = true, false
	}
	if len(words) == 0 {
		words = nil
	}
	return base, words
}

// parse reads a document into maps.
func parse(text []byte) (jsonObject, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var out jsonObject
	return out, d.Decode(&out)
}

func newReader(o jsonObject) *reader {
	return &reader{o: o, good: map[string]bool{}, wrong: map[string]bool{}}
}

// referenceJob reads one job.
func referenceJob(o jsonObject) Job {
	r := newReader(o)
	var j Job
	j.ID, j.UserID = r.size("job_id"), r.size("user_id")
	if step, ok := o["step_id"].(map[string]any); ok {
		inner := newReader(step)
		j.SLUID = inner.text("sluid")
		if len(inner.wrong) > 0 {
			r.wrong["step_id"] = true
		}
	}
	j.Name, j.User, j.Account, j.QOS = r.text("name"), r.text("user_name"), r.text("account"), r.text("qos")
	j.Partition, j.Cluster = r.text("partition"), r.text("cluster")
	j.State, j.Flags = r.state("job_state")
	j.Reason, j.ReasonText = r.text("state_reason"), r.text("state_description")
	j.Submit, j.Eligible, j.Accrue = r.time("submit_time"), r.time("eligible_time"), r.time("accrue_time")
	j.Start, j.End, j.Suspended = r.time("start_time"), r.time("end_time"), r.time("suspend_time")
	j.PreSuspend, j.Deadline = r.span("pre_sus_time", time.Second), r.time("deadline")
	j.Limit, j.Priority = r.span("time_limit", time.Minute), r.size("priority")
	if n, got := number(o["nice"]); got == found && n <= 1<<31 && n >= -1<<31 {
		j.Nice, j.NiceKnown = n, true
	} else if got == found || got == unreadable {
		r.wrong["nice"] = true
	}
	j.Held = r.flag("hold") || r.good["priority"] && j.Priority == 0
	j.Restarts, j.Requeue, j.Batch = int(r.size("restart_cnt")), r.flag("requeue"), r.flag("batch_flag")
	j.Comment, j.Extra, j.Admin = r.text("comment"), r.text("extra"), r.text("admin_comment")
	j.Nodes, j.Required = r.hosts("nodes"), r.hosts("required_nodes")
	j.Excluded, j.Scheduled = r.hosts("excluded_nodes"), r.hosts("scheduled_nodes")
	j.NodeCount, j.MaxNodes, j.CPUs = int(r.size("node_count")), int(r.size("max_nodes")), int(r.size("cpus"))
	j.MemPerNode, j.MemPerCPU = r.size("memory_per_node"), r.size("memory_per_cpu")
	j.Request, j.Allocated = r.text("tres_req_str"), r.text("tres_alloc_str")
	j.PerNode, j.PerJob, j.PerTask = r.text("tres_per_node"), r.text("tres_per_job"), r.text("tres_per_task")
	j.Gres, _ = r.list("gres_detail", false)
	j.Features, j.Dependency, j.Reservation = r.text("features"), r.text("dependency"), r.text("resv_name")
	j.Federation = r.text("federation_origin")
	j.ArrayJob, j.ArrayMax = r.size("array_job_id"), int(r.size("array_max_tasks"))
	task, got := sized(o["array_task_id"])
	if r.note("array_task_id", got); got == found && j.ArrayJob != 0 {
		j.ArrayTask, j.ArraySplit = task, true
	}
	j.ArrayTasks = r.text("array_task_string")
	j.HetJob, j.HetOffset = r.size("het_job_id"), int(r.size("het_job_offset"))
	j.Opaque = r.opaque()
	soft := newReader(o) // fields that never spoil the record
	j.Cron = soft.text("cron")
	shared, _ := soft.list("shared", true)
	excl, _ := soft.list("exclusive", true)
	yes, _ := o["exclusive"].(bool)
	j.Exclusive = yes || slices.Contains(shared, "NONE") || slices.Contains(excl, "TRUE")
	return j
}

// opaque says what is wrong with a job.
func (r *reader) opaque() string {
	for _, f := range jobShape.fields {
		if r.wrong[f.name] {
			return f.name + " is not of the expected kind"
		}
	}
	for _, f := range []string{"job_id", "user_id", "partition", "job_state", "submit_time", "priority", "restart_cnt"} {
		if !r.good[f] {
			for _, f := range jobShape.fields { // the first in the decoder's order
				if needed[f.name] && !r.good[f.name] {
					return f.name + " is missing"
				}
			}
		}
	}
	return ""
}

var needed = map[string]bool{"job_id": true, "user_id": true, "partition": true, "job_state": true, "submit_time": true, "priority": true, "restart_cnt": true}

// referenceNode reads one node.
func referenceNode(o jsonObject) Node {
	r := newReader(o)
	var n Node
	n.Name, n.Reason = r.text("name"), r.text("reason")
	for _, key := range []string{"state", "state_flags"} {
		words, _ := r.list(key, true)
		for _, w := range words {
			if n.State == "" && nodeBases[w] {
				n.State = w
			} else {
				n.Flags = append(n.Flags, w)
			}
		}
	}
	slices.Sort(n.Flags)
	n.Flags = slices.Compact(n.Flags)
	n.Gres, n.GresUsed = r.text("gres"), r.text("gres_used")
	n.TRES, n.TRESUsed = r.text("tres"), r.text("tres_used")
	n.Features, n.Partitions = r.commas("active_features"), r.commas("partitions")
	n.CPUs, n.CPUsUsed = int(r.size("cpus")), int(r.size("alloc_cpus"))
	n.MemMB, n.MemUsedMB = r.size("real_memory"), r.size("alloc_memory")
	if len(r.wrong) > 0 || n.State == "" {
		n.State = "UNREADABLE"
	}
	soft := newReader(o)
	n.Topology, n.Version = soft.text("topology"), soft.text("version")
	if old := soft.text("slurmd_version"); old != "" {
		n.Version = old
	}
	return n
}

func (r *reader) commas(key string) []string {
	list, _ := r.list(key, false)
	if s, ok := r.o[key].(string); ok {
		list = strings.FieldsFunc(cleaned(s), func(c rune) bool { return c == ',' })
	}
	if len(list) == 0 {
		return nil
	}
	return list
}
