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
	Store      Store
	Spool      *Spool
	Cluster    string
	Log        *slog.Logger
	Timeout    time.Duration // of one attempt to store
	RetryEvery time.Duration // between attempts while there is something spooled

	queueChannel  chan []samples.Reading
	makeQueueOnce sync.Once
	mu            sync.Mutex
	state         RecorderState
	unstoredLoss  LostReadings // not in the database yet
}

// RecorderState is how a recorder stands.
type RecorderState struct {
	StoredCount  uint64 // readings stored since the start
	LostCount    uint64 // readings lost since the start
	SpooledCount int    // readings spooled
	SpooledBytes int64  // on disk
	StoreFailure string // why storing fails; "" when it does not
}

// maxQueuedBatches is how many batches wait for the recorder before they count as lost:
// it is away for seconds at most.
const maxQueuedBatches = 16

func (r *Recorder) queue() chan []samples.Reading {
	r.makeQueueOnce.Do(func() { r.queueChannel = make(chan []samples.Reading, maxQueuedBatches) })
	return r.queueChannel
}

// Enqueue hands readings over, without waiting.
func (r *Recorder) Enqueue(list []samples.Reading) {
	if len(list) == 0 {
		return
	}
	select {
	case r.queue() <- list:
	default:
		b := newBatch(0, list)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.unstoredLoss.addBatch(&b)
		r.state.LostCount += uint64(b.readingCount)
	}
}

// State returns how the recorder stands.
func (r *Recorder) State() RecorderState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// Run stores what is handed over until the context ends. What cannot be stored
// then is spooled for the next start.
func (r *Recorder) Run(ctx context.Context) {
	again := time.NewTicker(r.RetryEvery)
	defer again.Stop()
	r.storeSpooled(ctx)
	for {
		select {
		case list := <-r.queue():
			r.storeOrSpool(ctx, list)
		case <-again.C:
			r.storeSpooled(ctx)
		case <-ctx.Done():
			r.storeQueued()
			return
		}
	}
}

// storeOrSpool stores fresh readings, or spools them: always behind older ones.
func (r *Recorder) storeOrSpool(ctx context.Context, list []samples.Reading) {
	if held, _ := r.Spool.Size(); held == 0 {
		err := r.storeReadings(ctx, list)
		if err == nil || samples.IsDataRefused(err) {
			r.logOutcome(list, err)
			return
		}
		r.logFailureChange(err)
	}
	r.spoolReadings(list)
}

// logOutcome notes what came of readings that need not be kept.
func (r *Recorder) logOutcome(list []samples.Reading, err error) {
	if err == nil {
		r.logFailureChange(nil)
		return
	}
	b := newBatch(0, list)
	r.mu.Lock()
	r.unstoredLoss.addBatch(&b)
	r.state.LostCount += uint64(b.readingCount)
	r.mu.Unlock()
	r.Log.Error("the database refuses GPU readings; they are dropped", "readings", len(list), "error", err)
}

func (r *Recorder) spoolReadings(list []samples.Reading) {
	if err := r.Spool.AddBatch(list); err != nil {
		r.Log.Error("GPU readings are lost", "error", err)
	}
	r.updateState()
}

// storeSpooled stores what is spooled, the oldest first, as long as that works.
func (r *Recorder) storeSpooled(ctx context.Context) {
	for ctx.Err() == nil {
		list, ok := r.Spool.ReadOldest()
		if !ok {
			break
		}
		err := r.storeReadings(ctx, list)
		switch {
		case err == nil:
			err = r.Spool.RemoveOldest()
		case samples.IsDataRefused(err):
			r.Log.Error("the database refuses spooled GPU readings; they are dropped", "readings", len(list), "error", err)
			err = r.Spool.DiscardOldest()
		}
		r.logFailureChange(err)
		r.updateState()
		if err != nil {
			return
		}
	}
	r.updateState()
	r.storeLoss(ctx)
}

func (r *Recorder) storeReadings(ctx context.Context, list []samples.Reading) error {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	err := r.Store.RecordReadings(ctx, r.Cluster, list)
	if err == nil {
		r.mu.Lock()
		r.state.StoredCount += uint64(len(list))
		r.mu.Unlock()
	}
	return err
}

// logFailureChange logs a change, not a state.
func (r *Recorder) logFailureChange(err error) {
	why := ""
	if err != nil {
		why = err.Error()
	}
	r.mu.Lock()
	before := r.state.StoreFailure
	r.state.StoreFailure = why
	held := r.state.SpooledCount
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
	lost := r.Spool.TakeLost()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.SpooledCount, r.state.SpooledBytes = held, bytes
	if lost.Count > 0 {
		first := r.unstoredLoss.Count == 0
		r.unstoredLoss.addLost(lost)
		r.state.LostCount += uint64(lost.Count)
		if first {
			r.Log.Error("the spool of GPU readings is full: the oldest are lost", "from", lost.From, "spooled", held)
		}
	}
}

// storeLoss writes what was lost to the database, once it can be reached again.
func (r *Recorder) storeLoss(ctx context.Context) {
	r.mu.Lock()
	gap := r.unstoredLoss
	r.unstoredLoss = LostReadings{}
	r.mu.Unlock()
	if gap.Count == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	if err := r.Store.RecordGap(ctx, r.Cluster, gap.From, gap.To, gap.Count); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.unstoredLoss.addLost(gap)
		return
	}
	r.Log.Error("GPU readings were lost", "readings", gap.Count, "from", gap.From, "to", gap.To)
}

// shutdownTimeout is how long storing may take once the recorder stops.
const shutdownTimeout = 3 * time.Second

// storeQueued stores what is still waiting when the recorder stops, or spools it for
// the next start.
func (r *Recorder) storeQueued() {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
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

func (l *LostReadings) addLost(o LostReadings) {
	if o.Count > 0 {
		l.addBatch(&batch{readingCount: o.Count, from: o.From, to: o.To})
	}
}
