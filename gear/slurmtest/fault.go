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
	FaultSlowReply       FaultKind = "slow"      // answer rightly, after Delay
	FaultTruncated       FaultKind = "truncated" // do it, cut the answer after CutAfterBytes (half of it when 0) and the connection
	FaultShortBody       FaultKind = "short"     // do it, end the answer after CutAfterBytes as if it were complete
	FaultEmptyBody       FaultKind = "empty"     // 200 and nothing
	FaultHTMLPage        FaultKind = "html"      // 200 and a proxy's page
	FaultGarbageBody     FaultKind = "garbage"   // 200 and bytes that are no JSON
	FaultUnauthorised    FaultKind = "denied"    // 401
	FaultNoVersion       FaultKind = "noversion" // 404 in plain text, as when an upgrade removed the API version
	FaultErrorStatus     FaultKind = "broken"    // HTTPStatus (500 when 0) with ErrorNumber in errors[]
	FaultBadGateway      FaultKind = "gateway"   // 502 in plain text
	FaultTooManyRequests FaultKind = "toomany"   // 429 with Retry-After
	FaultConnectionReset FaultKind = "reset"     // the connection is reset, nothing done
	FaultHugeList        FaultKind = "huge"      // 200 and SizeBytes of an endless list
	FaultErrorsWith200   FaultKind = "problems"  // 200 with ErrorNumber in errors[], and nothing done
	FaultLostAnswer      FaultKind = "lost"      // do it, then reset: the caller cannot know
	FaultLateEffect      FaultKind = "late"      // reset now, and do it after Delay of the world's time
	FaultDoneTwice       FaultKind = "twice"     // do it, do it again, answer the second
	FaultNoChange        FaultKind = "nochange"  // jobs: 200 with an empty list and the "no change" warning
	FaultFilteredList    FaultKind = "filtered"  // do it, and leave but the first KeepEntries in the list of jobs, nodes or partitions, without a word
	FaultWrongClock      FaultKind = "clock"     // do it, and tell a time that is off by Delay (diag)
)

// Fault is something that goes wrong with the requests it matches.
type Fault struct {
	Kind          FaultKind
	Method        string        // "" matches all
	PathPart      string        // part of the path, "/jobs/state"; "" matches all
	SkipCount     int           // let so many matching requests pass first
	MaxStrikes    int           // how often it strikes; 0: until ClearFaults
	Delay         time.Duration // FaultSlowReply: of the wall clock; FaultLateEffect: of the world; FaultWrongClock: how far ahead, negative behind
	CutAfterBytes int           // FaultTruncated, FaultShortBody: bytes that get through
	SizeBytes     int           // FaultHugeList; 64 MiB when 0
	KeepEntries   int           // FaultFilteredList: entries that are left; 0 is an empty list
	HTTPStatus    int           // FaultErrorStatus
	ErrorNumber   int           // FaultErrorStatus, FaultErrorsWith200: Slurm's error number; 1 when 0
}

// faults are those in force, in the order in which they came.
type faults []*Fault

// strike returns the fault that hits a request, the zero Fault when there is
// none. Of several that match, the earliest strikes.
func (list *faults) strike(method, path string) Fault {
	for i, f := range *list {
		if f.Method != "" && f.Method != method || !strings.Contains(path, f.PathPart) {
			continue
		}
		if f.SkipCount > 0 {
			f.SkipCount--
			continue
		}
		hit := *f
		if f.MaxStrikes == 1 {
			*list = slices.Delete(*list, i, i+1)
		} else if f.MaxStrikes > 1 {
			f.MaxStrikes--
		}
		return hit
	}
	return Fault{}
}
