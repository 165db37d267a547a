package spool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/accounting/samples"
	"fairbridge/accounting/spool"
	"fairbridge/policy"
)

var t0 = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

// look is what n GPUs show in round i.
func look(i, n int) []samples.Reading {
	var list []samples.Reading
	for g := range n {
		list = append(list, samples.Reading{
			At: t0.Add(time.Duration(i) * 15 * time.Second), Node: "n1", UUID: fmt.Sprintf("GPU-%04d", g), Type: "a100", Job: 7,
			Busy: policy.KnownValue(float64(i*g%7) / 7), ProcessCount: policy.KnownValue(1), JobsOnGPU: 1,
		})
	}
	return list
}

// stored compares what is stored of readings; the rest of one is for the cycle that made it.
var stored = cmpopts.IgnoreUnexported(samples.Reading{})

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string, most int64) *spool.Spool {
	t.Helper()
	s, err := spool.Open(dir, most)
	must(t, err)
	return s
}

func TestSpoolKeepsOrderAcrossRestarts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	s := open(t, dir, 1<<20)
	for i := range 3 {
		must(t, s.AddBatch(look(i, 4)))
	}
	must(t, s.AddBatch(nil))
	must(t, os.WriteFile(filepath.Join(dir, ".new-123"), []byte("half"), 0o600)) // a write that was cut off
	s = open(t, dir, 1<<20)
	must(t, s.AddBatch(look(3, 4)))
	for i := range 4 {
		list, ok := s.ReadOldest()
		if d := cmp.Diff(look(i, 4), list, stored); !ok || d != "" {
			t.Fatalf("batch %d: %v %s", i, ok, d)
		}
		must(t, s.RemoveOldest())
	}
	if _, ok := s.ReadOldest(); ok {
		t.Error("more than was added")
	}
	if n, bytes := s.Size(); n != 0 || bytes != 0 || s.TakeLost().Count != 0 {
		t.Errorf("%d readings, %d bytes are left", n, bytes)
	}
}

func TestSpoolIsBoundedAndCounts(t *testing.T) {
	dir := t.TempDir()
	probe := open(t, dir, 1<<30)
	must(t, probe.AddBatch(look(0, 100)))
	_, one := probe.Size()
	must(t, probe.RemoveOldest())
	s := open(t, dir, 5*one)
	const rounds = 20
	for i := range rounds {
		must(t, s.AddBatch(look(i, 100)))
		if _, bytes := s.Size(); bytes > 5*one {
			t.Fatalf("%d bytes held, at most %d", bytes, 5*one)
		}
	}
	held, _ := s.Size()
	lost := s.TakeLost()
	if held+lost.Count != rounds*100 || lost.Count == 0 || held < 200 {
		t.Errorf("%d held and %d lost of %d", held, lost.Count, rounds*100)
	}
	first, _ := s.ReadOldest()
	if gap := first[0].At.Sub(lost.To); !lost.From.Equal(t0) || gap != 15*time.Second {
		t.Errorf("lost from %v to %v, the oldest left is of %v", lost.From, lost.To, first[0].At)
	}
	if s.TakeLost().Count != 0 {
		t.Error("told twice")
	}
}

func TestSpoolLetsDamageGo(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, 1<<20)
	must(t, s.AddBatch(look(0, 3)))
	must(t, s.AddBatch(look(1, 3)))
	files, err := filepath.Glob(filepath.Join(dir, "*.readings"))
	must(t, err)
	must(t, os.Truncate(files[0], 20))
	s = open(t, dir, 1<<20)
	list, ok := s.ReadOldest()
	if d := cmp.Diff(look(1, 3), list, stored); !ok || d != "" || s.TakeLost().Count != 3 {
		t.Errorf("%v %s", ok, d)
	}
	must(t, os.RemoveAll(dir))
	if err := s.AddBatch(look(2, 3)); err == nil || s.TakeLost().Count != 3 {
		t.Errorf("a directory that is gone: %v", err)
	}
}
