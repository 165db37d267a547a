// Package doctor looks at everything fairbridge stands on and says what is
// wrong, each finding with its fix. It changes nothing.
package doctor

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/settings"
)

// Examine looks at everything that a configuration names.
func Examine(ctx context.Context, f *settings.File) Report {
	r := Report{{Subject: "configuration", Level: LevelOK, Text: "partitions " + f.FormatModes()}}
	open := func(ctx context.Context) (*rest.Client, error) {
		return rest.Open(ctx, f.RESTConfig(), rest.PollConfig{})
	}
	v := r.checkSlurm(ctx, open, f.Cluster, f.Order.AdminComment, time.Now)
	r.checkWay(f.Slurm.URL)
	if v != nil {
		r = append(r, checkLoad(v, readBootTime(ctx, f.Slurm.Scontrol), f.Interval, f.Order.Window))
		r.checkPartitions(v, f.PartitionNames())
		r = append(r, checkBillingWeights(v, f.GPUs.BillingWeight)...)
		r = append(r, checkFederation(ctx, f.Slurm.Scontrol, v)...)
		r = append(r, checkSiteFactors(ctx, f.Slurm.Scontrol, v)...)
		if p, err := system.NewProbes(f, system.ProbeKeepers{}); err != nil {
			r = append(r, Finding{Subject: "probes", Level: LevelFail, Text: err.Error(), Fix: "see probes in the configuration"})
		} else {
			r.checkProbes(ctx, f.Probes.URL, v, p)
		}
	}
	r = append(r, checkEditCooldown(f.Gate.EditCooldown, f.Interval))
	for _, p := range f.Partitions {
		r = append(r, checkExperimental(p.Name, p.Mode)...)
		r = append(r, checkStopIdle(p.Name, p.StopIdleAfter, p.Mode)...)
	}
	r.checkSlurmConf(ctx, f.Slurm.Scontrol, f.Order, f.Cluster, v)
	if f.RequeuesJobs() {
		r.checkScancel(ctx, f.Slurm.Scancel, f.Slurm.Scontrol)
	}
	r.checkRestd("/proc", releaseOf(v))
	r.examineDB(ctx, f, open, v)
	r = append(r, checkCanaries(f, time.Now())...)
	r = append(r, checkAPI(ctx, &f.API, time.Now())...)
	r = append(r, checkReminders(ctx, &f.Reminders)...)
	r = append(r, checkPrivacy(ctx, f.Slurm.Scontrol, f.API.Private)...)
	r.checkFolders(os.Geteuid(), foldersToCheck(f)...)
	r.checkStopFile(f.StopFile)
	return r
}

// releaseOf is the release of the Slurm that was read, "" when none was.
func releaseOf(v *slurm.View) string {
	if v == nil {
		return ""
	}
	return v.Release
}

// foldersToCheck are the places the daemon writes to.
func foldersToCheck(f *settings.File) []Folder {
	list := []Folder{{ConfigKey: "probes.spool", Path: f.SpoolDir()}}
	if f.Journal != "" {
		list = append(list, Folder{ConfigKey: "journal", Path: filepath.Dir(f.Journal)})
	}
	return list
}

// examineDB looks at the database; v is nil when Slurm could not be read.
func (r *Report) examineDB(ctx context.Context, f *settings.File, open func(context.Context) (*rest.Client, error),
	v *slurm.View) {
	db, err := system.OpenDB(ctx, f)
	if err != nil {
		*r = append(*r, Finding{Subject: "database", Level: LevelFail, Text: err.Error(), Fix: "set database.dsn_file or " + f.Database.DSNEnv})
		return
	}
	defer db.Close()
	if !r.checkDatabase(ctx, db) {
		return
	}
	*r = append(*r, checkDaemon(ctx, db, f, time.Now()))
	r.checkUsage(ctx, db, f.Cluster, time.Now())
	if v != nil {
		r.examineSlurmdbd(ctx, f, open, db, cmp.Or(v.Cluster, f.Cluster))
	}
	r.checkExpiry(ctx, db, f.Cluster, f.PinsNodes())
	*r = append(*r, checkStarts(ctx, db, f, time.Now())...)
	*r = append(*r, checkGuard(ctx, db, f, time.Now())...)
	*r = append(*r, checkOperators(ctx, db, f)...)
	r.checkHandBacks(ctx, db, f.Cluster, v)
	*r = append(*r, checkOtherOrder(ctx, db, f.Cluster, v)...)
}
