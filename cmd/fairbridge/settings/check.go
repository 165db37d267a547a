package settings

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/gate"
	"fairbridge/policy/paper"
)

// problems checks the values of a file that could be read.
func (f *File) problems() []error {
	var all []error
	note := func(err error) {
		if err != nil {
			all = append(all, f.at("", err))
		}
	}
	if f.Cluster == "" && f.where["cluster"] == nil {
		note(errors.New("cluster: not given; it is the ClusterName of slurm.conf"))
	}
	note(checkURL(f.Slurm.URL))
	note(checkListen(f.Listen))
	note(checkProbes(f.Probes.URL))
	note(checkCommand(f.Slurm.Scontrol))
	note(between("warmup", f.Warmup, 0, 1000))
	note(between("slurm.timeout", f.Slurm.Timeout, time.Second, 10*time.Minute))
	note(between("slurm.max_reply_mb", f.Slurm.MaxReplyMB, 1, 64<<10))
	note(between("slurm.refresh", f.Slurm.Refresh, 0, time.Hour))
	note(between("slurm.rate", f.Slurm.Rate, 0.1, 1000))
	note(between("database.half_life", f.Database.HalfLife, time.Hour, 365*24*time.Hour))
	note(between("database.keep_snapshots", f.Database.Snapshots, 0, forever))
	note(between("database.keep_samples", f.Database.Samples, 0, forever))
	note(between("probes.max_age", f.Probes.MaxAge, time.Second, time.Hour))
	note(between("probes.timeout", f.Probes.Timeout, 100*time.Millisecond, time.Minute))
	note(oneOf("log.level", f.Log.Level, "debug", "info", "warn", "error"))
	note(oneOf("log.format", f.Log.Format, "text", "json"))
	note(oneOf("order.lever", f.Order.Lever, "auto", "site_factor", "nice", "priority"))
	note(oneOf("order.strength", f.Order.Strength, "override", "blend"))
	if f.Slurm.KeyFile != "" && f.Slurm.User == "" {
		note(errors.New("slurm.user: not given; with slurm.key_file it is the Slurm operator to sign for"))
	}
	for i, p := range f.Partitions {
		for _, err := range p.problems() {
			all = append(all, f.at(fmt.Sprintf("partitions[%d]", i), err))
		}
	}
	c := f.loop()
	for _, err := range unjoin(c.Gate.Validate()) {
		all = append(all, f.at("gate", err))
	}
	c.Gate = gate.Default() // its problems are told already
	for _, err := range unjoin(c.Validate()) {
		note(err)
	}
	return all
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
	modes := make([]string, len(gate.Modes))
	for i, m := range gate.Modes {
		modes[i] = string(m)
	}
	if p.Mode != "" {
		note(oneOf("mode", p.Mode, modes...))
	}
	if p.PlanAs != "" {
		note(oneOf("plan_as", p.PlanAs, modes[2:]...))
	}
	entry, err := paper.Lookup(p.policy())
	if err != nil {
		note(fmt.Errorf("policy: %w", err))
		return all
	}
	_, err = entry.New(p.Params)
	for _, e := range unjoin(err) {
		note(fmt.Errorf("params: %w", e))
	}
	return all
}

func (p *Partition) policy() string {
	if p.Policy == "" {
		return "astraea"
	}
	return p.Policy
}

func checkURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return fmt.Errorf("slurm.url: %q is not a URL", s)
	case u.User != nil:
		return errors.New("slurm.url: holds a password; use slurm.token_file")
	case (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		return nil
	case u.Scheme == "unix" && strings.HasPrefix(u.Path, "/"):
		return nil
	}
	return fmt.Errorf("slurm.url: %q is neither http://host:port, https://host:port nor unix:///path/of/socket", s)
}

// forever is the longest time rows can be told to be kept; 0 is longer.
const forever = 100 * 365 * 24 * time.Hour

func checkListen(s string) error {
	if s == "" {
		return nil
	}
	if _, port, err := net.SplitHostPort(s); err != nil || port == "" {
		return fmt.Errorf("listen: %q is not host:port, such as localhost:9811", s)
	}
	return nil
}

func checkProbes(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(strings.ReplaceAll(s, "{node}", "node"))
	switch {
	case !strings.Contains(s, "{node}"):
		return fmt.Errorf("probes.url: %q names the same place for every node; write {node} where the node's name belongs", s)
	case err != nil || u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "unix":
		return fmt.Errorf("probes.url: %q is neither http://{node}:9810 nor unix:/path/{node}.sock", s)
	}
	return nil
}

func checkCommand(argv []string) error {
	if len(argv) == 0 || slices.Contains(argv, "") {
		return errors.New("slurm.scontrol: want a program and its arguments, such as [scontrol]")
	}
	return nil
}

func between[T int | float64 | time.Duration](key string, v, lo, hi T) error {
	if v >= lo && v <= hi {
		return nil
	}
	return fmt.Errorf("%s: %v is not between %v and %v", key, v, lo, hi)
}

func oneOf(key, v string, known ...string) error {
	if slices.Contains(known, v) {
		return nil
	}
	return fmt.Errorf("%s: %q is none of %s", key, v, strings.Join(known, ", "))
}

// loop returns the loop's configuration without its policies.
func (f *File) loop() bridge.Config {
	c := bridge.Config{
		Name: f.Cluster, Interval: f.Interval, Deadline: f.Deadline, Warmup: f.Warmup, Pin: f.Pin,
		Order:   bridge.Order{Lever: bridge.Lever(f.Order.Lever), Strength: bridge.Strength(f.Order.Strength), Window: f.Order.Window},
		Lease:   bridge.Lease{Length: f.Lease.Length, Window: f.Lease.Window},
		Preempt: bridge.Opting(f.Preempt), Gate: f.Gate, StopFile: f.StopFile, Leader: f.Leader.TTL,
	}
	for _, p := range f.Partitions {
		mode := gate.Mode(p.Mode)
		if mode == "" {
			mode = gate.Observe
		}
		c.Partitions = append(c.Partitions, bridge.Partition{
			Name: p.Name, Mode: mode, PlanAs: gate.Mode(p.PlanAs), Policy: p.policy(), Params: printed(p.Params),
		})
	}
	return c
}
