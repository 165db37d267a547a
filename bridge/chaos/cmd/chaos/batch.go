package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"fairbridge/bridge/chaos"
)

// batch is a range of seeds to be played.
type batch struct {
	from, to uint64
	cycles   int
	state    string
	workers  int
	tries    int
	last     int
	quiet    bool
	parts    chaos.Parts

	mu     sync.Mutex
	done   map[uint64]bool // with their ends
	broken map[uint64]string
	rules  map[string]int
	out    io.Writer
	began  time.Time
	jobs   int
	stops  int
	sent   int
	doubts int
}

// run plays what is not done yet and returns how many seeds broke something, those
// of earlier runs counted.
func (b *batch) run() (broken int, err error) {
	b.done, b.broken, b.rules, b.began, b.out = map[uint64]bool{}, map[uint64]string{}, map[string]int{}, time.Now(), io.Discard
	if b.state != "" {
		file, err := b.resume()
		if err != nil {
			return 0, err
		}
		defer func() { _ = file.Close() }()
		b.out = file
	}
	work := make(chan uint64)
	var group sync.WaitGroup
	for range b.workers {
		group.Go(func() {
			for seed := range work {
				b.runSeed(seed)
			}
		})
	}
	for seed := b.from; seed <= b.to; seed++ {
		if !b.done[seed] {
			work <- seed
		}
	}
	close(work)
	group.Wait()
	b.printSummary()
	return len(b.broken), nil
}

// resume reads the state file, whose first line says what it is of, and opens it
// for more.
func (b *batch) resume() (*os.File, error) {
	head := fmt.Sprintf("chaos of %d cycles, all %t", b.cycles, b.parts.All)
	f, err := os.OpenFile(b.state, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the state: %w", err)
	}
	scan, first := bufio.NewScanner(f), true
	for ; scan.Scan(); first = false {
		line := scan.Text()
		if first && line != head {
			return nil, fmt.Errorf("%s is of %q, not of %q: give another --state", b.state, line, head)
		}
		var seed uint64
		if n, _ := fmt.Sscanf(line, "seed %d", &seed); n == 1 {
			b.done[seed] = true
			if _, rule, bad := strings.Cut(line, " broken "); bad {
				b.broken[seed] = rule
				b.rules[rule]++
			}
		}
	}
	if first {
		fmt.Fprintln(f, head)
	}
	return f, scan.Err()
}

// runSeed plays a seed.
func (b *batch) runSeed(seed uint64) {
	o, err := chaos.Seed(seed, b.cycles, b.parts)
	line, text := fmt.Sprintf("seed %d held", seed), ""
	if err == nil && len(o.Breaches) > 0 && !b.quiet {
		text = b.describe(o)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "chaos: seed %d: %v\n", seed, err)
		b.broken[seed] = "harness"
		return
	case len(o.Breaches) > 0:
		rule := o.Breaches[0].Rule
		b.broken[seed] = rule
		b.rules[rule]++
		line = fmt.Sprintf("seed %d broken %s", seed, rule)
		fmt.Print(text)
	}
	b.done[seed] = true
	b.jobs, b.stops = b.jobs+o.Jobs, b.stops+o.Stops
	for _, n := range o.Sent {
		b.sent += n
	}
	for _, n := range o.Doubts {
		b.doubts += n
	}
	fmt.Fprintln(b.out, line)
	if n := len(b.done); n%50 == 0 {
		fmt.Fprintf(os.Stderr, "chaos: %d of %d seeds, %d broke something, %v\n", n, b.to-b.from+1, len(b.broken), time.Since(b.began).Round(time.Second))
	}
}

// printSummary says what came of it.
func (b *batch) printSummary() {
	fmt.Printf("%d seeds of %d cycles: %d broke something. %d jobs, %d writes sent, %d jobs stopped, %d cycles in doubt, in %v.\n",
		len(b.done), b.cycles, len(b.broken), b.jobs, b.sent, b.stops, b.doubts, time.Since(b.began).Round(time.Second))
	for _, rule := range slices.Sorted(maps.Keys(b.rules)) {
		fmt.Printf("  %s: %d\n", rule, b.rules[rule])
	}
}
