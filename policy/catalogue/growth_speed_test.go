package catalogue_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/scripts/verify/part"
)

var page = flag.String("page", "", "file whose section "+growthTitle+" TestGrowthInTime writes")

const growthTitle = "## Deciding"

// growthSizes are how many jobs are decided on.
var growthSizes = [...]int{1_000, 10_000, 100_000}

// The bounds. Processor time differs from machine to machine and with what else runs there, so both are
// relative to a yardstick of n log n work measured in the same run.
const (
	mostGrowth     = 3  // times that of the yardstick, between any two sizes; n² would be 7 and more
	mostYardsticks = 12 // that a decision on the most jobs takes
	growthTries    = 6  // the least counts: other work on the machine makes caches slower
)

// decisionTimes are the seconds of processor time by size.
type decisionTimes [len(growthSizes)]float64

// TestGrowthInTime: no policy's decision on 4,096 GPUs grows faster with the number of jobs than n log n does, by
// much, and none takes too long on the most. With -args -page it also writes its table.
func TestGrowthInTime(t *testing.T) {
	part.Only(t, "speed")
	yardstick, byPolicy, tries := decisionTimes{}, map[string]decisionTimes{}, 1
	if *page != "" {
		tries = 2
	}
	for k, n := range growthSizes {
		yardstick[k] = measureYardstick(t, n)
	}
	t.Logf("yardstick: %.4f", yardstick)
	for _, e := range catalogue.Systems() {
		byPolicy[e.Name] = decisionTimes{math.Inf(1), math.Inf(1), math.Inf(1)}
	}
	for k, n := range growthSizes {
		s := policytest.BusyCluster(512, n)
		for _, e := range catalogue.Systems() {
			took := byPolicy[e.Name]
			decide := newNextDecision(t, e.Name, s)
			for try := 0; try < growthTries && (try < tries || findSlowness(took, yardstick, k) != ""); try++ {
				took[k] = min(took[k], measureSeconds(t, decide))
			}
			if byPolicy[e.Name] = took; findSlowness(took, yardstick, k) != "" {
				t.Errorf("%s: %s", e.Name, findSlowness(took, yardstick, k))
			}
		}
	}
	table := formatGrowth(byPolicy)
	t.Logf("\n%s", table)
	if *page != "" {
		writeGrowth(t, table)
	}
}

// findSlowness says by what a decision on jobs of size k is too slow; "": by nothing.
func findSlowness(took, yardstick decisionTimes, k int) string {
	if k == len(growthSizes)-1 && took[k] > mostYardsticks*yardstick[k] {
		return fmt.Sprintf("%.2f s for %d jobs are %.1f yardsticks of %.3f s, want %d at most",
			took[k], growthSizes[k], took[k]/yardstick[k], yardstick[k], mostYardsticks)
	}
	for i := range k {
		if grown := took[k] / took[i] / (yardstick[k] / yardstick[i]); grown > mostGrowth {
			return fmt.Sprintf("%.4f s for %d jobs and %.3f s for %d: it grows %.1f times as much as the yardstick, "+
				"want %d at most", took[i], growthSizes[i], took[k], growthSizes[k], grown, mostGrowth)
		}
	}
	return ""
}

// newNextDecision returns the decision after a first one, so that a policy that remembers does.
func newNextDecision(t *testing.T, name string, s *policy.Snapshot) func() {
	p := mustNew(t, name, nil)
	first, err := p.Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	next := *s
	next.Memo, next.Now = first.Memo, s.Now.Add(policytest.CycleInterval)
	return func() {
		if _, err := p.Decide(&next); err != nil {
			t.Fatal(err)
		}
	}
}

// measureSeconds is the processor time of the work, done as often as can be measured well.
func measureSeconds(t *testing.T, work func()) float64 {
	runtime.GC()
	before, times := policytest.ProcessorTime(t), 0
	for times == 0 || policytest.ProcessorTime(t)-before < 20*time.Millisecond {
		work()
		times++
	}
	return (policytest.ProcessorTime(t) - before).Seconds() / float64(times)
}

// measureYardstick is the time that it takes to make records as large as jobs, sort them by what their pointers
// lead to, and find each by its name.
func measureYardstick(t *testing.T, n int) float64 {
	least := math.Inf(1)
	for range growthTries {
		least = min(least, measureSeconds(t, func() {
			r, line, byName := rand.New(rand.NewPCG(1, 2)), make([]*policy.Job, n), map[string]*policy.Job{}
			for i := range line {
				left := time.Duration(r.Int64())
				line[i] = &policy.Job{ID: policy.JobID(i), Name: fmt.Sprint("job", i), PredictedLeft: left}
				byName[line[i].Name] = line[i]
			}
			slices.SortFunc(line, func(a, b *policy.Job) int { return cmp.Compare(a.PredictedLeft, b.PredictedLeft) })
			for _, j := range line {
				if byName[j.Name] != j {
					t.Fatal("a record is not found again")
				}
			}
		}))
	}
	return least
}

// formatGrowth writes the table, slowest policies first. n log n has the exponent 1.11 from the fewest jobs to the
// most.
func formatGrowth(byPolicy map[string]decisionTimes) string {
	systems, last := catalogue.Systems(), len(growthSizes)-1
	names := make([]string, len(systems))
	for i, e := range systems {
		names[i] = e.Name
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(byPolicy[b][last], byPolicy[a][last]) })
	var text bytes.Buffer
	fmt.Fprint(&text, "| policy | 1,000 jobs | 10,000 jobs | 100,000 jobs | exponent |\n|---|---|---|---|---|\n")
	for _, name := range names {
		took := byPolicy[name]
		exponent := math.Log(took[last]/took[0]) / math.Log(float64(growthSizes[last])/float64(growthSizes[0]))
		fmt.Fprintf(&text, "| `%s` | %.4f s | %.3f s | %.2f s | %.2f |\n", name, took[0], took[1], took[2], exponent)
	}
	return text.String()
}

// writeGrowth replaces the table of the section.
func writeGrowth(t *testing.T, table string) {
	text, err := os.ReadFile(*page)
	if err != nil {
		t.Fatal(err)
	}
	from := bytes.Index(text, []byte("\n"+growthTitle+"\n"))
	if from < 0 {
		t.Fatalf("%s has no section %q: name docs/benchmarks.md", *page, growthTitle)
	}
	begin := from + bytes.Index(text[from:], []byte("\n|")) + 1
	end := begin + bytes.Index(text[begin:], []byte("\n\n")) + 1
	if err := os.WriteFile(*page, slices.Concat(text[:begin], []byte(table), text[end:]), 0o644); err != nil {
		t.Fatal(err)
	}
}
