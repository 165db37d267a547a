package doctor

import (
	"strconv"
	"strings"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// checkSettings judges one setting after the other.
func (r *Report) checkSettings(c slurmSettings) {
	r.checkLever(c)
	if c.orderStrength == bridge.StrengthOverride {
		r.addFinding("settings", LevelWarn, "order.strength: within_qos", "order.strength is override: our order wins over the priorities of QOS, also for what we leave behind when we die")
	}
	r.checkRequeueDelay(c)
	if !c.hasWord("AccountingStorageTRES", "gres/gpu") {
		r.addFinding("settings", LevelFail, "AccountingStorageTRES=gres/gpu in slurm.conf", "Slurm does not count GPUs: requests cannot be read")
	}
	if c.hasWord("AccountingStorageEnforce", "limits") && !c.hasWord("PriorityFlags", "ACCRUE_ALWAYS") {
		r.addFinding("settings", LevelWarn, "PriorityFlags=ACCRUE_ALWAYS in slurm.conf", "a job that was held starts again with age zero in Slurm's own priority (AccountingStorageEnforce has limits)")
	}
	if p := c.value("PreemptType"); p != "" && p != "preempt/none" {
		r.addFinding("settings", LevelWarn, "PreemptType=preempt/none, or exempt what it may stop (gate.exempt_partitions)", "Slurm preempts too (%s): two schedulers may stop jobs for different reasons", p)
	}
	if s := c.value("SchedulerType"); s != "sched/backfill" {
		r.addFinding("settings", LevelWarn, "SchedulerType=sched/backfill", "without backfill (%s) a large job at the head of the line leaves GPUs idle", s)
	}
	if c.value("JobRequeue") == "0" {
		r.addFinding("settings", LevelWarn, "JobRequeue=1, or sbatch --requeue", "jobs are not requeueable unless they say so")
	}
	if p := c.value("JobSubmitPlugins"); p != "" {
		r.addFinding("settings", LevelWarn, "let the plugin pass updates of user fairbridge", "a job_submit plugin (%s) sees each of our changes too and may refuse them", p)
	}
}

// checkLever looks at whether the field that is to carry the order can.
func (r *Report) checkLever(c slurmSettings) {
	p := c.value("PriorityType")
	multi := p == "priority/multifactor"
	direct := c.orderLever == bridge.LeverPriority
	switch {
	case direct && multi:
		r.addFinding("settings", LevelWarn, "order.lever: auto", "order.lever is priority: a nice that people set while a number of ours stands is lost, age and fair share stop, and giving back takes a hold and a release")
	case c.orderLever == bridge.LeverSiteFactor && c.apiVersion != "" && !c.hasSiteFactor:
		r.addFinding("settings", LevelFail, "order.lever: auto", "API %s cannot write site_factor: no order is pushed", c.apiVersion)
	case !multi && !direct:
		r.addFinding("settings", LevelFail, "PriorityType=priority/multifactor in slurm.conf, or order.lever: priority", "PriorityType is %s: site_factor and nice have no effect", p)
	case multi:
		r.addOK("settings", "PriorityType is priority/multifactor")
	default:
		r.addOK("settings", "PriorityType is %s; the order is written as priority itself", p)
	}
}

// maxRequeueDelaySeconds is the wait of a requeued job, in seconds, beyond which it is
// worth a word.
const maxRequeueDelaySeconds = 60

// checkRequeueDelay looks at how long a requeued job waits before it may start: as
// long as a credential lives, or from 25.11 as long as requeue_delay says.
func (r *Report) checkRequeueDelay(c slurmSettings) {
	const fix = "AuthInfo=cred_expire=30 (22.05 on), or SchedulerParameters=requeue_delay=30 (25.11 on); restart slurmctld"
	wait := 120
	if n, err := strconv.Atoi(c.subvalue("AuthInfo", "cred_expire")); err == nil {
		wait = n
	}
	if s := c.subvalue("SchedulerParameters", "requeue_delay"); s != "" {
		n, err := strconv.Atoi(s)
		switch {
		case c.slurmRelease != "" && isOlderRelease(c.slurmRelease, "25.11"):
			r.addFinding("settings", LevelWarn, "AuthInfo=cred_expire="+s+"; restart slurmctld", "Slurm %s ignores requeue_delay: it is known from 25.11 on", c.slurmRelease)
		case err == nil:
			wait = n
		}
	}
	if wait > maxRequeueDelaySeconds {
		r.addFinding("settings", LevelWarn, fix, "a requeued job cannot start for %s", policy.FormatCount(wait, "second"))
		return
	}
	r.addOK("settings", "a requeued job may start again after %s", policy.FormatCount(wait, "second"))
}

// isOlderRelease reports whether a release such as 24.11.5 comes before another, such as
// 25.11.
func isOlderRelease(release, than string) bool {
	a, b := strings.Split(release, "."), strings.Split(than, ".")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return len(a[i]) < len(b[i]) || len(a[i]) == len(b[i]) && a[i] < b[i]
		}
	}
	return false
}
