package settings

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

// problems checks the values of a file that could be read.
func (f *File) problems() []error {
	var all []error
	note := func(err error) {
		if err != nil {
			all = append(all, f.problemAt("", err))
		}
	}
	if f.Cluster == "" {
		note(errors.New("cluster: not given; it is the ClusterName of slurm.conf"))
	}
	for _, err := range f.values() {
		note(err)
	}
	if f.Slurm.KeyFile != "" && f.Slurm.User == "" {
		note(errors.New("slurm.user: not given; with slurm.key_file it is the Slurm operator to sign for"))
	}
	if (f.Probes.CertFile == "") != (f.Probes.KeyFile == "") {
		note(errors.New("probes.cert_file and probes.key_file: give both or none"))
	}
	for i, p := range f.Partitions {
		for _, err := range p.problems() {
			all = append(all, f.problemAt(fmt.Sprintf("partitions[%d]", i), err))
		}
	}
	for _, s := range f.speeds() {
		if s.Speed == 0 {
			note(fmt.Errorf("gpus.speed.%s: 0 is not above 0: leave the type out, or say how fast it is", s.Type))
		}
	}
	c := f.loopConfig()
	for _, err := range flatten(c.Budgets.Validate()) {
		all = append(all, f.problemAt("gate", err))
	}
	c.Budgets = bridge.DefaultBudgets() // its problems are told already
	for _, err := range flatten(c.Validate()) {
		note(err)
	}
	return all
}

// values checks one value after the other; nil where it is possible.
func (f *File) values() []error {
	return []error{
		checkURL(f.Slurm.URL),
		checkListen(f.Listen),
		checkProbes(f.Probes.URL, f.Probes.TokenFile),
		checkCommand("slurm.scontrol", f.Slurm.Scontrol),
		checkScancel(f.Slurm.Scancel),
		between("warmup", f.Warmup, 0, 1000),
		between("slurm.timeout", f.Slurm.Timeout, time.Second, 10*time.Minute),
		between("slurm.token_life", f.Slurm.TokenLife, 0, longestRetention),
		between("slurm.max_reply_mb", f.Slurm.MaxReplyMB, 1, 64<<10),
		between("slurm.refresh", f.Slurm.Refresh, 0, time.Hour),
		between("slurm.rate", f.Slurm.Rate, 0.1, 1000),
		between("slurm.accounting", f.Slurm.Accounting, 0, 24*time.Hour),
		between("database.half_life", f.Database.HalfLife, time.Hour, 365*24*time.Hour),
		between("database.keep_snapshots", f.Database.Snapshots, 0, longestRetention),
		between("database.keep_samples", f.Database.Samples, 0, longestRetention),
		between("probes.max_age", f.Probes.MaxAge, time.Second, time.Hour),
		between("probes.spool_mb", f.Probes.SpoolMB, 1, 1<<20),
		between("probes.timeout", f.Probes.Timeout, 100*time.Millisecond, time.Minute),
		oneOf("log.level", f.Log.Level, "debug", "info", "warn", "error"),
		oneOf("log.format", f.Log.Format, "text", "json"),
	}
}

func (p *Partition) problems() []error {
	var all []error
	note := func(err error) {
		if err != nil {
			all = append(all, err)
		}
	}
	if p.Name == "" || strings.ContainsAny(p.Name, ", \t") {
		note(fmt.Errorf("name: %q is not a partition's name", p.Name))
	}
	if p.Mode != "" {
		note(oneOf("mode", p.Mode, bridge.Modes...))
	}
	if p.PlanAs != "" {
		note(oneOf("plan_as", p.PlanAs, bridge.Modes[2:]...))
	}
	note(between("grace", p.Grace, 0, time.Hour))
	if p.Signal != "" {
		if _, err := slurm.ParseSignal(p.Signal); err != nil {
			note(fmt.Errorf("signal: %w", err))
		}
	}
	entry, err := catalogue.FindSystem(p.policy())
	if err != nil {
		note(fmt.Errorf("policy: %w", err))
		return all
	}
	_, err = entry.New(p.Params)
	for _, e := range flatten(err) {
		note(fmt.Errorf("params: %w", e))
	}
	return all
}

// notice is for values that problems has checked.
func (p *Partition) notice() bridge.Notice {
	s, _ := slurm.ParseSignal(p.Signal)
	return bridge.Notice{Grace: p.Grace, Signal: s}
}

func (p *Partition) policy() string { return cmp.Or(p.Policy, "fairbridge") }

// speeds returns what the site says of its GPUs, sorted by type.
func (f *File) speeds() []policy.Speed {
	var out []policy.Speed
	for _, typ := range slices.Sorted(maps.Keys(f.GPUs.Speed)) {
		out = append(out, policy.Speed{Type: typ, Speed: f.GPUs.Speed[typ]})
	}
	return out
}

// loopConfig returns the loop's configuration without its policies.
func (f *File) loopConfig() bridge.Config {
	c := bridge.Config{
		ClusterName: f.Cluster, Interval: f.Interval, Deadline: f.Deadline, WarmupPolls: f.Warmup, PinsStarts: f.Pin,
		Order: f.Order, Lease: f.Lease, Preempt: f.Preempt, Speeds: f.speeds(), Budgets: f.Gate,
		StopFile: f.StopFile, LeaderLease: f.Leader.TTL,
	}
	for _, p := range f.Partitions {
		c.Partitions = append(c.Partitions, bridge.Partition{
			Name: p.Name, Mode: cmp.Or(p.Mode, bridge.Observe), PlanAs: p.PlanAs, Policy: p.policy(), Params: formatParams(p.Params), Warning: p.notice(),
		})
	}
	return c
}
