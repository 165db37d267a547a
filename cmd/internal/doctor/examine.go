// Package doctor looks at everything fairbridge stands on and says what is
// wrong, each finding with its fix. It changes nothing.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
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

// What access(2) is asked.
const writePermission, searchPermission = 2, 1

// Folder is a place the daemon writes to, by the key of the configuration.
type Folder struct{ ConfigKey, Path string }

// checkFolders looks whether the user we run as could write there. What is missing
// is made by the daemon, if it may.
func (r *Report) checkFolders(uid int, folders ...Folder) {
	if uid == 0 {
		r.addFinding("folders", LevelSkip, "sudo -u fairbridge fairbridge doctor", "root may write everywhere: run doctor as the daemon's user")
		return
	}
	bad := false
	for _, f := range folders {
		if f.Path == "" {
			continue
		}
		at, err := nearestExistingFolder(f.Path)
		if err == nil {
			err = syscall.Access(at, writePermission|searchPermission)
		}
		if err != nil {
			bad = true
			r.addFinding("folders", LevelFail, "install -d -m 0700 -o USER "+f.Path+" as root, USER being the daemon's; fairbridge.service does it for /var/lib/fairbridge",
				"%s (%s) cannot be written to: %s: %v", f.Path, f.ConfigKey, at, err)
		}
	}
	if !bad {
		r.addOK("folders", "the folders of journal and readings can be written to")
	}
}

// nearestExistingFolder returns the folder, or the nearest above it that exists.
func nearestExistingFolder(path string) (string, error) {
	for at := filepath.Clean(path); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return at, errors.New("it is no folder")
		case err == nil || !errors.Is(err, fs.ErrNotExist):
			return at, err
		case at == filepath.Dir(at):
			return at, err
		}
	}
}

// checkStopFile looks whether a STOP file can be made where the daemon looks for
// it. One that cannot be looked for counts as there.
func (r *Report) checkStopFile(path string) {
	if path == "" {
		return
	}
	dir := filepath.Dir(path)
	_, err := os.Stat(path)
	_, folder := os.Stat(dir)
	switch {
	case errors.Is(folder, fs.ErrNotExist):
		r.addFinding("stop file", LevelWarn, "mkdir -p "+dir, "the folder of stop_file, %s, does not exist: in an emergency there is no place to put it", dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		r.addFinding("stop file", LevelFail, "chmod a+x "+dir, "stop_file cannot be looked for, which counts as there: nothing is pushed: %v", err)
	case err == nil:
		r.addFinding("stop file", LevelWarn, "remove it when you are ready", "%s exists: nothing is pushed", path)
	}
}

// maxGuardAge is how old the last check of the harm guard may be: it is made every hour.
const maxGuardAge = 3 * time.Hour

// checkGuard looks whether a partition is demoted, and whether anything would demote one.
func checkGuard(ctx context.Context, db *stores.Stores, f *settings.File, now time.Time) []Finding {
	demotions, err := db.ActiveDemotions(ctx, f.Cluster)
	if err != nil {
		return []Finding{{Subject: "guard", Level: LevelSkip, Text: err.Error()}}
	}
	var found []Finding
	for i := range demotions {
		d := &demotions[i]
		fix := "fairbridge guard show -p " + d.Partition + ", then fairbridge guard clear " + d.Partition
		if d.Action != 0 {
			fix = "fairbridge operate list, then fairbridge operate mode " + d.Partition + " with the configured mode"
		}
		found = append(found, Finding{Subject: "guard", Level: LevelWarn, Text: d.Text(), Fix: fix})
	}
	if len(found) == 0 {
		found = append(found, findLastCheck(ctx, db, f, now))
	}
	return found
}

// findLastCheck says how old the last check is, and what it found.
func findLastCheck(ctx context.Context, db *stores.Stores, f *settings.File, now time.Time) Finding {
	if !slices.ContainsFunc(f.Partitions, func(p settings.Partition) bool { return p.Mode.Allows(bridge.ModeRank) }) {
		return Finding{Subject: "guard", Level: LevelOK, Text: "not needed before mode rank"}
	}
	checks, err := db.ListChecks(ctx, f.Cluster, "", now.Add(-maxGuardAge), 1)
	switch {
	case err != nil:
		return Finding{Subject: "guard", Level: LevelSkip, Text: err.Error()}
	case len(checks) == 0:
		return Finding{Subject: "guard", Level: LevelWarn, Fix: "systemctl enable --now fairbridge-guard.timer",
			Text: fmt.Sprintf("no check of the harm guard within %s: nothing demotes a partition in which jobs are worse off than with Slurm alone", policy.FormatDuration(maxGuardAge))}
	}
	c := &checks[0]
	ago := policy.FormatDuration(now.Sub(c.At).Round(time.Second))
	return Finding{Subject: "guard", Level: LevelOK, Text: fmt.Sprintf("the harm guard checked %s %s ago: %s", c.Partition, ago, c.Verdict)}
}

// checkBillingWeights looks for weights of GPU types that no node has: a name that is misspelt leaves the type it was meant
// for charged as it is. Without weights there is nothing to say.
func checkBillingWeights(v *slurm.View, weights policy.BillingWeights) Report {
	if len(weights) == 0 {
		return nil
	}
	hasType := map[string]bool{}
	for i := range v.Nodes {
		for _, g := range v.Nodes[i].GPUs() {
			hasType[g.Type] = true
		}
	}
	var r Report
	var told []string
	fix := "in gpus.billing_weight, name types as Slurm does: " + joinSorted(hasType)
	for _, typ := range slices.Sorted(maps.Keys(weights)) {
		if !hasType[typ] {
			r.addFinding("charges", LevelWarn, fix, "no node has GPUs of type %s, which has a billing weight", typ)
			continue
		}
		told = append(told, fmt.Sprintf("%s %g", typ, weights[typ]))
		delete(hasType, typ)
	}
	if len(told) > 0 {
		text := "GPU-hours charged for an hour: " + strings.Join(told, ", ")
		if len(hasType) > 0 {
			text += "; as they are: " + joinSorted(hasType)
		}
		r.addOK("charges", "%s", text)
	}
	return r
}

// joinSorted lists names.
func joinSorted(names map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(names)), ", ")
}
