package lastcycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"fairbridge/accounting/journal"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/policy"
)

// Store has the last cycles as they are stored; accounting/journal fills it.
type Store interface {
	LastCycles(ctx context.Context, cluster string, partitions []string) ([]journal.CycleHead, error)
	ReadCycle(ctx context.Context, cluster, partition string, seq uint64) (*journal.StoredCycle, error)
	Queue(ctx context.Context, cluster, partition string) ([]journal.QueueRow, error)
}

// freshFor is how long it is not asked again whether there is a newer cycle, retryAfter how long after
// the database did not answer, readTimeout how long it may take to, and newsTimeout how long it may take to say
// whether there is a newer one than those in memory.
const (
	freshFor    = time.Second
	retryAfter  = 5 * time.Second
	readTimeout = 10 * time.Second
	newsTimeout = 2 * time.Second
)

// Cache has the last cycle of each partition. The daemon that leads hands its cycles over (Note);
// elsewhere they are read from the database, their snapshots only when they are new. Requests ask
// it side by side; one at a time reads.
type Cache struct {
	store      Store
	cluster    string
	partitions []string
	maxAge     time.Duration // of a cycle that was handed over, beyond which the database is asked
	now        func() time.Time
	turn       chan struct{} // held by who reads

	mu            sync.Mutex // held for no longer than it takes to copy what is below
	cycleByName   map[string]*Cycle
	notedByName   map[string]*noted
	leads         bool // the newest cycle that was handed over is one that decided
	readAt, notAt time.Time
	readErr       error
}

// NewCache makes the cache of some partitions. Cycles handed over are believed for maxAge without asking
// the database.
func NewCache(store Store, cluster string, partitions []string, maxAge time.Duration, now func() time.Time) *Cache {
	return &Cache{
		store: store, cluster: cluster, partitions: slices.Clone(partitions), maxAge: maxAge, now: now, turn: make(chan struct{}, 1),
		cycleByName: map[string]*Cycle{}, notedByName: map[string]*noted{},
	}
}

// Cycles returns the last cycles by partition. With err they are those that are in memory: the database
// did not answer, or the context ended.
func (c *Cache) Cycles(ctx context.Context) (cycles []*Cycle, err error) {
	if list, fresh, err := c.held(); fresh {
		return list, err
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		list, _, _ := c.held()
		return list, ctx.Err()
	}
	if _, fresh, _ := c.held(); !fresh { // nobody else did meanwhile
		c.buildNoted()
		if !c.isLeading() {
			c.read(ctx)
		}
	}
	list, _, err := c.held()
	return list, err
}

// held returns what is in memory, and whether that need not be looked up again.
func (c *Cache) held() (cycles []*Cycle, fresh bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(c.cycleByName)) {
		cycles = append(cycles, c.cycleByName[name])
	}
	if len(c.notedByName) > 0 {
		return cycles, false, nil
	}
	if c.leadsNow() {
		return cycles, true, nil
	}
	age := c.now().Sub(c.readAt)
	return cycles, age >= 0 && (age < freshFor || c.readErr != nil && age < retryAfter), c.readErr
}

// leadsNow reports whether what was handed over is the newest there is.
func (c *Cache) leadsNow() bool {
	age := c.now().Sub(c.notAt)
	return c.leads && age < c.maxAge
}

func (c *Cache) isLeading() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leadsNow()
}

// read asks for the last cycles, and reads those that are new.
func (c *Cache) read(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	heads, err := c.readHeads(ctx)
	var found []*Cycle
	for i := range heads {
		if err != nil {
			break
		}
		if was := c.cycle(heads[i].Partition); was != nil && was.Seq == heads[i].Seq && was.At.Equal(heads[i].At) {
			continue
		}
		var one *Cycle
		if one, err = c.readCycle(ctx, &heads[i]); err == nil {
			found = append(found, one)
		}
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return // whoever asked is gone: it says nothing of the database
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range found {
		c.cycleByName[one.Partition] = one
	}
	c.readAt, c.readErr = c.now(), err
}

// readHeads asks which cycles are the last. One who waits for it has those in memory, so that it is not waited
// for long where there are any.
func (c *Cache) readHeads(ctx context.Context) ([]journal.CycleHead, error) {
	if known, _, _ := c.held(); len(known) > 0 {
		brief, cancel := context.WithTimeout(ctx, newsTimeout)
		defer cancel()
		ctx = brief
	}
	return c.store.LastCycles(ctx, c.cluster, c.partitions)
}

func (c *Cache) cycle(partition string) *Cycle {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cycleByName[partition]
}

// readCycle reads a cycle with its rows. One whose snapshot is no longer kept has rows alone.
func (c *Cache) readCycle(ctx context.Context, head *journal.CycleHead) (*Cycle, error) {
	rows, err := c.store.Queue(ctx, c.cluster, head.Partition)
	if err != nil {
		return nil, err
	}
	stored, err := c.store.ReadCycle(ctx, c.cluster, head.Partition, head.Seq)
	if errors.Is(err, journal.ErrNoSnapshot) || errors.Is(err, journal.ErrNoCycle) {
		return newCycle(head, nil, nil, rows), nil
	}
	if err != nil {
		return nil, err
	}
	s, err := stored.ParseSnapshot()
	if err != nil {
		return nil, fmt.Errorf("partition %s: %w", head.Partition, err)
	}
	return newCycle(head, stored.Refusals, s, rows), nil
}

// JobOwner returns whose job an address is; false: no cycle shows it.
func JobOwner(cycles []*Cycle, address string) (user, account string, known bool) {
	for _, c := range cycles {
		if r := c.FindRow(address); r != nil {
			return r.User, r.Account, true
		}
	}
	return "", "", false
}

// UserAccounts returns the accounts of a user as far as cycles show them.
func UserAccounts(cycles []*Cycle, name string) (accounts []string) {
	for _, c := range cycles {
		accounts = append(accounts, c.accountsByUser[name]...)
	}
	return accounts
}

// IsAccount reports whether cycles show an account of the name.
func IsAccount(cycles []*Cycle, name string) bool {
	return slices.ContainsFunc(cycles, func(c *Cycle) bool { return c.accountNames[name] })
}

// FindJob returns the row of a job in the cycle that shows it; nil: none does.
func FindJob(cycles []*Cycle, id policy.JobID) (*Cycle, int) {
	for _, c := range cycles {
		if i, ok := c.rowByJob[id]; ok {
			return c, i
		}
	}
	return nil, -1
}

// noted is a cycle that was handed over, whose rows are made when they are first asked for.
type noted struct {
	head        journal.CycleHead
	refusals    []bridge.Refusal
	snapshot    *policy.Snapshot
	plan        *policy.Plan
	reasonByJob map[policy.JobID]string
}

// Note takes over what a cycle of the daemon itself decided, without the database. It copies what
// the loop goes on with, and is quick: the loop waits for it. Snapshots and plans are shared: the
// loop makes them anew in each cycle and changes none that its report has.
func (c *Cache) Note(r *cycle.Report) {
	var list []*noted
	for i := range r.PartitionResults {
		if e := &r.PartitionResults[i]; e.Err == nil && e.Snapshot != nil && e.Plan != nil {
			list = append(list, newNoted(r, e))
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.Result == cycle.ResultStandby {
		c.leads = false
		return
	}
	for _, n := range list {
		c.notedByName[n.head.Partition] = n
	}
	if len(list) > 0 {
		c.leads, c.notAt = true, c.now()
	}
}

func newNoted(r *cycle.Report, e *cycle.PartitionResult) *noted {
	n := &noted{
		head: journal.CycleHead{
			Partition: e.Partition.Name, Seq: e.Snapshot.Seq, At: e.Snapshot.Now, Mode: e.Partition.Mode, Policy: e.Partition.Policy, Params: e.Partition.Params,
		},
		snapshot: e.Snapshot, plan: e.Plan, refusals: e.RecordedRefusals(), reasonByJob: map[policy.JobID]string{},
	}
	if r.View != nil {
		for i := range r.View.Jobs {
			j := &r.View.Jobs[i]
			n.reasonByJob[policy.JobID(j.ID)] = j.Reason
		}
	}
	return n
}

// buildNoted makes the cycles that were handed over ready to be asked. Who calls it holds the turn.
func (c *Cache) buildNoted() {
	c.mu.Lock()
	list := slices.Collect(maps.Values(c.notedByName))
	c.mu.Unlock()
	var built []*Cycle
	for _, n := range list {
		rows := decidedRows(n.head.Partition, n.snapshot, n.plan, n.reasonByJob)
		built = append(built, newCycle(&n.head, n.refusals, n.snapshot, rows))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, one := range built {
		c.cycleByName[one.Partition] = one
		if c.notedByName[one.Partition] == list[i] {
			delete(c.notedByName, one.Partition)
		}
	}
}
