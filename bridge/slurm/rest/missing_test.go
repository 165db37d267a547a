package rest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// crowd is a slurmrestd with n jobs that wait.
func crowd(version int, n int64) *queue {
	q := &queue{version: version, jobs: map[int64]string{}, hidden: map[int64]bool{}, short: map[int64]bool{}}
	for id := int64(1); id <= n; id++ {
		q.jobs[id] = "PENDING"
	}
	return q
}

// TestShortListsAreSeen: a list that leaves jobs out is known to be cut, for as
// long as it lasts, and no job is dropped by it.
func TestShortListsAreSeen(t *testing.T) {
	for _, version := range []int{38, 45} {
		for _, left := range []int64{0, 5} {
			t.Run(fmt.Sprint("v", version, " with ", left), func(t *testing.T) {
				q := crowd(version, 50)
				c := open(t, q, PollConfig{Few: 10})
				observe(t, c)
				q.set(func() {
					for id := left + 1; id <= 50; id++ {
						q.short[id] = true
					}
				})
				for range 3 {
					if v := observe(t, c); len(v.Jobs) != 50 || !strings.Contains(v.IncompleteReason, "filtered or cut") || len(v.GoneJobs) > 0 {
						t.Errorf("%d jobs, cut %q, gone %v", len(v.Jobs), v.IncompleteReason, v.GoneJobs)
					}
				}
				q.set(func() { q.short = nil })
				if v := observe(t, c); len(v.Jobs) != 50 || v.IncompleteReason != "" {
					t.Errorf("afterwards %d jobs, cut %q", len(v.Jobs), v.IncompleteReason)
				}
			})
		}
	}
}

// TestForgottenJobsAreAskedAbout: jobs that ended and were forgotten between two
// polls are gone by Slurm's own word, so many a poll.
func TestForgottenJobsAreAskedAbout(t *testing.T) {
	for _, version := range []int{38, 45} {
		q := crowd(version, 130)
		c := open(t, q, PollConfig{Few: 10})
		observe(t, c)
		q.set(func() {
			for id := int64(11); id <= 130; id++ {
				delete(q.jobs, id)
			}
		})
		var gone, left []int
		for range 3 {
			v := observe(t, c)
			gone, left = append(gone, len(v.GoneJobs)), append(left, len(v.Jobs))
			if (v.IncompleteReason == "") != (len(v.Jobs) == 10) {
				t.Errorf("v%d: %d jobs, cut %q", version, len(v.Jobs), v.IncompleteReason)
			}
		}
		if diff := cmp.Diff([][]int{{50, 50, 20}, {80, 30, 10}}, [][]int{gone, left}); diff != "" {
			t.Errorf("v%d: gone and left (-want +got):\n%s", version, diff)
		}
	}
}

// TestPartitionsOutliveSlurmdbd: the last list serves for more than ten minutes,
// and the view says so.
func TestPartitionsOutliveSlurmdbd(t *testing.T) {
	q := crowd(45, 1)
	now := time.Unix(epoch, 0)
	c := open(t, q, PollConfig{Now: func() time.Time { return now }})
	if v := observe(t, c); v.StalePartitionsReason != "" {
		t.Error(v.StalePartitionsReason)
	}
	q.set(func() { q.noParts = true })
	for range 14 {
		now = now.Add(time.Minute)
		if v := observe(t, c); len(v.Partitions) != 1 || !strings.Contains(v.StalePartitionsReason, "slurmdbd") {
			t.Errorf("%d partitions: %q", len(v.Partitions), v.StalePartitionsReason)
		}
	}
	now = now.Add(2 * time.Minute)
	if _, err := c.Observe(t.Context()); err == nil || !strings.Contains(err.Error(), "reading the partitions") {
		t.Errorf("after 16 minutes: %v", err)
	}
	q.set(func() { q.noParts = false })
	if v := observe(t, c); v.StalePartitionsReason != "" {
		t.Error(v.StalePartitionsReason)
	}
	if _, err := open(t, &queue{version: 45, noParts: true}, PollConfig{}).Observe(t.Context()); err == nil {
		t.Error("no list was ever read, and the view is good")
	}
}

// TestHasNode: only Slurm's own word for it means that a node is gone.
func TestHasNode(t *testing.T) {
	for _, tt := range []struct {
		status int
		body   string
		has    bool
		fails  bool
	}{
		{200, `{"nodes":[{"name":"n1","state":["IDLE"]}],"errors":[]}`, true, false},
		{500, `{"nodes":[],"errors":[{"errno":2018,"error":"Invalid node name specified"}]}`, false, false},
		{500, `{"nodes":[],"errors":[{"description":"Failure to query node n1","source":"_dump_nodes"}]}`, false, false},
		{200, `{"nodes":[],"errors":[]}`, false, true},
		{500, `{"nodes":[],"errors":[{"error_number":1800,"error":"Unable to contact slurm controller (connect failure)"}]}`, false, true},
		{502, `Bad Gateway`, false, true},
	} {
		c := open(t, &queue{version: 45, node: func() (int, string) { return tt.status, tt.body }}, PollConfig{})
		if has, err := c.HasNode(t.Context(), "n1"); has != tt.has || (err != nil) != tt.fails {
			t.Errorf("%d %s: %v %v", tt.status, tt.body, has, err)
		}
	}
}
