// Package storetest tries stores of what the control loop remembers: the same
// tests for the one in Postgres (package accounting) and the one in memory (package
// memory), so that a loop that was tried on one may be believed on the other.
package storetest

import (
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

// Store is everything the loop, release and expire ask of a database.
type Store interface {
	bridge.Journal
	bridge.Leadership
	bridge.History
	bridge.Expiry
	bridge.Watch
}

// Tested is a store, empty, with a clock that can be moved.
type Tested struct {
	Store
	// Pass lets time go by for everything that lasts by the store's clock.
	Pass func(time.Duration)
}

// Open makes a store for a test.
type Open func(*testing.T) Tested

// Run tries the store. Usage decays with a half-life of a week.
func Run(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		run  func(*testing.T, Tested)
	}{
		{"what is intended comes back", intendedComesBack},
		{"intending twice is once", intendingTwiceIsOnce},
		{"all is stored or nothing", allOrNothing},
		{"a release has no cycle", releaseHasNoCycle},
		{"the memo comes back", memoComesBack},
		{"no intent goes back", noIntentGoesBack},
		{"what settling adopted is kept", adoptedIsKept},
		{"before is what was read before sending", beforeIsReadBeforeSending},
		{"closed intents are found by time", closedByTime},
		{"leading hands over with a new epoch", handsOver},
		{"a lapsed lease is a new epoch", lapses},
		{"a stale leader may not send", staleLeader},
		{"sending again is fenced", sendingAgainIsFenced},
		{"a beat knows when a daemon led last", beatKnowsWhoLed},
		{"an older view is refused", olderViews},
		{"a view recorded twice is recorded once", viewTwice},
		{"the past of a requeued job", pastOfARequeuedJob},
		{"our requeues are remembered", ourRequeues},
		{"a call that is cut short fails", cutShort},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

const cluster = "c1"

// t0 is when the tests happen.
var t0 = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)

func sec(n int) time.Time { return t0.Add(time.Duration(n) * time.Second) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lead makes me the leader for an hour and returns the epoch.
func (s Tested) lead(t *testing.T, me string) int64 {
	t.Helper()
	return s.leadFor(t, me, time.Hour)
}

func (s Tested) leadFor(t *testing.T, me string, ttl time.Duration) int64 {
	t.Helper()
	epoch, holder, leads, err := s.Lead(t.Context(), cluster, me, ttl)
	if err != nil || !leads || holder != me {
		t.Fatalf("%s does not lead: %q does, %v", me, holder, err)
	}
	return epoch
}

// intend stores intents without a cycle.
func (s Tested) intend(t *testing.T, intents ...bridge.Intent) []bridge.Intent {
	t.Helper()
	out, err := s.Intend(t.Context(), nil, intents)
	must(t, err)
	return out
}

// all returns every intent, however long it is closed.
func (s Tested) all(t *testing.T) []bridge.Intent {
	t.Helper()
	out, err := s.Intents(t.Context(), cluster, t0, time.Unix(0, 0))
	must(t, err)
	return out
}

// clock returns the store's time.
func (s Tested) clock(t *testing.T) time.Time {
	t.Helper()
	now, err := s.Clock(t.Context())
	must(t, err)
	return now
}

// cycleOf makes a cycle whose snapshot has the digest.
func cycleOf(seq uint64, epoch int64, digest string) *bridge.Cycle {
	return &bridge.Cycle{
		Cluster: cluster, Seq: seq, Epoch: epoch, At: t0.Add(time.Duration(seq) * time.Minute), Partition: "gpu", Mode: bridge.Rank,
		Policy: "fifo", Params: "{}", Snapshot: []byte(`{"seq":1}`), Digest: digest, Took: map[string]string{"decide": "1ms"},
		Plan: &policy.Plan{Basis: seq, Policy: "fifo", Memo: policy.MemoOf([]byte(`{"b":1, "a":[2]}`))},
	}
}

// leaseOf is an intent for the begin time of a waiting job.
func leaseOf(job, epoch int64) bridge.Intent {
	return bridge.Intent{
		Cluster: cluster, Epoch: epoch, Policy: "fifo", State: bridge.Planned, Made: t0, NotAfter: t0.Add(10 * time.Minute),
		Edit:   slurm.Edit{Run: slurm.Run{Job: job, Submit: t0.Unix(), SLUID: "s1"}, Kind: slurm.Lease, Until: t0.Add(10 * time.Minute), Tasks: 1, Why: "others are ahead"},
		Before: bridge.Before{Eligible: t0, Begin: t0.Add(-time.Minute), Priority: 4294901759, Nice: -5, Required: slurm.ReadHosts("n[1-2]"), Ours: 7, State: "PENDING"},
	}
}

// view is what Slurm shows at a time.
func view(at time.Time, jobs ...slurm.Job) *slurm.View {
	return &slurm.View{Cluster: cluster, Release: "26.05.5", API: "v0.0.45", At: at, Full: true, Jobs: jobs}
}

// running is a job that runs on 4 GPUs of n1 since start.
func running(id int64, submit, start time.Time) slurm.Job {
	return slurm.Job{
		ID: id, Name: "train", User: "ann", Account: "phys", Partitions: []string{"gpu"}, State: "RUNNING", Submit: submit, Start: start,
		Limit: time.Hour, Nodes: slurm.ReadHosts("n1"), Gres: slurm.ReadDetail([]string{"gpu:a100:4(IDX:0-3)"}), Allocated: slurm.ReadTRES("cpu=8,gres/gpu=4,gres/gpu:a100=4"), Batch: true, Requeue: true,
	}
}

// with is the job, changed.
func with(j slurm.Job, f func(*slurm.Job)) slurm.Job {
	f(&j)
	return j
}
