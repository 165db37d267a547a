package spool

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"fairbridge/accounting/samples"
)

// Store is where readings belong.
type Store interface {
	RecordReadings(ctx context.Context, cluster string, list []samples.Reading) error
	RecordGap(ctx context.Context, cluster string, from, to time.Time, readings int) error
}

// Recorder stores readings beside the cycle that brings them, and spools them
// while that fails.
type Recorder struct {
	Store   Store
	Spool   *Spool
	Cluster string
	Log     *slog.Logger
	Timeout time.Duration // of one attempt to store
	Retry   time.Duration // between attempts while there is something spooled

	fresh   chan []samples.Reading
	started sync.Once
	mu      sync.Mutex
	state   State
	gap     Lost // not in the database yet
}

// State is how a recorder stands.
type State struct {
	Stored  uint64 // readings stored since the start
	Lost    uint64 // readings lost since the start
	Held    int    // readings spooled
	Bytes   int64  // on disk
	Trouble string // why storing fails; "" when it does not
}

// queueLength is how many batches wait for the recorder before they count as lost:
// it is away for seconds at most.
const queueLength = 16

func (r *Recorder) queue() chan []samples.Reading {
	r.started.Do(func() { r.fresh = make(chan []samples.Reading, queueLength) })
	return r.fresh
}

// Keep hands readings over, without waiting.
func (r *Recorder) Keep(list []samples.Reading) {
	if len(list) == 0 {
		return
	}
	select {
	case r.queue() <- list:
	default:
		b := describe(0, list)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.gap.add(&b)
		r.state.Lost += uint64(b.rows)
	}
}

// State returns how the recorder stands.
func (r *Recorder) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Run stores what is handed over until the context ends. What cannot be stored
// then is spooled for the next start.
func (r *Recorder) Run(ctx context.Context) {
	again := time.NewTicker(r.Retry)
	defer again.Stop()
	r.drain(ctx)
	for {
		select {
		case list := <-r.queue():
			r.storeOrSpool(ctx, list)
		case <-again.C:
			r.drain(ctx)
		case <-ctx.Done():
			r.storeRest()
			return
		}
	}
}

// storeOrSpool stores fresh readings, or spools them: always behind older ones.
func (r *Recorder) storeOrSpool(ctx context.Context, list []samples.Reading) {
	if held, _ := r.Spool.Size(); held == 0 {
		err := r.store(ctx, list)
		if err == nil || samples.IsRefused(err) {
			r.logOutcome(list, err)
			return
		}
		r.logTrouble(err)
	}
	r.spool(list)
}

// logOutcome notes what came of readings that need not be kept.
func (r *Recorder) logOutcome(list []samples.Reading, err error) {
	if err == nil {
		r.logTrouble(nil)
		return
	}
	b := describe(0, list)
	r.mu.Lock()
	r.gap.add(&b)
	r.state.Lost += uint64(b.rows)
	r.mu.Unlock()
	r.Log.Error("the database refuses GPU readings; they are dropped", "readings", len(list), "error", err)
}

func (r *Recorder) spool(list []samples.Reading) {
	if err := r.Spool.Add(list); err != nil {
		r.Log.Error("GPU readings are lost", "error", err)
	}
	r.updateState()
}

// drain stores what is spooled, the oldest first, as long as that works.
func (r *Recorder) drain(ctx context.Context) {
	for ctx.Err() == nil {
		list, ok := r.Spool.Oldest()
		if !ok {
			break
		}
		err := r.store(ctx, list)
		switch {
		case err == nil:
			err = r.Spool.Done()
		case samples.IsRefused(err):
			r.Log.Error("the database refuses spooled GPU readings; they are dropped", "readings", len(list), "error", err)
			err = r.Spool.Refuse()
		}
		r.logTrouble(err)
		r.updateState()
		if err != nil {
			return
		}
	}
	r.updateState()
	r.storeGap(ctx)
}

func (r *Recorder) store(ctx context.Context, list []samples.Reading) error {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	err := r.Store.RecordReadings(ctx, r.Cluster, list)
	if err == nil {
		r.mu.Lock()
		r.state.Stored += uint64(len(list))
		r.mu.Unlock()
	}
	return err
}

// logTrouble logs a change, not a state.
func (r *Recorder) logTrouble(err error) {
	why := ""
	if err != nil {
		why = err.Error()
	}
	r.mu.Lock()
	before := r.state.Trouble
	r.state.Trouble = why
	held := r.state.Held
	r.mu.Unlock()
	switch {
	case before == "" && why != "":
		r.Log.Warn("GPU readings are spooled until the database takes them", "error", why)
	case before != "" && why == "":
		r.Log.Info("the database takes GPU readings again", "spooled", held)
	}
}

// updateState notes how the spool stands and what it lost.
func (r *Recorder) updateState() {
	held, bytes := r.Spool.Size()
	lost := r.Spool.Lost()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Held, r.state.Bytes = held, bytes
	if lost.Readings > 0 {
		first := r.gap.Readings == 0
		r.gap.merge(lost)
		r.state.Lost += uint64(lost.Readings)
		if first {
			r.Log.Error("the spool of GPU readings is full: the oldest are lost", "from", lost.From, "spooled", held)
		}
	}
}

// storeGap writes what was lost to the database, once it can be reached again.
func (r *Recorder) storeGap(ctx context.Context) {
	r.mu.Lock()
	gap := r.gap
	r.gap = Lost{}
	r.mu.Unlock()
	if gap.Readings == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	if err := r.Store.RecordGap(ctx, r.Cluster, gap.From, gap.To, gap.Readings); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.gap.merge(gap)
		return
	}
	r.Log.Error("GPU readings were lost", "readings", gap.Readings, "from", gap.From, "to", gap.To)
}

// shutdownTime is how long storing may take once the recorder stops.
const shutdownTime = 3 * time.Second

// storeRest stores what is still waiting when the recorder stops, or spools it for
// the next start.
func (r *Recorder) storeRest() {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	for {
		select {
		case list := <-r.queue():
			r.storeOrSpool(ctx, list)
		default:
			return
		}
	}
}

func (l *Lost) merge(o Lost) {
	if o.Readings > 0 {
		l.add(&batch{rows: o.Readings, from: o.From, to: o.To})
	}
}
