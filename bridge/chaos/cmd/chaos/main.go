// Command chaos plays many seeds of package chaos, and goes on where it stopped.
//
//	go run ./bridge/chaos/cmd/chaos --seeds 1-2000 --cycles 200 --state chaos.state
//
// It ends with status 1 if a sentence of the oracle was broken in any seed, and
// prints for each the seed, a shortened list of what went wrong, and the last lines
// before it.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"

	"fairbridge/bridge/chaos"
	"fairbridge/bridge/chaos/event"
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
