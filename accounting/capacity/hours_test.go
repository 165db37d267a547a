package capacity_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/accounting/capacity"
	"fairbridge/accounting/dbtest"
	"fairbridge/accounting/stores"
	"fairbridge/gear/storetest"
	"fairbridge/policy"
)

var must, t0, view, running = dbtest.RequireNoError, storetest.StartTime, storetest.NewView, storetest.NewRunningJob

func TestSumUp(t *testing.T) {
	d := stores.New(dbtest.NewDB(t))
	ctx := t.Context()
	epoch := storetest.BecomeLeader(t, d, "a", time.Hour)
	store := func(seq uint64, at time.Time, s policy.Snapshot) {
		c := storetest.NewCycleOfWaitingJobs(seq, epoch, 1)
		c.At = at
		var err error
		c.Snapshot, err = json.Marshal(s)
		must(t, err)
		_, err = d.StoreIntents(ctx, c, nil)
		must(t, err)
	}
	sumUp := func() {
		_, err := d.SumDueDays(ctx, storetest.ClusterName)
		must(t, err)
	}
	store(1, t0.Add(time.Minute), capacity.HalfFull(t0.Add(time.Minute)))
	store(2, t0.Add(2*time.Minute), capacity.HalfFull(t0.Add(2*time.Minute)))
	must(t, d.RecordView(ctx, view(t0.Add(2*time.Minute), running(1, t0, t0))))
	sumUp()
	hours := "select format('%s %s looks %s held %s idle %s', partition, gpu_type, looks, held_gpus, idle_gpus) from fairbridge_v1.gpus_by_hour where gpu_type <> '' order by partition nulls first, hour"
	if diff := cmp.Diff([]string{" a100 looks 1 held 6 idle 11", "gpu a100 looks 1 held 6 idle 11"}, dbtest.QueryTexts(t, d.DB, hours)); diff != "" {
		t.Errorf("one look in ten minutes (-want +got):\n%s", diff)
	}
	empty := capacity.HalfFull(t0.Add(20 * time.Minute))
	empty.Jobs = nil
	store(3, t0.Add(20*time.Minute), empty)
	must(t, d.RecordView(ctx, view(t0.Add(90*time.Minute), running(1, t0, t0), running(2, t0, t0.Add(80*time.Minute)))))
	sumUp()
	sumUp()
	if diff := cmp.Diff([]string{" a100 looks 2 held 3 idle 13", "gpu a100 looks 2 held 3 idle 13"}, dbtest.QueryTexts(t, d.DB, hours)); diff != "" {
		t.Errorf("the hour was looked at again (-want +got):\n%s", diff)
	}
	unusable := dbtest.QueryTexts(t, d.DB, "select format('%s %s unusable %s, %s on average, blocked %s', partition, gpu_type, unusable_gpus, mean_unusable_gpus, blocked_gpus) from fairbridge_v1.gpus_by_hour where partition is null order by gpu_type")
	if diff := cmp.Diff([]string{"  unusable 0, 0 on average, blocked 4", " a100 unusable 5.5, 5.5 on average, blocked 0"}, unusable); diff != "" {
		t.Errorf("fragmentation (-want +got):\n%s", diff)
	}
	late := dbtest.QueryTexts(t, d.DB, "select format('%s %s late %s', job, account, late_seconds / 60) from fairbridge_v1.start_estimates")
	if diff := cmp.Diff([]string{"2 phys late 18"}, late); diff != "" {
		t.Errorf("estimates (-want +got):\n%s", diff)
	}
	contention := dbtest.QueryTexts(t, d.DB, "select format('%s of %s', round(wanted), gpus) from fairbridge.contention_hours order by hour limit 1")
	if diff := cmp.Diff([]string{"8 of 24"}, contention); diff != "" {
		t.Errorf("demand (-want +got):\n%s", diff)
	}
}
