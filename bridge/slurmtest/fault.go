package slurmtest

import (
	"slices"
	"strings"
	"time"
)

// FaultKind is a way to go wrong.
type FaultKind string

// The faults. Unless said otherwise nothing is done and a bad answer is given.
const (
	Slow      FaultKind = "slow"      // answer rightly, after Delay
	Truncated FaultKind = "truncated" // do it, cut the answer after At bytes (half of it when 0) and the connection
	Short     FaultKind = "short"     // do it, end the answer after At bytes as if it were complete
	Empty     FaultKind = "empty"     // 200 and nothing
	HTML      FaultKind = "html"      // 200 and a proxy's page
	Garbage   FaultKind = "garbage"   // 200 and bytes that are no JSON
	Denied    FaultKind = "denied"    // 401
	NoVersion FaultKind = "noversion" // 404 in plain text, as when an upgrade removed the API version
	Broken    FaultKind = "broken"    // Status (500 when 0) with Slurm's Number in errors[]
	Gateway   FaultKind = "gateway"   // 502 in plain text
	TooMany   FaultKind = "toomany"   // 429 with Retry-After
	Reset     FaultKind = "reset"     // the connection is reset, nothing done
	Huge      FaultKind = "huge"      // 200 and Size bytes of an endless list
	Problems  FaultKind = "problems"  // 200 with Number in errors[], and nothing done
	Lost      FaultKind = "lost"      // do it, then reset: the caller cannot know
	Late      FaultKind = "late"      // reset now, and do it after Delay of the world's time
	Twice     FaultKind = "twice"     // do it, do it again, answer the second
	NoChange  FaultKind = "nochange"  // jobs: 200 with an empty list and the "no change" warning
	Filtered  FaultKind = "filtered"  // do it, and leave but the first Keep entries in the list of jobs, nodes or partitions, without a word
	Clock     FaultKind = "clock"     // do it, and tell a time that is off by Delay (diag)
)

// Fault is something that goes wrong with the requests it matches.
type Fault struct {
	Kind   FaultKind
	Method string        // "" matches all
	Path   string        // part of the path, "/jobs/state"; "" matches all
	Skip   int           // let so many matching requests pass first
	Times  int           // how often it strikes; 0: until Heal
	Delay  time.Duration // Slow: of the wall clock; Late: of the world; Clock: how far ahead, negative behind
	At     int           // Truncated, Short: bytes that get through
	Size   int           // Huge: bytes; 64 MiB when 0
	Keep   int           // Filtered: entries that are left; 0 is an empty list
	Status int           // Broken
	Number int           // Broken, Problems: Slurm's error number; 1 when 0
}

// faults are those in force, in the order in which they came.
type faults []*Fault

// next returns the fault that hits a request, the zero Fault when there is
// none. Of several that match, the earliest strikes.
func (list *faults) next(method, path string) Fault {
	for i, f := range *list {
		if f.Method != "" && f.Method != method || !strings.Contains(path, f.Path) {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		hit := *f
		if f.Times == 1 {
			*list = slices.Delete(*list, i, i+1)
		} else if f.Times > 1 {
			f.Times--
		}
		return hit
	}
	return Fault{}
}
