package localjournal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"fairbridge/bridge"
)

// closedRetention is how long a closed intent stays in the file: as long as the gate's
// budgets and the yielding to people look back.
const closedRetention = 25 * time.Hour

// defaultMaxBytes is the size at which the file is rewritten with what still counts.
const defaultMaxBytes = 8 << 20

// ErrInUse means that another process writes the file.
var ErrInUse = errors.New("another fairbridge process writes this journal: stop the daemon first, or release through the database")

// Journal is an open file. It is safe for concurrent use.
type Journal struct {
	mu           sync.Mutex
	path         string
	file         *os.File // nil when opened for reading, or lent
	isLent       bool
	lockFile     *os.File
	sizeBytes    int64
	maxBytes     int64
	intentByID   map[int64]bridge.Intent
	damageErrors []error
	now          func() time.Time
}

// Open opens the journal at path for writing, making it if it is not there.
// One process at a time may: others get ErrInUse. A last line that was cut off
// by a crash is dropped; damaged lines are skipped and told by Damage.
func Open(path string) (*Journal, error) {
	j := &Journal{path: path, maxBytes: defaultMaxBytes, intentByID: map[int64]bridge.Intent{}, now: time.Now}
	if err := j.openFile(); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the local journal: %w", err), j.Close())
	}
	return j, nil
}

// Read reads the journal at path, also while another process writes it. Nothing can be noted in it.
func Read(path string) (*Journal, error) {
	j := &Journal{path: path, intentByID: map[int64]bridge.Intent{}, now: time.Now}
	if _, err := j.readFile(); err != nil {
		return nil, fmt.Errorf("reading the local journal: %w", err)
	}
	return j, nil
}

// Close gives the file back.
func (j *Journal) Close() error {
	var errs []error
	for _, f := range []*os.File{j.file, j.lockFile} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	j.file, j.lockFile = nil, nil
	return errors.Join(errs...)
}

// DamageError joins what could not be read, each with file and line; nil when
// everything could.
func (j *Journal) DamageError() error { return errors.Join(j.damageErrors...) }

// WriteIntents writes the intents as they are now, and returns when they are on disk.
func (j *Journal) WriteIntents(list ...bridge.Intent) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.writeIntentsLocked(list)
}

func (j *Journal) writeIntentsLocked(list []bridge.Intent) error {
	if len(list) == 0 {
		return nil
	}
	if j.file == nil {
		return fmt.Errorf("noting intents in %s: it is open for reading only, or lent", j.path)
	}
	if err := j.appendLines(list); err != nil {
		return fmt.Errorf("noting intents in %s: %w", j.path, err)
	}
	for _, in := range list {
		j.intentByID[in.ID] = in
	}
	if j.sizeBytes > j.maxBytes {
		if err := j.rewriteFile(); err != nil {
			return fmt.Errorf("shortening %s: %w", j.path, err)
		}
	}
	return nil
}

// StoreIntents stores intents without a database, under ids of this file. It serves
// a release while Postgres is down, so there is no epoch to fence by.
func (j *Journal) StoreIntents(_ context.Context, _ *bridge.Cycle, intents []bridge.Intent) ([]bridge.Intent, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var last int64
	for id := range j.intentByID {
		last = max(last, id)
	}
	out := slices.Clone(intents)
	for i := range out {
		last++
		out[i].ID, out[i].State = last, bridge.IntentPlanned
	}
	if err := j.writeIntentsLocked(out); err != nil {
		return nil, err
	}
	return out, nil
}

// UpdateIntent stores an intent as it is now.
func (j *Journal) UpdateIntent(_ context.Context, in bridge.Intent) error { return j.WriteIntents(in) }

// Intents returns the cluster's intents that are not closed or were closed
// after since, by ID.
func (j *Journal) Intents(_ context.Context, cluster string, _, since time.Time) ([]bridge.Intent, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var out []bridge.Intent
	for _, in := range j.intentByID {
		if in.Cluster == cluster && isOpenOrClosedSince(&in, since) {
			out = append(out, in)
		}
	}
	sortByID(out)
	return out, nil
}

// isOpenOrClosedSince reports whether an intent is not closed, or was closed after since.
func isOpenOrClosedSince(in *bridge.Intent, since time.Time) bool {
	return in.State.IsOpen() || in.State == bridge.IntentObserved || in.Closed.After(since)
}

func sortByID(list []bridge.Intent) {
	slices.SortFunc(list, func(a, b bridge.Intent) int { return cmp.Compare(a.ID, b.ID) })
}
