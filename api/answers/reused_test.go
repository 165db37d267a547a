package answers

import (
	"context"
	"testing"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/api/privacy"
	"fairbridge/bridge/slurm"
)

// oneJob is a Slurm that shows one job, whatever is asked.
type oneJob struct {
	Slurm
	job slurm.Job
}

func (o oneJob) PeekJob(context.Context, int64) (slurm.Job, error) { return o.job, nil }

// A number that Slurm uses again shows nothing of the later job in the story of the one before.
func TestALaterJobOfTheNumberIsNotShown(t *testing.T) {
	noon := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	ended := journal.JobRun{Submit: noon, End: noon.Add(time.Hour), User: "ann", Account: "phys", Restarts: 1}
	lasting := journal.JobRun{Submit: noon, User: "ann", Account: "phys", Restarts: 1}
	for _, tt := range []struct {
		what  string
		run   journal.JobRun
		job   slurm.Job
		shown bool
	}{
		{"it has just ended", ended, slurm.Job{User: "ann", Account: "phys", Submit: noon, Restarts: 1}, true},
		{"of another user", ended, slurm.Job{User: "bob", Account: "phys", Submit: noon, Restarts: 1}, false},
		{"of another user, while the record has no end", lasting, slurm.Job{User: "bob", Submit: noon.Add(time.Hour)}, false},
		{"a later one of the same user", ended, slurm.Job{User: "ann", Account: "phys", Submit: noon.Add(48 * time.Hour)}, false},
		{"requeued after its end", ended, slurm.Job{User: "ann", Account: "phys", Submit: noon.Add(time.Hour), Restarts: 2}, true},
		{"requeued, which is not recorded yet", lasting, slurm.Job{User: "ann", Account: "phys", Submit: noon.Add(time.Hour), Restarts: 2}, true},
		{"known from the last cycle alone", journal.JobRun{Submit: noon.Add(-time.Hour), User: "ann"}, slurm.Job{User: "ann", Account: "phys", Submit: noon}, true},
	} {
		tt.job.ID, tt.job.HetJobID, tt.job.State = 7, 7, "RUNNING"
		rule := privacy.Rule{Viewer: &api.Viewer{User: "ann", Role: api.RoleUser}, Private: api.AllPrivate("test")}
		w := &request{Service: &Service{parts: Parts{Slurm: oneJob{job: tt.job}}}, Texts: &privacy.Texts{Rule: rule}}
		e := jobRequest{w, &api.Job{Address: "as recorded", JobHistory: &journal.JobHistory{JobID: 7, Runs: []journal.JobRun{tt.run}}}}
		e.addLive(t.Context())
		if (e.Live != nil) != tt.shown || (e.LiveError == forgottenText) == tt.shown || (e.Address == "as recorded") == tt.shown {
			t.Errorf("%s: live %+v, %q, address %s", tt.what, e.Live, e.LiveError, e.Address)
		}
	}
}
