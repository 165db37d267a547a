// Command chaos plays many seeds of package chaos, and goes on where it stopped.
//
//	go run ./gear/chaos/cmd/chaos --seeds 1-2000 --cycles 200 --state chaos.state
//
// It ends with status 1 if a sentence of the oracle was broken in any seed, and
// prints for each the seed, a shortened list of what went wrong, and the last lines
// before it.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos"
	"fairbridge/gear/chaos/event"
)

func main() {
	b := batch{workerCount: runtime.GOMAXPROCS(0)}
	seeds := flag.String("seeds", "1-200", "seeds to play: `FIRST-LAST`, or one")
	flag.IntVar(&b.cycleCount, "cycles", 200, "cycles of each seed")
	flag.StringVar(&b.stateFile, "state", "", "`FILE` to write finished seeds to, and to go on from")
	flag.IntVar(&b.workerCount, "workers", b.workerCount, "seeds played at once")
	flag.IntVar(&b.maxShrinkRuns, "shrink", 300, "runs spent on shortening what a failing seed does; 0: none")
	flag.BoolVar(&b.overrides.ReportsKnownBreaches, "all", false, "also what is known not to hold yet")
	flag.IntVar(&b.shownLineCount, "last", 40, "lines shown before a breach")
	flag.BoolVar(&b.isSummaryOnly, "summary", false, "only count what was broken")
	flag.Parse()
	if _, err := fmt.Sscanf(*seeds, "%d-%d", &b.firstSeed, &b.lastSeed); err != nil {
		if _, err := fmt.Sscanf(*seeds, "%d", &b.firstSeed); err != nil {
			fmt.Fprintf(os.Stderr, "chaos: --seeds %s: write FIRST-LAST\n", *seeds)
			os.Exit(2)
		}
		b.lastSeed = b.firstSeed
	}
	broken, err := b.run()
	if err != nil {
		fmt.Fprintf(os.Stderr, "chaos: %v\n", err)
		os.Exit(2)
	}
	if broken > 0 {
		os.Exit(1)
	}
}

// describeOutcome prints what a seed broke.
func (b *batch) describeOutcome(o *chaos.Outcome) string {
	var s strings.Builder
	fmt.Fprintln(&s, o.Site)
	for _, x := range o.Breaches {
		fmt.Fprintln(&s, "  broken:", x)
	}
	events := o.Events
	if b.maxShrinkRuns > 0 {
		events = chaos.ShrinkEvents(o.Site, events, b.overrides, o.Breaches[0].Rule, b.maxShrinkRuns)
		if again, err := chaos.RunTrial(o.Site, events, b.overrides); err == nil && len(again.Breaches) > 0 {
			o = again
		}
		fmt.Fprintf(&s, "  %d events are enough for %v:\n%s", len(events), o.Breaches[0], event.FormatEvents(events))
	}
	fmt.Fprintln(&s, "  the last lines before it:")
	for _, line := range o.LastLines[max(0, len(o.LastLines)-b.shownLineCount):] {
		fmt.Fprintln(&s, "   ", line)
	}
	return s.String()
}

// batch is a range of seeds to be played.
type batch struct {
	firstSeed, lastSeed uint64
	cycleCount          int
	stateFile           string
	workerCount         int
	maxShrinkRuns       int
	shownLineCount      int
	isSummaryOnly       bool
	overrides           chaos.Overrides

	mu                 sync.Mutex
	finishedSeeds      map[uint64]bool // with their ends
	brokenRuleBySeed   map[uint64]string
	brokenCountByRule  map[string]int
	seedsByCause       map[string]int // seeds with a breach that is known, by cause
	seedsByExcuse      map[string]int // seeds in which something was let pass, by excuse
	stateWriter        io.Writer
	startTime          time.Time
	jobCount           int
	stopCount          int
	shardCount         int // edits that ask for shards
	sharedCount        int // GPUs that jobs shared by them, summed over the cycles
	sentWriteCount     int
	doubtfulCycleCount int
}

// run plays what is not done yet and returns how many seeds broke something, those
// of earlier runs counted.
func (b *batch) run() (broken int, err error) {
	b.finishedSeeds, b.brokenRuleBySeed, b.brokenCountByRule, b.startTime, b.stateWriter = map[uint64]bool{}, map[uint64]string{}, map[string]int{}, time.Now(), io.Discard
	if b.stateFile != "" {
		file, err := b.openStateFile()
		if err != nil {
			return 0, err
		}
		defer func() { _ = file.Close() }()
		b.stateWriter = file
	}
	b.seedsByCause, b.seedsByExcuse = map[string]int{}, map[string]int{}
	work := make(chan uint64)
	var group sync.WaitGroup
	for range b.workerCount {
		group.Go(func() {
			for seed := range work {
				b.runSeed(seed)
			}
		})
	}
	for seed := b.firstSeed; seed <= b.lastSeed; seed++ {
		if !b.finishedSeeds[seed] {
			work <- seed
		}
	}
	close(work)
	group.Wait()
	b.printSummary()
	return len(b.brokenRuleBySeed), nil
}

// openStateFile reads the state file, whose first line says what it is of, and opens it
// for more.
func (b *batch) openStateFile() (*os.File, error) {
	head := fmt.Sprintf("chaos of %d cycles, all %t", b.cycleCount, b.overrides.ReportsKnownBreaches)
	f, err := os.OpenFile(b.stateFile, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("opening the state: %w", err)
	}
	scan, first := bufio.NewScanner(f), true
	for ; scan.Scan(); first = false {
		line := scan.Text()
		if first && line != head {
			return nil, fmt.Errorf("%s is of %q, not of %q: give another --state", b.stateFile, line, head)
		}
		var seed uint64
		if n, _ := fmt.Sscanf(line, "seed %d", &seed); n == 1 {
			b.finishedSeeds[seed] = true
			if _, rule, bad := strings.Cut(line, " broken "); bad {
				b.brokenRuleBySeed[seed] = rule
				b.brokenCountByRule[rule]++
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
	o, err := chaos.RunSeed(seed, b.cycleCount, b.overrides)
	line, text := fmt.Sprintf("seed %d held", seed), ""
	if err == nil && len(o.Breaches) > 0 && !b.isSummaryOnly {
		text = b.describeOutcome(o)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err != nil:
		fmt.Fprintf(os.Stderr, "chaos: seed %d: %v\n", seed, err)
		b.brokenRuleBySeed[seed] = "harness"
		return
	case len(o.Breaches) > 0:
		rule := o.Breaches[0].Rule
		b.brokenRuleBySeed[seed] = rule
		b.brokenCountByRule[rule]++
		line = fmt.Sprintf("seed %d broken %s", seed, rule)
		fmt.Print(text)
	}
	b.finishedSeeds[seed] = true
	b.jobCount, b.stopCount = b.jobCount+o.JobCount, b.stopCount+o.StopCount
	b.shardCount, b.sharedCount = b.shardCount+o.SentCountByKind[string(slurm.EditSetShards)], b.sharedCount+o.SharedCount
	for cause := range o.KnownCountByCause {
		b.seedsByCause[cause]++
	}
	for name := range o.ExcuseCountByName {
		b.seedsByExcuse[name]++
	}
	for _, n := range o.SentCountByKind {
		b.sentWriteCount += n
	}
	for _, n := range o.DoubtCountByCause {
		b.doubtfulCycleCount += n
	}
	fmt.Fprintln(b.stateWriter, line)
	if n := len(b.finishedSeeds); n%50 == 0 {
		fmt.Fprintf(os.Stderr, "chaos: %d of %d seeds, %d broke something, %v\n", n, b.lastSeed-b.firstSeed+1, len(b.brokenRuleBySeed), time.Since(b.startTime).Round(time.Second))
	}
}

// printSummary says what came of it.
func (b *batch) printSummary() {
	fmt.Printf("%d seeds of %d cycles: %d broke something. %d jobs, %d writes sent, %d jobs stopped, shards asked for %d times, GPUs shared in %d cycles, %d cycles in doubt, in %v.\n",
		len(b.finishedSeeds), b.cycleCount, len(b.brokenRuleBySeed), b.jobCount, b.sentWriteCount, b.stopCount, b.shardCount, b.sharedCount, b.doubtfulCycleCount, time.Since(b.startTime).Round(time.Second))
	for _, x := range []struct {
		what  string
		seeds map[string]int
	}{{"broken", b.brokenCountByRule}, {"known", b.seedsByCause}, {"excused", b.seedsByExcuse}} {
		for _, name := range slices.Sorted(maps.Keys(x.seeds)) {
			fmt.Printf("  %s: %s: %d seeds\n", x.what, name, x.seeds[name])
		}
	}
}
