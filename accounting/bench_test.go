package accounting

import (
	"context"
	"fmt"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// bigView is n jobs, four in ten of which run on 1 to 8 GPUs.
func bigView(n int, at time.Time) *slurm.View {
	v := view(at)
	for i := range n {
		j := running(int64(i+1), t0, t0.Add(time.Duration(i)*time.Second))
		j.User, j.Account = fmt.Sprint("u", i%300), fmt.Sprint("a", i%30)
		if i%10 >= 4 {
			j.State, j.Start, j.Nodes, j.Gres, j.Allocated, j.Request = "PENDING", time.Time{}, slurm.Hosts{}, nil, slurm.TRES{}, slurm.ReadTRES("cpu=8,gres/gpu=4")
		} else {
			j.Nodes, j.Gres = slurm.ReadHosts(fmt.Sprint("n", i%500)), slurm.ReadDetail([]string{fmt.Sprintf("gpu:a100:%d", 1+i%8)})
		}
		v.Jobs = append(v.Jobs, j)
	}
	return v
}

// BenchmarkCycle stores cycles of 10,000 jobs: the first, a steady one, one in
// which every rank and reason changes, and one with 200 intents.
func BenchmarkCycle(b *testing.B) {
	const n = 10_000
	d := fresh(b)
	ctx := context.Background()
	seq := uint64(0)
	intend := func(b *testing.B, intents int, change func(i int) int) {
		seq++
		c := cycleOf(seq, lead(b, d, "a"), n)
		c.Snapshot = make([]byte, 4<<20)
		for i := range c.Plan.Decisions {
			c.Plan.Decisions[i].Rank = change(i)
			c.Plan.Decisions[i].Why = fmt.Sprintf("%d jobs are ahead", change(i))
		}
		var list []bridge.Intent
		for i := range intents {
			list = append(list, leaseOf(int64(i+1), c.Epoch))
		}
		out, err := d.Intend(ctx, c, list)
		must(b, err)
		b.StopTimer()
		for _, in := range out {
			in.State = bridge.Void
			must(b, d.Mark(ctx, in))
		}
		b.StartTimer()
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			_, err := d.pool.Exec(ctx, "truncate fairbridge.decision_now")
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

// BenchmarkRecord stores views of 10,000 jobs: the first, and one in which
// nothing changed.
func BenchmarkRecord(b *testing.B) {
	const n = 10_000
	d := fresh(b)
	ctx := context.Background()
	at := t0.Add(6 * time.Hour)
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			_, err := d.pool.Exec(ctx, "truncate fairbridge.run_segments, fairbridge.job_runs, fairbridge.watch")
			must(b, err)
			must(b, d.Record(ctx, bigView(n, at)))
		}
	})
	b.Run("steady", func(b *testing.B) {
		for b.Loop() {
			at = at.Add(30 * time.Second)
			must(b, d.Record(ctx, bigView(n, at)))
		}
	})
	b.Run("past", func(b *testing.B) {
		for b.Loop() {
			_, err := d.Past(ctx, testCluster, at)
			must(b, err)
		}
	})
}

// BenchmarkPast reads usage out of ever longer histories, all of it within
// the half-lives that count.
func BenchmarkPast(b *testing.B) {
	for _, runs := range []int{10_000, 100_000, 500_000} {
		b.Run(fmt.Sprint(runs), func(b *testing.B) {
			d := fresh(b)
			d.halfLife = 365 * 24 * time.Hour
			history(b, d, runs)
			at := time.Unix(1700003600+int64(runs)*20, 0)
			b.ResetTimer()
			for b.Loop() {
				_, err := d.Past(context.Background(), testCluster, at)
				must(b, err)
			}
		})
	}
}
