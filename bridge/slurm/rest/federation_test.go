package rest

import (
	"testing"
)

// TestSiblingsAreNotAsked: a job is read from this cluster alone, where the API can be told so.
func TestSiblingsAreNotAsked(t *testing.T) {
	local := "job/7?flags=ALL&flags=DETAIL&flags=LOCAL"
	for version, want := range map[int]string{38: "job/7", 40: "job/7", 42: local, 45: local} {
		api, _ := APIFromVersion(version)
		if got := jobPath(api, 7); got != want {
			t.Errorf("v%d: %s, want %s", version, got, want)
		}
	}
}

// TestFederatedJobsAreReadFromTheList: slurmrestd does not know them one by one.
func TestFederatedJobsAreReadFromTheList(t *testing.T) {
	q := crowd(45, 3)
	c := open(t, q, PollConfig{})
	observe(t, c)
	q.took()
	q.set(func() { q.jobs[1<<26+7] = "PENDING" })
	if v := observe(t, c); v.Job(1<<26+7) == nil || len(v.GoneJobs) > 0 {
		t.Errorf("%d jobs, gone %v", len(v.Jobs), v.GoneJobs)
	}
	for _, call := range q.took() {
		if call == "job/67108871" {
			t.Error("the job was asked about alone")
		}
	}
}
