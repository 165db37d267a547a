package decode

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/bridge/slurm"
)

// noBearing are the fields of a job record that are read nowhere and say nothing of the nodes that the job
// needs, by the reason for that.
var noBearing = map[string]string{
	"its history": `allocating_node batch_host derived_exit_code exit_code failed_node job_resources job_size_str
		last_sched_evaluation preemptable_time priority_by_partition association_id billable_tres licenses_allocated
		federation_siblings_active federation_siblings_viable het_job_id_set burst_buffer_state show_flags
		memory_update_delay memory_update_margin`,
	"how it runs": `batch_features command container container_id container_type current_working_directory
		standard_error standard_input standard_output stderr_expanded stdin_expanded stdout_expanded profile power
		cpu_frequency_governor cpu_frequency_maximum cpu_frequency_minimum tres_freq delay_boot`,
	"whose it is": `group_id group_name mail_type system_comment wckey`,
	"part of cpus, tres_req_str or time_limit, which are read": `cpus_per_task max_cpus memory_per_tres time_minimum`,
	"the most that a maximum_switch waits":                     `maximum_switch_wait_time`,
	"the older name of exclusive":                              `oversubscribe`,
}

// TestEveryRequestFieldIsJudged sets each field of a plain job that each release recorded to another value: the
// field is read, or has no bearing on nodes, or makes the job unplaceable by its name.
func TestEveryRequestFieldIsJudged(t *testing.T) {
	none := map[string]bool{}
	for names := range maps.Values(noBearing) {
		for name := range strings.FieldsSeq(names) {
			none[name] = true
		}
	}
	unusual := map[string]bool{}
	for _, f := range unusualFields {
		unusual[f.name] = true
	}
	files, err := filepath.Glob("testdata/*/jobs.json")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		plain := recordedJob(t, file)
		if why := decodeOne(t, plain).UnplaceableReason(); why != "" {
			t.Errorf("%s: a plain job is unplaceable: %s", file, why)
		}
		for name, value := range plain {
			_, isRead := jobSchema.fieldIndexByName[name]
			switch {
			case isRead && !unusual[name] || none[name]:
				continue
			case !unusual[name]:
				t.Errorf("%s: nobody has said what field %s means for the nodes of a job", file, name)
				continue
			}
			changed := maps.Clone(plain)
			changed[name] = otherValue(value)
			if why := decodeOne(t, changed).UnplaceableReason(); !strings.Contains(why, name) {
				t.Errorf("%s: %s = %v: the job counts as understood (%q)", file, name, changed[name], why)
			}
		}
	}
}

// TestAnImpliedMaximumOfNodesIsUnderstood: 26.05 flags each job that names its tasks and no number of nodes
// (slurmctld/job_mgr.c); its max_nodes says as much on every release.
func TestAnImpliedMaximumOfNodesIsUnderstood(t *testing.T) {
	for _, file := range []string{"testdata/26.05-v0.0.45/jobs.json", "testdata/26.05-v0.0.42/jobs.json"} {
		job := recordedJob(t, file)
		job["flags"] = []any{"JOB_IMPLICIT_MAX_NODES"}
		if why := decodeOne(t, job).UnplaceableReason(); why != "" {
			t.Errorf("%s: %s", file, why)
		}
	}
}

// otherValue is one of the same form that no plain job has.
func otherValue(v any) any {
	switch v := v.(type) {
	case string:
		return "x"
	case bool:
		return !v
	case []any:
		return []any{"SPREAD_JOB"}
	case map[string]any:
		return map[string]any{"set": true, "infinite": false, "number": 7}
	}
	return 7
}

// recordedJob is the first job of a file that asks for whole GPUs only.
func recordedJob(t *testing.T, file string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var reply struct{ Jobs []map[string]any }
	if err := json.Unmarshal(text, &reply); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(reply.Jobs, func(j map[string]any) bool {
		text, _ := j["tres_req_str"].(string)
		return strings.Contains(text, "gres/gpu") && j["features"] == ""
	})
	if i < 0 {
		t.Skipf("%s has no plain GPU job", file)
	}
	return reply.Jobs[i]
}

func decodeOne(t *testing.T, job map[string]any) *slurm.Job {
	t.Helper()
	text, err := json.Marshal(map[string]any{"jobs": []any{job}})
	if err != nil {
		t.Fatal(err)
	}
	jobs, _, err := new(Decoder).Jobs(bytes.NewReader(text), nil)
	if err != nil || len(jobs) != 1 {
		t.Fatal(err)
	}
	return &jobs[0]
}

// withoutUnusual leaves the judgement of this file out of comparisons of what was read.
var withoutUnusual = cmpopts.IgnoreFields(slurm.Job{}, "UnusualRequest")
