package doctor

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/live"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/scontrol"
	"fairbridge/bridge/slurm/writer"
	"fairbridge/cmd/internal/remind"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

// Level says how bad a finding is.
type Level string

// The levels.
const (
	LevelOK   Level = "ok"
	LevelWarn Level = "warn" // works, but not as well or as safely as it could
	LevelFail Level = "fail" // does not work
	LevelSkip Level = "skip" // could not be looked at
)

// Finding is one line of the report.
type Finding struct {
	Subject string `json:"about"` // slurm, settings, database, probes, clock, …
	Level   Level  `json:"level"`
	Text    string `json:"text"`
	Fix     string `json:"fix,omitempty"`
	Form    Form   `json:"-"` // of Text, without what was filled in; "": not known
}

// Form is the format of a sentence. Only constants of this program become one, so that it holds no name of a site.
type Form string

// Report is everything found, in the order of looking.
type Report []Finding

// HasFailure reports whether anything does not work.
func (r Report) HasFailure() bool {
	for _, f := range r {
		if f.Level == LevelFail {
			return true
		}
	}
	return false
}

// Verdict sums the report up in a line.
func (r Report) Verdict() string {
	n := map[Level]int{}
	for _, f := range r {
		n[f.Level]++
	}
	switch {
	case n[LevelFail] > 0:
		return fmt.Sprintf("Something does not work: %d of %d findings.", n[LevelFail], len(r))
	case n[LevelWarn] > 0:
		return fmt.Sprintf("It works; %d of %d findings could be better.", n[LevelWarn], len(r))
	case n[LevelSkip] > 0:
		return fmt.Sprintf("It works; %d of %d findings could not be looked at.", n[LevelSkip], len(r))
	}
	return "All is well."
}

func (r *Report) addOK(about string, format Form, a ...any) {
	r.addFinding(about, LevelOK, "", format, a...)
}

func (r *Report) addFinding(about string, l Level, fix string, format Form, a ...any) {
	*r = append(*r, Finding{Subject: about, Level: l, Text: fmt.Sprintf(string(format), a...), Fix: fix, Form: format})
}

// checkFederation says what a federation keeps us from. Where scontrol cannot be asked the
// jobs tell whether there is one.
func checkFederation(ctx context.Context, command []string, v *slurm.View) Report {
	name, siblings, err := scontrol.Command(command).ReadFederation(ctx)
	count := 0
	for i := range v.Jobs {
		if v.Jobs[i].FederationOrigin != "" {
			count++
		}
	}
	api, _ := rest.APIFromName(v.APIVersion)
	r := newFederationReport(name, siblings, count, api.ReadsJobLocally)
	if err != nil && count == 0 {
		r.addFinding("federation", LevelSkip, "install slurm-client here, or set slurm.scontrol", "%v", err)
	}
	return r
}

// newFederationReport says what is done in a federation of that name, "" when only its jobs
// are known.
func newFederationReport(name string, siblings []string, jobCount int, readsJobLocally bool) (r Report) {
	if name == "" && jobCount == 0 {
		return nil
	}
	const fix = "to have them scheduled take the cluster out: sacctmgr modify federation NAME set clusters-=CLUSTER"
	r.addFinding("federation", LevelWarn, fix, "this cluster is in a federation: jobs submitted in it (%d now) are left alone, fairbridge only shows them", jobCount)
	if len(siblings) > 0 && !readsJobLocally {
		r.addFinding("federation", LevelFail, "take the cluster out of the federation, then run fairbridge release", "slurmrestd of this release cannot read a single job while there are siblings (%s): nothing is pushed, and nothing of ours can be given back", strings.Join(siblings, ", "))
	}
	return r
}

// fewStarts are too few to be worth a warning.
const fewStarts = 100

// checkStarts says how far plans reach Slurm: how many jobs started that the last plan wanted to start.
func checkStarts(ctx context.Context, db *stores.Stores, f *settings.File, now time.Time) []Finding {
	counts, err := db.CountStarts(ctx, f.Cluster, now, f.MaxCycleAge())
	if err != nil {
		return []Finding{{Subject: "starts", Level: LevelSkip, Text: err.Error()}}
	}
	var found []Finding
	for _, p := range f.Partitions {
		if c := counts[p.Name]; c != nil {
			found = append(found, findStarts(p.Name, p.Mode, c, f.Interval))
		}
	}
	return found
}

// findStarts says what starts in a partition tell. What Slurm starts before a cycle sees it, no plan can order.
func findStarts(partition string, mode bridge.Mode, c *journal.StartCounts, interval time.Duration) Finding {
	f := Finding{Subject: "starts", Level: LevelOK, Text: "partition " + partition + ": " + c.Words(mode)}
	if mode.Allows(bridge.ModeRank) && c.Total() >= fewStarts && 2*c.Wanted < c.Total() {
		f.Level, f.Fix = LevelWarn, fmt.Sprintf("set batch_sched_delay=%.0f,sched_min_interval=%d,bf_interval=%.0f "+
			"(interval in s, in µs, and twice) in SchedulerParameters, then scontrol reconfigure: Slurm starts fewer "+
			"jobs before a cycle sees them, and a GPU may stay free that long",
			interval.Seconds(), interval.Microseconds(), 2*interval.Seconds())
	}
	return f
}

// checkSiteFactors reads the site factors of the view's jobs, without which it cannot be told
// whether something else sets them too.
func checkSiteFactors(ctx context.Context, scontrol []string, v *slurm.View) (r Report) {
	live.AddPriorities(ctx, scontrol, v)
	if v.UnreadSiteFactorsReason != "" {
		r.addFinding("order", LevelWarn, "install slurm-client here, or set slurm.scontrol: sprio is looked for beside it",
			"sprio cannot be asked: a site factor that something else writes over ours is not seen, and priorities are as old as the last whole list of jobs, minutes: %s", v.UnreadSiteFactorsReason)
	}
	return r
}

// checkOtherOrder looks whether something else changes priorities too.
func checkOtherOrder(ctx context.Context, db *stores.Stores, cluster string, v *slurm.View) (r Report) {
	if v == nil {
		return nil
	}
	intents, err := push.ReadRecentIntents(ctx, db, cluster, v.At)
	if err != nil {
		r.addFinding("order", LevelSkip, "", "%v", err)
		return r
	}
	intents, _ = push.ReconcileIntents(intents, v)
	if err := ledger.CheckOtherOrder(ledger.OtherOrderReasonByJob(intents, v)); err != nil {
		r.addFinding("order", LevelWarn, "fairbridge explain JOB says what was changed; let only one of them order these partitions", "%v", err)
		return r
	}
	r.addOK("order", "nothing else is seen to change the priorities of waiting jobs")
	return r
}

// maxJobsNamed is how many jobs that are left alone are named.
const maxJobsNamed = 10

// checkOperators looks what operators did that stands; where nothing does no word is lost. Modes that they lowered are told with the guard's demotions.
func checkOperators(ctx context.Context, db *stores.Stores, f *settings.File) []Finding {
	standing, err := db.StandingActions(ctx, f.Cluster)
	if err != nil {
		return []Finding{{Subject: "operators", Level: LevelSkip, Text: err.Error()}}
	}
	var found []Finding
	var leftAlone []string
	for i := range standing {
		switch a := &standing[i]; {
		case a.Kind == bridge.OperatorStop:
			found = append(found, Finding{Subject: "operators", Level: LevelWarn, Text: "nothing is sent: " + a.Text(), Fix: "fairbridge operate list, then fairbridge operate resume"})
		case a.LeavesAlone():
			leftAlone = append(leftAlone, a.Jobs.Address)
		}
	}
	if n := len(leftAlone); n > 0 {
		found = append(found, Finding{Subject: "operators", Level: LevelOK, Text: policy.FormatCount(n, "job") + " left alone by operators: " + strings.Join(leftAlone[:min(n, maxJobsNamed)], ", ")})
	}
	return found
}

// channelTimeout is how long a mail server has to answer.
const channelTimeout = 10 * time.Second

// checkReminders looks whether owners of idle GPUs could be told: the mail server is logged in to, secrets are read.
// Where reminders are off no word is lost.
func checkReminders(ctx context.Context, r *settings.Reminders) []Finding {
	if !r.IsOn() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, channelTimeout)
	defer cancel()
	byChannel := remind.Check(ctx, r)
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(byChannel)) {
		if err := byChannel[name]; err != nil {
			found = append(found, Finding{Subject: "reminders", Level: LevelFail, Text: fmt.Sprintf("%s: %v", name, err), Fix: fmt.Sprintf("see reminders.%s_* in the configuration; run doctor as the daemon's user", name)})
		} else {
			found = append(found, Finding{Subject: "reminders", Level: LevelOK, Text: fmt.Sprintf("owners of idle GPUs are told by %s after %v (fairbridge reminders --dry-run)", name, r.After)})
		}
	}
	return found
}

// scancelTimeout bounds one run of scancel.
const scancelTimeout = 15 * time.Second

// checkScancel looks whether jobs can be warned before they are requeued: by the
// command scancel, or by the one beside scontrol where it is nil.
func (r *Report) checkScancel(ctx context.Context, scancel, scontrol []string) {
	const fix, then = "install slurm-client here, or set slurm.scancel", "jobs that are to be warned before a requeue are not requeued"
	if len(scancel) == 0 {
		scancel = writer.ScancelFromScontrol(scontrol)
	}
	if len(scancel) == 0 {
		r.addFinding("warnings", LevelWarn, fix, "there is no scancel beside slurm.scontrol: %s", then)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, scancelTimeout)
	defer cancel()
	argv := append(append([]string{}, scancel...), "--version")
	if err := exec.CommandContext(ctx, argv[0], argv[1:]...).Run(); err != nil {
		r.addFinding("warnings", LevelWarn, fix, "running %s: %v: %s", strings.Join(argv, " "), err, then)
		return
	}
	r.addOK("warnings", "%s can warn jobs before they are requeued", strings.Join(scancel, " "))
}

// shortIdleTime is less than many a job takes to load its data or to write a checkpoint.
const shortIdleTime = 15 * time.Minute

// checkStopIdle says when jobs whose GPUs do no work are stopped. Where none is no word is lost.
func checkStopIdle(partition string, after time.Duration, mode bridge.Mode) []Finding {
	if after <= 0 {
		return nil
	}
	f := Finding{Subject: "configuration", Level: LevelOK, Text: fmt.Sprintf("partition %s: a job whose GPUs all did no work for %s is requeued for one that waits, where its owner said fairbridge:preemptible,idle=requeue",
		partition, policy.FormatDuration(after))}
	switch {
	case !mode.Allows(bridge.ModePreempt):
		f.Text += "; in mode observe that is only shown"
	case after < shortIdleTime:
		f.Level, f.Fix = LevelWarn, "partitions[].stop_idle_after: 2h, and leave gate.idle_min at its default"
		f.Text += ": a job that loads data or writes a checkpoint does no work for so long, too"
	}
	return []Finding{f}
}

// checkPrivacy looks whether it can be read what slurmdbd hides from users, which the API then hides
// too. What is configured needs no reading; nor is it missed where slurm.conf cannot be read, since then
// everything is hidden.
func checkPrivacy(ctx context.Context, command scontrol.Command, configured []string) (r Report) {
	if len(configured) > 0 {
		return nil
	}
	conf, err := command.ReadConfig(ctx)
	if err != nil {
		return nil
	}
	if _, err := command.ReadSlurmdbdConfig(ctx, conf); err != nil {
		r.addFinding("api", LevelWarn, "put PrivateData of slurm.conf and of slurmdbd.conf into api.private, or have sacctmgr beside slurm.scontrol",
			"PrivateData of slurmdbd.conf cannot be read: users may see in the API what sacct and sreport hide: %v", err)
	}
	return r
}

// checkProbes asks the probe of every GPU node.
func (r *Report) checkProbes(ctx context.Context, url string, v *slurm.View, p bridge.Probes) {
	if url == "" {
		r.addFinding("probes", LevelSkip, "run nodeprobe on the GPU nodes and set probes.url", "no probes configured: policies do without measurements")
		return
	}
	got, err := p.Sample(ctx, v)
	if err != nil {
		r.addFinding("probes", LevelWarn, "systemctl status nodeprobe on these nodes", "%v", err)
	}
	if len(got) > 0 || err == nil {
		r.addOK("probes", "answers of %s", policy.FormatCount(len(got), "node"))
	}
}

// checkExperimental says loudly that a partition is in a mode that is experimental.
func checkExperimental(partition string, mode bridge.Mode) []Finding {
	what, page := "it changes how many GPUs jobs get whose owners declare a range, and", "docs/elastic.md"
	switch {
	case mode.Allows(bridge.ModeShare):
		what, page = "it starts jobs that opted in on shards of a GPU, which fence no memory, beside each other, changes how many GPUs jobs get whose owners declare a range, and", "docs/sharing.md, docs/elastic.md"
	case !mode.Allows(bridge.ModeElastic):
		return nil
	}
	return []Finding{{Subject: "configuration", Level: LevelWarn, Fix: "mode: preempt, unless you try it on purpose (" + page + ")",
		Text: fmt.Sprintf("partition %s is in mode %s, which is EXPERIMENTAL: %s has not been run on real GPUs", partition, mode, what)}}
}

// checkEditCooldown says whether a field of a job that was written in one cycle may be written
// again in the next. Writes come a little after a cycle's beginning, so that a cooldown of a whole
// interval makes every second change wait for the cycle after.
func checkEditCooldown(cooldown, interval time.Duration) Finding {
	if cooldown <= interval*3/4 {
		return Finding{Subject: "configuration", Level: LevelOK, Text: "a field may change again in the next cycle"}
	}
	return Finding{Subject: "configuration", Level: LevelWarn, Fix: "gate.edit_cooldown: " + (interval * 2 / 3).Round(100*time.Millisecond).String(),
		Text: fmt.Sprintf("an order that changes in every cycle reaches Slurm in every other: gate.edit_cooldown is %s, interval %s", policy.FormatDuration(cooldown), policy.FormatDuration(interval))}
}
