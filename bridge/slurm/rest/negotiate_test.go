package rest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestVersions(t *testing.T) {
	doc := `{"paths":{"/slurm/v0.0.38/jobs":{},"\/slurm\/v0.0.37\/jobs":{},"/slurm/v0.0.45/jobs/":{},"/slurm/v0.0.45/jobs/state/":{},
		"/slurmdb/v0.0.44/jobs":{},"/slurm/v0.0.43/job/{job_id}":{},"/slurm/v0.1.1/jobs":{},"/slurm/v0.0.045/jobs":{},"/openapi":{}}}`
	got, err := readServedVersions(strings.NewReader(doc))
	if diff := cmp.Diff([]int{37, 38, 45}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if _, err := readServedVersions(strings.NewReader("<html>")); err == nil {
		t.Error("read HTML")
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		served        []int
		pin           string
		want          int
		writes        bool
		warning, fail string
	}{
		{served: []int{36, 37, 38}, want: 38, writes: true},
		{served: []int{37, 38, 39}, want: 39, writes: true, warning: "never tried"},
		{served: []int{42, 43, 44, 45}, want: 45, writes: true},
		{served: []int{43, 44, 45, 46}, want: 45, warning: "newer than v0.0.45, the newest we know: reading v0.0.45, changing nothing"},
		{served: []int{43, 44, 45, 46}, pin: "v0.0.45", want: 45, writes: true},
		{served: []int{46, 47}, want: 46, warning: "changing nothing"},
		{served: []int{35, 36}, fail: "slurmrestd serves v0.0.35, v0.0.36, and we need v0.0.38"},
		{fail: "no version of the slurm API"},
		{served: []int{42, 43}, pin: "v0.0.42", want: 42, writes: true},
		{served: []int{42, 43}, pin: "v0.0.45", fail: "v0.0.45 is configured, but slurmrestd serves v0.0.42"},
		{served: []int{46}, pin: "v0.0.46", fail: "want v0.0.38 to v0.0.45"},
		{served: []int{42}, pin: "42", fail: `api "42": want`},
	} {
		api, warning, err := chooseVersion(c.served, c.pin)
		if c.fail != "" {
			if err == nil || !strings.Contains(err.Error(), c.fail) {
				t.Errorf("%v %s: error %v, want %q", c.served, c.pin, err, c.fail)
			}
			continue
		}
		if err != nil || api.Version != c.want || api.CanWrite != c.writes ||
			(c.warning == "") != (warning == "") || !strings.Contains(warning, c.warning) {
			t.Errorf("%v %s: %+v, %q, %v", c.served, c.pin, api, warning, err)
		}
	}
}

func TestTableIsComplete(t *testing.T) {
	for v := OldestVersion; v <= NewestVersion; v++ {
		if a, ok := APIFromVersion(v); !ok || a.Version != v || a.CanRequeue && !a.BindsUpdateToRun {
			t.Errorf("v0.0.%d: %+v", v, a)
		}
	}
	for _, v := range []int{OldestVersion - 1, NewestVersion + 1} {
		if _, ok := APIFromVersion(v); ok {
			t.Errorf("knows v0.0.%d", v)
		}
	}
}
