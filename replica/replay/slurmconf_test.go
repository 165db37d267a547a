package replay

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/replica/sim"
)

func TestConf(t *testing.T) {
	want := sim.Config{
		MinJobAge: 300 * time.Second, PriorityCalcPeriod: 5 * time.Minute, UsageHalfLife: 14 * 24 * time.Hour,
		PriorityMaxAge: 36 * time.Hour, RequeueDelay: 10 * time.Second, FullPassInterval: 5 * time.Second,
		BackfillInterval: 20 * time.Second,
		BackfillWindow:   48 * time.Hour, BackfillResolution: 2 * time.Minute, BackfillDepth: 1000, EventPassDepth: 200, MinPassInterval: time.Second,
		PriorityWeights: sim.PriorityWeights{Age: 500, FairShare: 100000}, IsFairTree: true, EnforceLimits: true,
	}
	for name, text := range map[string]string{
		"slurm.conf": `# ours
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=20,bf_window=2880,bf_resolution=120,bf_max_job_test=1000,default_queue_depth=200,sched_interval=5,batch_sched_delay=1,bf_continue
MinJobAge=300
PriorityCalcPeriod=5   # minutes
PriorityDecayHalfLife=14-0
PriorityMaxAge=1-12
PriorityWeightAge=500
PriorityWeightFairshare=100000
AuthInfo=cred_expire=10
AccountingStorageEnforce=associations,limits
`,
		"scontrol": `Configuration data as of 2026-01-05T00:00:00
AccountingStorageEnforce = associations,limits
AuthInfo                = cred_expire=10
MinJobAge               = 300 sec
PriorityCalcPeriod      = 00:05:00
PriorityDecayHalfLife   = 14-00:00:00
PriorityMaxAge          = 1-12:00:00
PriorityParameters      = (null)
PriorityWeightAge       = 500
PriorityWeightFairShare = 100000
SchedulerParameters     = bf_interval=20,bf_window=2880,bf_resolution=120,bf_max_job_test=1000,default_queue_depth=200,sched_interval=5,batch_sched_delay=1,bf_continue
SchedulerType           = sched/backfill
`,
	} {
		got, err := ParseSlurmConf(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	if c, err := ParseSlurmConf("SchedulerType=sched/builtin\nSchedulerParameters=requeue_delay=3\nAuthInfo=cred_expire=60\nPriorityFlags=SMALL_RELATIVE_TO_TIME,NO_FAIR_TREE"); err != nil || c.IsFairTree || c.BackfillInterval >= 0 || c.RequeueDelay != 3*time.Second {
		t.Errorf("%+v %v", c, err)
	}
	_, err := ParseSlurmConf("MinJobAge=soon\nPriorityWeightAge=-1\nPriorityMaxAge=1-2-3")
	for _, want := range []string{"minjobage", "priorityweightage", "prioritymaxage"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is not named: %v", want, err)
		}
	}
}
