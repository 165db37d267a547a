// Package bridgetest has the values that tests of several packages begin with.
package bridgetest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"fairbridge/bridge/slurm"
)

// NewTokenFile writes a token of Slurm's form, of a user and without an end, to a file that
// only we may read, and returns its path. Only what does not check the signature takes it.
func NewTokenFile(t testing.TB, user string) string {
	t.Helper()
	token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sun": user}).SignedString([]byte("k"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// WithoutForecasts returns the jobs without what changes with no event of theirs, and so with no
// sign in the states that little reading looks at: Slurm's own forecasts, the priority of a
// waiting job, and the reason of the last scheduling pass.
func WithoutForecasts(jobs []slurm.Job) []slurm.Job {
	jobs = slices.Clone(jobs)
	for i := range jobs {
		j := &jobs[i]
		j.Reason, j.ReasonText, j.ScheduledNodes = "", "", slurm.Hosts{}
		if j.IsPending() {
			j.Start, j.End, j.Priority = time.Time{}, time.Time{}, 0
			j.EligibleTime, j.AccrueTime = time.Time{}, time.Time{}
		}
	}
	return jobs
}

// Noon is now.
var Noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// NewWaitingJob returns job 7, which has waited for an hour. Its owner wants node n1
// and not n9, and has set a nice of 3.
func NewWaitingJob() slurm.Job {
	return slurm.Job{
		ID: 7, Submit: Noon.Add(-time.Hour), EligibleTime: Noon.Add(-time.Hour), State: "PENDING", Priority: 5000,
		Nice: 3, IsNiceKnown: true, RequiredNodes: slurm.ReadHosts("n1"), ExcludedNodes: slurm.ReadHosts("n9"), IsBatch: true,
	}
}
