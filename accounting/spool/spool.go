// Package spool keeps GPU readings on disk while the database cannot be
// reached, up to a limit, and counts what it had to let go. The oldest go
// first.
package spool

import (
	"bufio"
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"fairbridge/accounting/samples"
)

// LostReadings is what a spool had to let go.
type LostReadings struct {
	Count    int       // 0: nothing
	From, To time.Time // of the readings lost; zero when nothing was
}

// addBatch counts more.
func (l *LostReadings) addBatch(b *batch) {
	if l.Count == 0 || b.from.Before(l.From) {
		l.From = b.from
	}
	if b.to.After(l.To) {
		l.To = b.to
	}
	l.Count += b.readingCount
}

// Spool is a directory of batches of readings. It is not safe for concurrent
// use.
type Spool struct {
	dir        string
	maxBytes   int64 // bytes
	batches    []batch
	totalBytes int64
	nextSeq    uint64
	lost       LostReadings
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
	s := &Spool{dir: dir, maxBytes: most}
	for _, e := range entries {
		info, err := e.Info()
		b, ok := parseFileName(e.Name())
		if err != nil || !ok {
			continue // a file of somebody else, or one that was being written
		}
		b.sizeBytes = info.Size()
		s.batches, s.totalBytes, s.nextSeq = append(s.batches, b), s.totalBytes+b.sizeBytes, max(s.nextSeq, b.seq+1)
	}
	slices.SortFunc(s.batches, func(a, b batch) int { return int(a.seq) - int(b.seq) })
	return s, nil
}

// AddBatch keeps readings, letting the oldest go when there is no room. The error
// says that they could not be written; they count as lost then.
func (s *Spool) AddBatch(list []samples.Reading) error {
	if len(list) == 0 {
		return nil
	}
	b := newBatch(s.nextSeq, list)
	s.nextSeq++
	if s.dir == "" {
		s.lost.addBatch(&b)
		return nil
	}
	var err error
	if b.sizeBytes, err = writeBatch(s.dir, &b, list); err != nil {
		s.lost.addBatch(&b)
		return fmt.Errorf("spooling GPU readings: %w", err)
	}
	s.batches, s.totalBytes = append(s.batches, b), s.totalBytes+b.sizeBytes
	return s.dropOverLimit()
}

func (s *Spool) dropOverLimit() error {
	var errs []error
	for s.totalBytes > s.maxBytes && len(s.batches) > 0 {
		s.lost.addBatch(&s.batches[0])
		errs = append(errs, s.RemoveOldest())
	}
	return errors.Join(errs...)
}

// RemoveOldest removes the oldest batch: it is stored, or there is no room.
func (s *Spool) RemoveOldest() error {
	b := s.batches[0]
	s.batches, s.totalBytes = s.batches[1:], s.totalBytes-b.sizeBytes
	if err := os.Remove(filepath.Join(s.dir, b.fileName())); err != nil {
		return fmt.Errorf("removing spooled GPU readings: %w", err)
	}
	return nil
}

// ReadOldest returns the batch that was kept first; ok is false when there is none.
// One that cannot be read is let go, and the next returned.
func (s *Spool) ReadOldest() (list []samples.Reading, ok bool) {
	for len(s.batches) > 0 {
		b := s.batches[0]
		list, err := readBatch(s.dir, &b)
		if err == nil {
			return list, true
		}
		s.lost.addBatch(&b)
		_ = s.RemoveOldest()
	}
	return nil, false
}

// DiscardOldest lets the oldest batch go: it can never be stored.
func (s *Spool) DiscardOldest() error {
	s.lost.addBatch(&s.batches[0])
	return s.RemoveOldest()
}

// Size returns how many readings wait, and their bytes on disk.
func (s *Spool) Size() (readings int, bytes int64) {
	for _, b := range s.batches {
		readings += b.readingCount
	}
	return readings, s.totalBytes
}

// TakeLost returns what was let go since it was asked last.
func (s *Spool) TakeLost() LostReadings {
	l := s.lost
	s.lost = LostReadings{}
	return l
}

// batch is a file of readings. Its name says what it holds, so that a batch
// that is let go, or cannot be read, can still be counted.
type batch struct {
	seq          uint64
	readingCount int
	from, to     time.Time
	sizeBytes    int64 // bytes of the file
}

func newBatch(seq uint64, list []samples.Reading) batch {
	b := batch{seq: seq, readingCount: len(list), from: list[0].At, to: list[0].At}
	for i := range list {
		if at := list[i].At; at.Before(b.from) {
			b.from = at
		} else if at.After(b.to) {
			b.to = at
		}
	}
	return b
}

const fileNamePattern = "%016x-%d-%d-%d.readings"

func (b *batch) fileName() string {
	return fmt.Sprintf(fileNamePattern, b.seq, b.readingCount, b.from.UnixMilli(), b.to.UnixMilli())
}

func parseFileName(name string) (b batch, ok bool) {
	var from, to int64
	n, err := fmt.Sscanf(name, fileNamePattern, &b.seq, &b.readingCount, &from, &to)
	b.from, b.to = time.UnixMilli(from), time.UnixMilli(to)
	return b, err == nil && n == 4 && b.readingCount > 0 && b.fileName() == name
}

// writeBatch makes the file, whole or not at all, and returns its size.
func writeBatch(dir string, b *batch, list []samples.Reading) (size int64, err error) {
	f, err := os.CreateTemp(dir, ".new-")
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	err = errors.Join(encodeReadings(f, list), f.Sync(), f.Close())
	if err != nil {
		return 0, err
	}
	if err = os.Rename(f.Name(), filepath.Join(dir, b.fileName())); err != nil {
		return 0, err
	}
	info, err := os.Stat(filepath.Join(dir, b.fileName()))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func encodeReadings(f *os.File, list []samples.Reading) error {
	out := bufio.NewWriter(f)
	packed, err := gzip.NewWriterLevel(out, gzip.BestSpeed)
	if err != nil {
		return err
	}
	return errors.Join(gob.NewEncoder(packed).Encode(list), packed.Close(), out.Flush())
}

func readBatch(dir string, b *batch) ([]samples.Reading, error) {
	f, err := os.Open(filepath.Join(dir, b.fileName()))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	packed, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, err
	}
	var list []samples.Reading
	if err := gob.NewDecoder(packed).Decode(&list); err != nil {
		return nil, err
	}
	if len(list) != b.readingCount {
		return nil, fmt.Errorf("%d readings where the name says %d", len(list), b.readingCount)
	}
	return list, packed.Close()
}
