package journal

import (
	"context"
	"fmt"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/gear/storetest"
)

// BenchmarkCycle stores cycles of 10,000 jobs: the first, a steady one, one in
// which every rank and reason changes, and one with 200 intents.
func BenchmarkCycle(b *testing.B) {
	const n = 10_000
	d := fresh(b)
	ctx := context.Background()
	seq := uint64(0)
	intend := func(b *testing.B, intents int, change func(i int) int) {
		seq++
		c := storetest.NewCycleOfWaitingJobs(seq, storetest.BecomeLeader(b, d, "a", time.Hour), n)
		c.Snapshot = make([]byte, 4<<20)
		for i := range c.Plan.Decisions {
			c.Plan.Decisions[i].Rank = change(i)
			c.Plan.Decisions[i].Why = fmt.Sprintf("%d jobs are ahead", change(i))
		}
		var list []bridge.Intent
		for i := range intents {
			list = append(list, leaseOf(int64(i+1), c.Epoch))
		}
		out, err := d.StoreIntents(ctx, c, list)
		must(b, err)
		b.StopTimer()
		for _, in := range out {
			in.State = bridge.IntentVoid
			must(b, d.UpdateIntent(ctx, in))
		}
		b.StartTimer()
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			_, err := d.DB.Exec(ctx, "truncate fairbridge.decision_now")
			must(b, err)
			intend(b, 0, func(i int) int { return i })
		}
	})
	b.Run("steady", func(b *testing.B) {
		for b.Loop() {
			intend(b, 0, func(i int) int { return i })
		}
	})
	b.Run("all ranks change", func(b *testing.B) {
		for b.Loop() {
			intend(b, 0, func(i int) int { return i + int(seq) })
		}
	})
	b.Run("200 intents", func(b *testing.B) {
		for b.Loop() {
			intend(b, 200, func(i int) int { return i })
		}
	})
}
