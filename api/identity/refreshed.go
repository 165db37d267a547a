package identity

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"fairbridge/api"
)

// How often what Slurm says is read, after a failure, and how long it is believed: rights that
// were taken from somebody end by then, whatever fails.
const (
	refreshEvery   = 5 * time.Minute
	retryEvery     = 30 * time.Second
	MaxKnownAge    = 30 * time.Minute
	firstReadWait  = 3 * time.Second
	refreshTimeout = time.Minute
)

// refreshed is a value that is read again and again.
type refreshed[T any] struct {
	name string
	read func(context.Context) (T, error) // nil: it is never known
	now  func() time.Time
	log  *slog.Logger

	mu      sync.Mutex
	value   T
	readAt  time.Time     // zero: never
	lastErr string        // of the last reading; "": it succeeded
	first   chan struct{} // closed when it was read first, or could not be
}

// run reads the value until the context ends.
func (f *refreshed[T]) run(ctx context.Context) {
	if f.read == nil {
		return
	}
	for {
		wait := refreshEvery
		if !f.refresh(ctx) {
			wait = retryEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// refresh reads the value once, and says in the log when that begins to fail.
func (f *refreshed[T]) refresh(ctx context.Context) (ok bool) {
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	at := f.now() // from when on what is read may be changed
	value, err := f.read(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closeFirst()
	if err != nil {
		if f.lastErr == "" && ctx.Err() == nil {
			f.log.Warn("reading "+f.name+" failed", "error", err, "believed_until", f.readAt.Add(MaxKnownAge))
		}
		f.lastErr = err.Error()
		return false
	}
	f.value, f.readAt, f.lastErr = value, at, ""
	return true
}

// firstDone returns what is closed after the first reading.
func (f *refreshed[T]) firstDone() chan struct{} {
	if f.first == nil {
		f.first = make(chan struct{})
	}
	return f.first
}

func (f *refreshed[T]) closeFirst() {
	select {
	case <-f.firstDone():
	default:
		close(f.first)
	}
}

// get returns the value where it is known, and not for too long. While it is being read for the
// first time it waits a little.
func (f *refreshed[T]) get(ctx context.Context) (value T, known bool) {
	last := f.last(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if age := f.now().Sub(f.readAt); f.readAt.IsZero() || age > MaxKnownAge || age < -MaxKnownAge {
		return value, false
	}
	return last, true
}

// last returns the value that was read last, whenever that was. It waits as get does.
func (f *refreshed[T]) last(ctx context.Context) T {
	f.mu.Lock()
	first := f.firstDone()
	f.mu.Unlock()
	if f.read != nil {
		select {
		case <-first:
		case <-ctx.Done():
		case <-time.After(firstReadWait):
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.value
}

// PrivacyNow says what is private: as the configuration says, else as PrivateData of slurm.conf and
// of slurmdbd.conf together, else, while that of slurm.conf is not known, all of it.
func (i *Identifier) PrivacyNow() api.Privacy {
	if len(i.cfg.Private) > 0 {
		return privacyFromWords(i.cfg.Private, "configuration (api.private)")
	}
	ctx, cancel := context.WithTimeout(context.Background(), firstReadWait)
	defer cancel()
	values, known := i.slurmConf.get(ctx)
	text := strings.TrimSpace(values["PrivateData"])
	if !known || text == "" || text == "(null)" {
		return api.AllPrivate("PrivateData of slurm.conf is not known")
	}
	p := privacyFromWords(strings.Split(text, ","), "slurm.conf (PrivateData)")
	return i.addSlurmdbd(ctx, p)
}

// addSlurmdbd makes private besides what slurmdbd hides: jobs from sacct, and usage from sreport. What
// was read last stands until it is read anew, however long that takes.
func (i *Identifier) addSlurmdbd(ctx context.Context, p api.Privacy) api.Privacy {
	values := i.dbdConf.last(ctx)
	own := privacyFromWords(strings.Split(values["PrivateData"], ","), "")
	if own.Jobs && !p.Jobs || own.Usage && !p.Usage {
		p.Jobs, p.Usage, p.Source = p.Jobs || own.Jobs, p.Usage || own.Usage, "slurm.conf and slurmdbd.conf (PrivateData)"
	}
	return p
}

// privacyFromWords reads words as PrivateData has them. Those about what we do not show say nothing here.
func privacyFromWords(words []string, source string) api.Privacy {
	has := func(word string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			w = strings.TrimSpace(w)
			return strings.EqualFold(w, word) || strings.EqualFold(w, "all")
		})
	}
	return api.Privacy{Jobs: has("jobs"), Usage: has("usage"), Nodes: has("nodes"), Source: source}
}
