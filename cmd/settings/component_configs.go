package settings

import (
	"cmp"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"fairbridge/accounting/runs"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/policy"
)

// RESTConfig returns how slurmrestd is reached. The environment is asked for a token
// only where nothing else gives one.
func (f *File) RESTConfig() rest.Config {
	s := &f.Slurm
	c := rest.Config{
		URL: s.URL, SocketUser: s.SocketUser, TokenFile: s.TokenFile, TokenLife: s.TokenLife, KeyFile: s.KeyFile,
		User: s.User, SlurmUser: s.SlurmUser, CAFile: s.CAFile, Timeout: s.Timeout,
		MaxBytes: int64(s.MaxReplyMB) << 20, PinAPI: s.API,
	}
	const usual = "SLURM_JWT" // a socket's slurmrestd may need no token
	needsNone := strings.HasPrefix(s.URL, "unix:") && s.TokenEnv == "" && os.Getenv(usual) == ""
	if c.TokenFile == "" && c.KeyFile == "" && !needsNone {
		c.TokenEnv = cmp.Or(s.TokenEnv, usual)
	}
	return c
}

// Retention returns how long rows are kept.
func (f *File) Retention() stores.Retention {
	return stores.Retention{
		Snapshots: f.Database.KeepSnapshots, Readings: f.Database.KeepSamples, Cycles: f.Keep.Decisions, Intents: f.Keep.Changes,
		NeverStartedJobs: f.Keep.WaitingJobs, Jobs: f.Keep.Jobs,
	}
}

// SpoolDir returns where GPU readings wait for the database: beside the local
// journal, unless the file says otherwise; "" when there is no place.
func (f *File) SpoolDir() string {
	if f.Probes.Spool == "" && f.Journal != "" {
		return filepath.Join(filepath.Dir(f.Journal), "samples")
	}
	return f.Probes.Spool
}

// AccountShares returns the accounts' entitlements, by name.
func (f *File) AccountShares() []policy.Account {
	var list []policy.Account
	for _, name := range slices.Sorted(maps.Keys(f.Accounts)) {
		list = append(list, policy.Account{Name: name, Weight: f.Accounts[name]})
	}
	return list
}

// PartitionNames returns the partitions' names in the order of the file.
func (f *File) PartitionNames() []string {
	names := make([]string, len(f.Partitions))
	for i, p := range f.Partitions {
		names[i] = p.Name
	}
	return names
}

// PinsNodes reports whether nodes are to be named for jobs somewhere.
func (f *File) PinsNodes() bool {
	return f.Pin && slices.ContainsFunc(f.Partitions, func(p Partition) bool { return p.Mode.Allows(bridge.ModeSteer) })
}

// RequeuesJobs reports whether jobs are requeued somewhere.
func (f *File) RequeuesJobs() bool {
	return slices.ContainsFunc(f.Partitions, func(p Partition) bool { return p.Mode.Allows(bridge.ModePreempt) })
}

// FormatModes prints the partitions as "gpu: preempt, debug: observe".
func (f *File) FormatModes() string {
	parts := make([]string, len(f.Partitions))
	for i, p := range f.Partitions {
		parts[i] = fmt.Sprintf("%s: %s", p.Name, cmp.Or(p.Mode, bridge.ModeObserve))
	}
	return strings.Join(parts, ", ")
}

// NewLogger returns the log the file asks for.
func (f *File) NewLogger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(f.Log.Level)) // checked when the file was read
	o := &slog.HandlerOptions{Level: level}
	if f.Log.Format == "json" {
		return slog.New(slog.NewJSONHandler(printable.NewJSONWriter(w), o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// Retention says how long rows of the database are kept, beside snapshots and readings (Database). 0: for good.
type Retention struct {
	Decisions   time.Duration `yaml:"decisions"`    // cycles, decisions, estimates, checks of the guard, reminders, what was learnt of jobs
	Changes     time.Duration `yaml:"changes"`      // in Slurm that are settled, and what operators did
	WaitingJobs time.Duration `yaml:"waiting_jobs"` // that never started
	Jobs        time.Duration `yaml:"jobs"`         // their runs, and what was measured of each; sums by day stay
}

func newDefaultRetention() Retention {
	r := stores.DefaultRetention()
	return Retention{Decisions: r.Cycles, Changes: r.Intents, WaitingJobs: r.NeverStartedJobs, Jobs: r.Jobs}
}

// leastRetention is how long the gate, the guard and canaries look back, with room to spare; leastJobs is how late the record of a day
// may change and be summed up anew.
const (
	leastRetention = 30 * 24 * time.Hour
	leastJobs      = 90 * 24 * time.Hour
)

// findProblems checks how long is kept: no shorter than is needed. Usage counts for so many half-lives.
func (r *Retention) findProblems(halfLife time.Duration) []error {
	all := []error{
		checkRetention("decisions", r.Decisions, leastRetention, "the harm guard and canaries look back"),
		checkRetention("changes", r.Changes, leastRetention, "the gate counts stops and leases by them"),
		checkRetention("waiting_jobs", r.WaitingJobs, leastJobs, "demand is summed up from them, also when a long run changes late"),
		checkRetention("jobs", r.Jobs, max(leastJobs, runs.MaxHalfLives*halfLife+24*time.Hour), fmt.Sprintf("shares rest on the usage of %d half-lives (database.half_life)", runs.MaxHalfLives)),
	}
	return slices.DeleteFunc(all, func(err error) bool { return err == nil })
}

func checkRetention(key string, kept, least time.Duration, why string) error {
	if kept == 0 || kept >= least && kept <= maxRetention {
		return nil
	}
	return fmt.Errorf("%s: %v is not between %v and %v, and not 0 (for good): %s", key, kept, least, maxRetention, why)
}
