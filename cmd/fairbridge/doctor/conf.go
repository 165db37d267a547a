package doctor

import (
	"bufio"
	"bytes"
	"context"
	"os/exec"
	"strings"
)

// Conf looks at the settings of slurmctld that fight us or that we rely on,
// as scontrol shows them.
func (r *Report) Conf(ctx context.Context, scontrol []string) {
	argv := append(append([]string{}, scontrol...), "show", "config")
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err != nil {
		r.add("settings", Skip, "install slurm-client here, or set slurm.scontrol", "running %s: %v", strings.Join(argv, " "), err)
		return
	}
	r.settings(parseConf(out))
}

// parseConf reads the lines "Key = value" of scontrol show config.
func parseConf(text []byte) map[string]string {
	conf := map[string]string{}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), "="); ok {
			conf[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
	return conf
}

// settings judges one setting after the other.
func (r *Report) settings(conf map[string]string) {
	r.priority(conf)
	r.requeueDelay(conf)
	if !strings.Contains(conf["AccountingStorageTRES"], "gres/gpu") {
		r.add("settings", Fail, "AccountingStorageTRES=gres/gpu in slurm.conf", "Slurm does not count GPUs: requests cannot be read")
	}
	if p := conf["PreemptType"]; p != "" && p != "preempt/none" && p != "(null)" {
		r.add("settings", Warn, "PreemptType=preempt/none, or exempt what it may stop (gate.exempt_partitions)", "Slurm preempts too (%s): two schedulers may stop jobs for different reasons", p)
	}
	if s := conf["SchedulerType"]; s != "sched/backfill" {
		r.add("settings", Warn, "SchedulerType=sched/backfill", "without backfill (%s) a large job at the head of the line leaves GPUs idle", s)
	}
	if conf["JobRequeue"] == "0" {
		r.add("settings", Warn, "JobRequeue=1, or sbatch --requeue", "jobs are not requeueable unless they say so")
	}
	if p := conf["JobSubmitPlugins"]; p != "" && p != "(null)" {
		r.add("settings", Warn, "let the plugin pass updates of user fairbridge", "a job_submit plugin (%s) sees each of our changes too and may refuse them", p)
	}
}

func (r *Report) priority(conf map[string]string) {
	if p := conf["PriorityType"]; p != "priority/multifactor" {
		r.add("settings", Fail, "PriorityType=priority/multifactor in slurm.conf, or order.lever: priority", "PriorityType is %s: site_factor and nice have no effect", p)
		return
	}
	r.ok("settings", "PriorityType is priority/multifactor")
}

// requeueDelay looks at how long a requeued job waits before it may start.
func (r *Report) requeueDelay(conf map[string]string) {
	params := conf["SchedulerParameters"] + "," + conf["AuthInfo"]
	if strings.Contains(params, "requeue_delay=") || strings.Contains(params, "cred_expire=") {
		r.ok("settings", "requeued jobs wait as configured (%s)", strings.Trim(params, ","))
		return
	}
	r.add("settings", Warn, "AuthInfo=cred_expire=30 (22.05 on), or SchedulerParameters=requeue_delay=30 (25.11 on); restart slurmctld",
		"a requeued job cannot start for two minutes")
}
