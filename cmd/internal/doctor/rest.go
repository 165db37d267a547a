package doctor

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/scontrol"
	"fairbridge/policy"
)

// maxRestdBytes is the resident size beyond which slurmrestd is said to hoard.
const maxRestdBytes = 2 << 30

// checkRestd looks at every slurmrestd on this host, containers' apart: its memory grows with every
// long list unless it is told otherwise, and compact JSON halves what it
// writes, from 26.05 on. proc is where the kernel shows processes; release is Slurm's, "" when
// unknown.
func (r *Report) checkRestd(proc, release string) {
	var hidden, large, hoards, blanks []string
	dirs, _ := filepath.Glob(filepath.Join(proc, "[0-9]*")) // fails only for a bad pattern
	for _, d := range dirs {
		name, err := os.ReadFile(filepath.Join(d, "comm"))
		if err != nil || strings.TrimSpace(string(name)) != "slurmrestd" {
			continue
		}
		if isInOtherNamespace(d) {
			continue
		}
		pid := filepath.Base(d)
		if size := readResidentBytes(d); size > maxRestdBytes {
			large = append(large, fmt.Sprintf("%s (%d MB)", pid, size>>20))
		}
		env, err := os.ReadFile(filepath.Join(d, "environ"))
		if err != nil {
			hidden = append(hidden, pid)
			continue
		}
		if !hasVariable(env, "MALLOC_ARENA_MAX=") {
			hoards = append(hoards, pid)
		}
		if !hasVariable(env, "SLURMRESTD_JSON=compact") {
			blanks = append(blanks, pid)
		}
	}
	r.addProcessFinding(hidden, LevelSkip, "run doctor as root", "environment not readable")
	r.addProcessFinding(large, LevelWarn, "Environment=MALLOC_ARENA_MAX=1 and MemoryMax= in its unit, -t 4 on its command line; restart it", "holds much memory")
	r.addProcessFinding(hoards, LevelWarn, "Environment=MALLOC_ARENA_MAX=1 in its unit, -t 4 on its command line", "keeps what every long list cost it")
	if release == "" || !isOlderRelease(release, "26.05") {
		r.addProcessFinding(blanks, LevelWarn, "Environment=SLURMRESTD_JSON=compact in its unit", "writes JSON with blanks: half as much again")
	}
}

// checkWay looks at whom the token can be given to on its way to slurmrestd.
func (r *Report) checkWay(url string) {
	if strings.HasPrefix(url, "http://") {
		fix := "have slurmrestd listen on a unix socket, as the quick start's unit does, " +
			"and set slurm.url: unix:///run/slurmrestd-fairbridge/rest.sock"
		r.addFinding("slurmrestd", LevelWarn, fix, "%s is a port that every user of this host may take while "+
			"slurmrestd is down: whoever does is given the token", url)
	}
}

// isInOtherNamespace reports whether a process has a number of its own in a namespace below
// ours: it is in a container, whose processes nobody knows by the numbers we see.
func isInOtherNamespace(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if numbers, ok := strings.CutPrefix(line, "NSpid:"); ok {
			return len(strings.Fields(numbers)) > 1
		}
	}
	return false
}

// addProcessFinding reports what holds of the processes, if there are any.
func (r *Report) addProcessFinding(pids []string, l Level, fix, what string) {
	if len(pids) > 0 {
		r.addFinding("slurmrestd", l, fix, "%s: process %s", what, strings.Join(pids, ", "))
	}
}

// hasVariable reports whether a variable of the environment begins like that.
func hasVariable(env []byte, prefix string) bool {
	return bytes.HasPrefix(env, []byte(prefix)) || bytes.Contains(env, []byte("\x00"+prefix))
}

// readResidentBytes returns the resident size of a process in bytes, 0 when unknown.
func readResidentBytes(dir string) int64 {
	text, err := os.ReadFile(filepath.Join(dir, "statm"))
	if err != nil {
		return 0
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

// checkSlurmConf looks at the settings of slurmctld that fight us or that we rely on, as
// scontrol shows them, and at whether scontrol, slurmrestd and the configuration
// mean the same cluster. v is nil when Slurm could not be read.
func (r *Report) checkSlurmConf(ctx context.Context, command []string, order bridge.Order, cluster string, v *slurm.View) {
	values, err := scontrol.Command(command).ReadConfig(ctx)
	if err != nil {
		if v != nil && isNiceInvisible(order.Lever, v) {
			r.addFinding("settings", LevelFail, "install slurm-client here, or set slurm.scontrol", "API %s shows a job's nice only above 0, and scontrol cannot be asked: no order is pushed", v.APIVersion)
		}
		r.addFinding("settings", LevelSkip, "install slurm-client here, or set slurm.scontrol", "%v", err)
	} else {
		c := slurmSettings{valueByKey: values, orderLever: order.Lever, orderStrength: order.Strength}
		if v != nil {
			c.slurmRelease, c.apiVersion, c.hasSiteFactor = v.Release, v.APIVersion, v.CanWriteSiteFactor
		}
		r.checkSettings(c)
		if name := c.value("ClusterName"); name != "" && name != cluster {
			r.addFinding("cluster", LevelFail, "correct slurm.scontrol or cluster", "scontrol speaks for cluster %q, the configuration for %q", name, cluster)
		}
	}
	r.checkClusterName(ctx, command, v)
}

// isNiceInvisible reports whether the order is carried by nice where only scontrol
// shows it whatever it is.
func isNiceInvisible(lever bridge.Lever, v *slurm.View) bool {
	api, _ := rest.APIFromName(v.APIVersion)
	return !api.ShowsNice && (lever == bridge.LeverNice || lever == bridge.LeverAuto && !v.CanWriteSiteFactor)
}

// checkClusterName looks for a proof of which cluster slurmrestd speaks for, where REST does
// not tell.
func (r *Report) checkClusterName(ctx context.Context, command []string, v *slurm.View) {
	if v == nil || v.Cluster != "" {
		return
	}
	name, proven, err := scontrol.Command(command).ProveClusterName(ctx, v)
	switch {
	case err != nil:
		r.addFinding("cluster", LevelFail, "set slurm.scontrol to a scontrol of this cluster: until then nothing is pushed", "REST of Slurm %s does not tell which cluster it is, and scontrol does not prove it: %v", v.Release, err)
	case !proven:
		r.addFinding("cluster", LevelWarn, "look again when a job is there", "scontrol speaks for cluster %s; there is no job to prove by that slurmrestd does too", name)
	default:
		r.addOK("cluster", "slurmrestd speaks for cluster %s: it knows the same jobs as scontrol", name)
	}
}

// slurmSettings is what slurmctld is told, and what we want of it.
type slurmSettings struct {
	valueByKey    map[string]string
	orderLever    bridge.Lever
	orderStrength bridge.OrderStrength
	slurmRelease  string // "" when unknown, as is all below
	apiVersion    string
	hasSiteFactor bool // site_factor can be written
}

// value returns a setting, "" when it is not set.
func (c *slurmSettings) value(key string) string {
	if v := c.valueByKey[key]; v != "(null)" {
		return v
	}
	return ""
}

// hasWord reports whether a comma list holds a word.
func (c *slurmSettings) hasWord(key, word string) bool {
	for _, w := range strings.Split(c.value(key), ",") {
		if strings.EqualFold(strings.TrimSpace(w), word) {
			return true
		}
	}
	return false
}

// subvalue returns the value of "name=value" in a comma list.
func (c *slurmSettings) subvalue(key, name string) string {
	for _, w := range strings.Split(c.value(key), ",") {
		if k, v, ok := strings.Cut(strings.TrimSpace(w), "="); ok && k == name {
			return v
		}
	}
	return ""
}

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
