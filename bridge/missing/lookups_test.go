package missing_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"fairbridge/bridge"
	"fairbridge/bridge/missing"
	"fairbridge/bridge/slurm"
)

// forgetful is a Slurm that knows no job.
type forgetful struct {
	bridge.Cluster
	level string
	err   error
	asked int
}

func (forgetful) RereadJob(context.Context, int64) (slurm.Job, error) {
	return slurm.Job{}, &slurm.Error{Class: slurm.ErrorJobGone}
}

func (f *forgetful) ReadRights(context.Context) (user, level string, err error) {
	f.asked++
	return "fb", f.level, f.err
}

// TestLostRightsProveNothing: that Slurm does not know a job is proof for an Operator only. Where rights cannot be
// told it is believed, and nobody is asked while no job is gone.
func TestLostRightsProveNothing(t *testing.T) {
	for _, tt := range []struct {
		level  string
		err    error
		proves bool
	}{
		{"Operator", nil, true}, {"Administrator", nil, true}, {"", errors.New("slurmdbd is away"), true},
		{"None", nil, false}, {"None", errors.New("slurmdbd does not know user fb"), false},
	} {
		c := &forgetful{level: tt.level, err: tt.err}
		q := missing.NewLookups(c)
		v := &slurm.View{}
		if q.DropUnproven(t.Context(), v); c.asked != 0 {
			t.Errorf("%s: our rights were asked for while no job was gone", tt.level)
		}
		v.AddGoneJobs(7)
		q.DropUnproven(t.Context(), v)
		q.LookUpJobs(t.Context(), []int64{1, 2})
		if got := slices.Equal(q.GoneJobs(), []int64{1, 2}) && v.IsProvenGone(7); got != tt.proves || c.asked != 1 {
			t.Errorf("%s: gone are %v and of the view %v; asked %d times", tt.level, q.GoneJobs(), v.GoneJobs, c.asked)
		}
		isTold := strings.Contains(q.HiddenReason, "adminlevel=Operator")
		if isTold == tt.proves {
			t.Errorf("%s: %q", tt.level, q.HiddenReason)
		}
	}
}
