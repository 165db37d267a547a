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
