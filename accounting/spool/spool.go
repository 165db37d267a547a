package spool

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"fairbridge/accounting/samples"
)

// Lost is what a spool had to let go.
type Lost struct {
	Readings int       // 0: nothing
	From, To time.Time // of the readings lost; zero when nothing was
}

// add counts more.
func (l *Lost) add(b *batch) {
	if l.Readings == 0 || b.from.Before(l.From) {
		l.From = b.from
	}
	if b.to.After(l.To) {
		l.To = b.to
	}
	l.Readings += b.rows
}

// Spool is a directory of batches of readings. It is not safe for concurrent
// use.
type Spool struct {
	dir   string
	most  int64 // bytes
	held  []batch
	bytes int64
	next  uint64
	lost  Lost
}

// Open returns the spool in the directory, which is made if need be, with what
// an earlier process left there. It holds at most so many bytes; without a
// directory it holds nothing, and all it is given is lost.
func Open(dir string, most int64) (*Spool, error) {
	if dir == "" {
		return &Spool{}, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the spool of GPU readings: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("reading the spool of GPU readings: %w", err)
	}
	s := &Spool{dir: dir, most: most}
	for _, e := range entries {
		info, err := e.Info()
		b, ok := parseName(e.Name())
		if err != nil || !ok {
			continue // a file of somebody else, or one that was being written
		}
		b.size = info.Size()
		s.held, s.bytes, s.next = append(s.held, b), s.bytes+b.size, max(s.next, b.seq+1)
	}
	slices.SortFunc(s.held, func(a, b batch) int { return int(a.seq) - int(b.seq) })
	return s, nil
}

// Add keeps readings, letting the oldest go when there is no room. The error
// says that they could not be written; they count as lost then.
func (s *Spool) Add(list []samples.Reading) error {
	if len(list) == 0 {
		return nil
	}
	b := describe(s.next, list)
	s.next++
	if s.dir == "" {
		s.lost.add(&b)
		return nil
	}
	var err error
	if b.size, err = write(s.dir, &b, list); err != nil {
		s.lost.add(&b)
		return fmt.Errorf("spooling GPU readings: %w", err)
	}
	s.held, s.bytes = append(s.held, b), s.bytes+b.size
	return s.shrink()
}

func (s *Spool) shrink() error {
	var errs []error
	for s.bytes > s.most && len(s.held) > 0 {
		s.lost.add(&s.held[0])
		errs = append(errs, s.drop())
	}
	return errors.Join(errs...)
}

// drop removes the oldest batch.
func (s *Spool) drop() error {
	b := s.held[0]
	s.held, s.bytes = s.held[1:], s.bytes-b.size
	if err := os.Remove(filepath.Join(s.dir, b.name())); err != nil {
		return fmt.Errorf("removing spooled GPU readings: %w", err)
	}
	return nil
}

// Oldest returns the batch that was kept first; ok is false when there is none.
// One that cannot be read is let go, and the next returned.
func (s *Spool) Oldest() (list []samples.Reading, ok bool) {
	for len(s.held) > 0 {
		b := s.held[0]
		list, err := read(s.dir, &b)
		if err == nil {
			return list, true
		}
		s.lost.add(&b)
		_ = s.drop()
	}
	return nil, false
}

// Done removes the oldest batch: it is stored.
func (s *Spool) Done() error { return s.drop() }

// Refuse lets the oldest batch go: it can never be stored.
func (s *Spool) Refuse() error {
	s.lost.add(&s.held[0])
	return s.drop()
}

// Size returns how many readings wait, and their bytes on disk.
func (s *Spool) Size() (readings int, bytes int64) {
	for _, b := range s.held {
		readings += b.rows
	}
	return readings, s.bytes
}

// Lost returns what was let go since it was asked last.
func (s *Spool) Lost() Lost {
	l := s.lost
	s.lost = Lost{}
	return l
}
