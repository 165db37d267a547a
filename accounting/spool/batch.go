package spool

import (
	"bufio"
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fairbridge/accounting/samples"
)

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
