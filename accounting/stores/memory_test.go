package stores

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/replica/sim"
	"fairbridge/replica/sim/memstore"
)

// both are the store in memory and the one in Postgres, which see the same.
type both struct {
	t      *testing.T
	w      *sim.World
	memory *memstore.Store
	db     *Stores
	epoch  [2]int64
	seq    uint64
}

var shares = []policy.Account{{Name: "a", Weight: 2}, {Name: "b", Weight: 1}, {Name: "idle", Weight: 1}}

func newBoth(t *testing.T, weights policy.BillingWeights) *both {
	t.Helper()
	nodes := sim.UniformNodes(4, "a100", 8)
	if weights != nil {
		nodes[2].GPUs[0].Type, nodes[3].GPUs[0].Type = "t4", "t4"
	}
	w, err := sim.New(sim.Config{ClusterName: "lab", Nodes: nodes, RequeueDelay: 30 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	db := fresh(t)
	db.HalfLife = 6 * time.Hour
	if err := db.SetConfiguredAccounts(t.Context(), "lab", shares); err != nil {
		t.Fatal(err)
	}
	if err := db.SetBillingWeights(t.Context(), "lab", "test", w.Now(), weights); err != nil {
		t.Fatal(err)
	}
	memory := memstore.New(w.Now, shares, 6*time.Hour)
	memory.SetBillingWeights(weights)
	return &both{t: t, w: w, memory: memory, db: db}
}

// alike is equality but for the order of sums and microseconds.
func alike(a, b policy.GPUSeconds) bool { return max(a-b, b-a) < 1e-3 }

// look records what Slurm shows, and compares what both know of the past.
func (b *both) look() *slurm.View {
	b.t.Helper()
	v, _ := sim.DirectCluster{World: b.w}.Observe(b.t.Context())
	var past [2]*bridge.Past
	for i, h := range []bridge.History{b.memory, b.db} {
		if err := h.RecordView(b.t.Context(), v); err != nil {
			b.t.Fatal(err)
		}
		p, err := h.Past(b.t.Context(), "lab", v.At)
		if err != nil {
			b.t.Fatal(err)
		}
		past[i] = p
	}
	if diff := cmp.Diff(past[1], past[0], cmp.Comparer(alike), cmpopts.EquateEmpty()); diff != "" {
		b.t.Fatalf("at %v Postgres (-), memory (+):\n%s", v.At, diff)
	}
	return v
}

// requeue stops a job as the loop does: intended, sent, seen.
func (b *both) requeue(j *slurm.Job) {
	b.t.Helper()
	b.seq++
	for i, journal := range []bridge.Journal{b.memory, b.db} {
		epoch, _, held, err := journal.(bridge.Leadership).Lead(b.t.Context(), "lab", "test", time.Hour)
		if err != nil || !held {
			b.t.Fatalf("leading: %v %v", held, err)
		}
		b.epoch[i] = epoch
		in := bridge.Intent{Cluster: "lab", Epoch: epoch, Policy: "p", Made: b.w.Now(), Edit: slurm.Edit{Run: j.CurrentRun(), Kind: slurm.EditRequeue, Tasks: 1, Why: "x"}}
		c := &bridge.Cycle{Cluster: "lab", Seq: b.seq, Epoch: epoch, At: b.w.Now(), Partition: "gpu", Mode: "preempt", Policy: "p", Snapshot: []byte("{}"),
			SnapshotDigest: "d", Plan: &policy.Plan{SnapshotSeq: b.seq, Policy: "p", Memo: policy.Remember(map[string]uint64{"seq": b.seq})}}
		stored, err := journal.StoreIntents(b.t.Context(), c, []bridge.Intent{in})
		if err != nil {
			b.t.Fatal(err)
		}
		for _, state := range []bridge.IntentState{bridge.IntentSent, bridge.IntentAcked, bridge.IntentObserved, bridge.IntentExpired} {
			in = stored[0]
			if in.State, in.Sent = state, b.w.Now(); state == bridge.IntentExpired {
				in.Closed = b.w.Now()
			}
			if err := journal.UpdateIntent(b.t.Context(), in); err != nil {
				b.t.Fatal(err)
			}
		}
	}
	if err := b.w.Requeue(sim.OperatorUser, fmt.Sprint(j.ID), true); err != nil {
		b.t.Fatal(err)
	}
}

// TestMemoryKnowsWhatPostgresKnows plays two days with jobs that end, fail, are
// stopped by us and by others, and vanish between two looks.
func TestMemoryKnowsWhatPostgresKnows(t *testing.T) {
	b := newBoth(t, nil)
	b.play(300)
	if b.seq < 10 {
		t.Errorf("only %d stops", b.seq)
	}
	b.sameMemo()
}

// TestMemoryChargesWhatPostgresCharges plays a day on GPUs of two types, one of which is charged less.
func TestMemoryChargesWhatPostgresCharges(t *testing.T) {
	b := newBoth(t, policy.BillingWeights{"t4": .25})
	b.play(150)
	p, err := b.db.Past(t.Context(), "lab", b.w.Now())
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(p.Accounts, func(a policy.Account) bool { return a.HeldService > a.UsedService && a.UsedService > 0 }); i < 0 {
		t.Errorf("no account was charged less than it held: %+v", p.Accounts)
	}
}

// play submits and stops jobs, and looks, so many times.
func (b *both) play(steps int) {
	t, r := b.t, rand.New(rand.NewPCG(1, 2))
	for step := range steps {
		if r.IntN(3) == 0 {
			_, err := b.w.Submit(sim.JobSpec{
				User: []string{"ann", "bob"}[r.IntN(2)], Account: []string{"a", "b", "c"}[r.IntN(3)], GPUsPerNode: 1 + r.IntN(8), MinNodes: 1 + r.IntN(2),
				WorkTime: time.Duration(1+r.IntN(300)) * time.Minute, TimeLimit: 4 * time.Hour, Checkpoints: true, Fails: r.IntN(5) == 0,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		v := b.look()
		for i := range v.Jobs {
			if j := &v.Jobs[i]; j.State == "RUNNING" && r.IntN(20) == 0 {
				if r.IntN(3) == 0 {
					_ = b.w.Requeue(j.User, fmt.Sprint(j.ID), true)
				} else {
					b.requeue(j)
				}
			}
		}
		gap := 30 * time.Second
		if step%4 > 0 {
			gap = time.Duration(1+r.IntN(20)) * time.Minute // looks are missed: jobs come and go unseen
		}
		b.w.Advance(b.w.Now().Add(gap).Truncate(time.Second))
	}
}

// sameMemo compares what both remember of the last cycle.
func (b *both) sameMemo() {
	b.t.Helper()
	x, err := b.memory.Memo(b.t.Context(), "lab", &bridge.Partition{Name: "gpu"})
	if err != nil {
		b.t.Fatal(err)
	}
	y, err := b.db.Memo(b.t.Context(), "lab", &bridge.Partition{Name: "gpu"})
	if diff := cmp.Diff(x, y); err != nil || diff != "" || x.CycleSeq != b.seq {
		b.t.Errorf("cycle %d in memory, want %d; in Postgres: %v\n%s", x.CycleSeq, b.seq, err, diff)
	}
}
