package actuator

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
	"fairbridge/policy"
)

func TestLeasesEndApartButNotEarly(t *testing.T) {
	for _, length := range []time.Duration{10 * time.Second, time.Minute, 10 * time.Minute, time.Hour} {
		ends := map[time.Duration]bool{}
		for job := range int64(200) {
			j := leaseJitter(job, 9, length)
			if j < time.Second || j > max(length/10, time.Second) || j > 59*time.Second || j != leaseJitter(job, 9, length) {
				t.Errorf("a lease of %v ends %v early", length, j)
			}
			ends[j] = true
		}
		if length >= 10*time.Minute && len(ends) < 40 {
			t.Errorf("200 leases of %v end at %d different moments", length, len(ends))
		}
	}
}

// TestNoLeaseShortensTheOwnersBegin: neither a new one nor a renewal.
func TestNoLeaseShortensTheOwnersBegin(t *testing.T) {
	noon := bridgetest.Noon
	g := PartitionGoal{View: &slurm.View{At: noon}, Snapshot: &policy.Snapshot{}}
	g.LeaseConfig.Length = 10 * time.Minute
	for own, want := range map[time.Duration]bool{
		-time.Hour: true, 9 * time.Minute: true, 10 * time.Minute: false, time.Hour: false,
	} {
		j := bridgetest.NewWaitingJob()
		j.EligibleTime = noon.Add(own)
		if until, ok := g.newLeaseEnd(&j, nil); ok != want {
			t.Errorf("its owner's begin is in %v: a lease until %v, wanted %v", own, until, want)
		}
		in := &bridge.Intent{Before: bridge.JobBefore{Begin: noon.Add(own)}}
		in.Edit.Until = noon.Add(time.Minute)
		j.EligibleTime = in.Edit.Until
		if until, ok := g.newLeaseEnd(&j, in); ok != want {
			t.Errorf("its owner's begin, under a lease, is in %v: a renewal until %v, wanted %v", own, until, want)
		}
	}
}
