package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/study/cluster"
	"fairbridge/bridge/study/policyset"
	"fairbridge/bridge/study/replay"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

// replaying are the flags of a replay of the past.
type replaying struct {
	trials
	since, until string
	seeds        int
	parallel     int
	html         string
	stoppable    bool
	conf         string // file
}

func (t *replaying) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&t.since, "since", "", "simulate the past since then: so long ago (30d), or a time")
	f.StringVar(&t.until, "until", "", "and until then (default: now)")
	f.StringVar(&t.policies, "policy", "", "policies, separated by commas")
	f.StringVar(&t.fidelity, "fidelity", "slurm", "slurm, or exact")
	f.StringVar(&t.cluster, "cluster", "", "simulate on another cluster: 16x4:a100,8x8:h100 (default: the nodes of the last\nstored cycle)")
	f.BoolVar(&t.stoppable, "stoppable", false, "as if every job let itself be stopped")
	f.StringVar(&t.conf, "slurm-conf", "", "Slurm's settings: slurm.conf, or what scontrol show config printed (default: what\nscontrol says, if it is there)")
	f.IntVar(&t.seeds, "seeds", 1, "how many times, for policies with chance")
	f.Int64Var(&t.seed, "seed", 1, "of all chance")
	f.IntVar(&t.parallel, "parallel", runtime.GOMAXPROCS(0), "simulations at a time")
	f.StringVar(&t.html, "html", "", "also write a page with drawings to this file")
	t.perJobFlag(c)
	cobra.CheckErr(c.RegisterFlagCompletionFunc("policy", completePolicies))
}

func (t *replaying) run(c *cobra.Command, o *options, partition string) error {
	b, err := t.asked()
	if err != nil {
		return usageError{err}
	}
	f, err := o.load()
	if err != nil {
		return err
	}
	if partition, err = onlyPartition(f, partition); err != nil {
		return usageError{err}
	}
	page, err := newFile(t.html)
	if err != nil {
		return err
	}
	defer page.discard()
	jobs, err := newFile(t.perJob)
	if err != nil {
		return err
	}
	defer jobs.discard()
	p := &pasting{replaying: t, bench: b, file: f, partition: partition}
	if err := p.read(c.Context()); err != nil {
		return err
	}
	b.remarks(c.ErrOrStderr())
	return p.show(c, o.json, page, jobs)
}

// asked reads the flags.
func (t *replaying) asked() (*bench, error) {
	if t.policies == "" {
		t.policies = policyset.Slurm
	}
	if t.seeds < 1 || t.parallel < 1 {
		return nil, errors.New("--seeds and --parallel want at least 1")
	}
	t.source.Trace, t.source.Format, t.clock = "database", "auto", "intervals"
	given := t.cluster
	if given == "" {
		t.cluster = "1" // it is read from the database
	}
	b, err := t.trials.asked()
	if err == nil && given == "" {
		t.cluster, t.source.Nodes = "", nil
	}
	if err == nil {
		err = t.tick(b)
	}
	return b, err
}

// pasting is a replay under way.
type pasting struct {
	*replaying
	*bench
	file      *settings.File
	partition string
	from, to  time.Time
	site      *replay.Site
	base      policyset.Pick // what was done
	unread    string         // why Slurm's settings could not be read
	baseMode  bridge.Mode    // and in which mode; "": by Slurm alone
}

// read reads the past.
func (p *pasting) read(ctx context.Context) error {
	now := time.Now()
	var err error
	if p.from, err = moment(p.since, now); err != nil {
		return usageError{fmt.Errorf("--since: %w", err)}
	}
	if p.to = now; p.until != "" {
		if p.to, err = moment(p.until, now); err != nil {
			return usageError{fmt.Errorf("--until: %w", err)}
		}
	}
	if !p.from.Before(p.to) {
		return usageError{errors.New("--since is not before --until")}
	}
	if err := p.settings(ctx); err != nil {
		return err
	}
	db, err := openDB(ctx, p.file)
	if err != nil {
		return err
	}
	defer db.Close()
	runs, err := db.PastRuns(ctx, p.file.Cluster, p.partition, p.from, p.to)
	if err != nil {
		return err
	}
	if len(runs) == 0 {
		return fmt.Errorf("the record has no GPU job of partition %s that ran between %s and %s; fairbridge import reads older ones", p.partition, p.from.Format(time.DateTime), p.to.Format(time.DateTime))
	}
	if err := p.steering(ctx, db, runs); err != nil {
		return err
	}
	return p.jobs(ctx, db, runs)
}

// steering finds out what was done: whether Slurm was alone, and else what
// steered most of the time.
func (p *pasting) steering(ctx context.Context, db *stores.Stores, runs []bridge.PastRun) error {
	list, err := db.Steered(ctx, p.file.Cluster, p.partition, p.from, p.to)
	if err != nil {
		return err
	}
	config, err := p.file.Loop()
	if err != nil {
		return err
	}
	p.way.Loop = simulated(config)
	p.base = policyset.Alone()
	i := slices.IndexFunc(list, func(s bridge.Steering) bool { return s.Pushed > 0 })
	if i < 0 || config.Interval.Seconds()*float64(list[i].Cycles) < p.busy(runs).Seconds()/2 {
		return nil
	}
	s := list[i]
	if p.base, err = policyset.Recorded(s.Policy, s.Params); err != nil {
		return fmt.Errorf("policy %s steered then: %w", s.Policy, err)
	}
	p.base.Label += ", as then"
	p.baseMode = s.Mode
	return nil
}

// busy is how long there was something to decide.
func (p *pasting) busy(runs []bridge.PastRun) time.Duration {
	first, last := p.to, p.from
	for i := range runs {
		if a := runs[i].Arrive; a.Before(first) {
			first = a
		}
		if e := runs[i].End; e.After(last) {
			last = e
		}
	}
	if first.Before(p.from) {
		first = p.from
	}
	return last.Sub(first)
}

// simulated is the site's configuration as far as it matters to a simulation.
// Who lets a job be stopped is found out before; in the simulation the job says
// so itself.
func simulated(c bridge.Config) bridge.Config {
	c.Partitions, c.StopFile, c.Preempt = nil, "", bridge.Opting{Comment: true}
	return c
}

// jobs makes a workload of the runs, and reads the nodes.
func (p *pasting) jobs(ctx context.Context, db *stores.Stores, runs []bridge.PastRun) error {
	f, nodes := p.file, p.source.Nodes
	var err error
	if nodes == nil {
		if nodes, err = lastNodes(ctx, db, f.Cluster, p.partition); err != nil {
			return err
		}
		p.cluster = fmt.Sprintf("of %d nodes as last stored", len(nodes))
	}
	known, err := db.Past(ctx, f.Cluster, p.from)
	if err != nil {
		return err
	}
	seen, err := db.Seen(ctx, f.Cluster, p.partition, p.from, p.to)
	if err != nil {
		return err
	}
	accounts := slices.Clone(known.Accounts)
	for i := range accounts {
		accounts[i].Recent = 0 // what they used by then counts, but not by the hour
	}
	p.site, err = replay.New(replay.Asked{
		Name:      fmt.Sprintf("partition %s from %s to %s", p.partition, p.from.Format(time.DateOnly), p.to.Format(time.DateOnly)),
		Partition: p.partition, Since: p.from, Until: p.to, Runs: runs, Seen: seen, Nodes: nodes, Accounts: accounts,
		Opting: bridge.Opting(f.Preempt), All: p.stoppable,
	})
	if err != nil {
		return err
	}
	p.Workload = p.site.Workload
	if p.unread != "" {
		p.Remarks = append(p.Remarks, p.unread)
	}
	return nil
}

// lastNodes are the nodes of the last stored cycle, all of them up, and with
// room for any job: the record does not know the cores that jobs had.
func lastNodes(ctx context.Context, db *stores.Stores, name, partition string) ([]policy.Node, error) {
	c, err := db.Cycle(ctx, name, partition, 0)
	if err != nil {
		return nil, fmt.Errorf("what nodes does partition %s have? Say it by --cluster: %w", partition, err)
	}
	var s policy.Snapshot
	if err := json.Unmarshal(c.Snapshot, &s); err != nil {
		return nil, fmt.Errorf("reading the snapshot of cycle %d: %w", c.Seq, err)
	}
	var nodes []policy.Node
	for _, n := range s.Nodes {
		n.Partitions, n.Down, n.CPUs, n.MemMB = []string{cluster.Partition}, "", 0, 0
		n.GPUs = slices.Clone(n.GPUs)
		for i := range n.GPUs {
			n.GPUs[i] = policy.Devices{Type: n.GPUs[i].Type, Count: n.GPUs[i].Count, Part: n.GPUs[i].Part}
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}
