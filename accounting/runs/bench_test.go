package runs

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge/slurm"
)

// bigView is n jobs, four in ten of which run on 1 to 8 GPUs.
func bigView(n int, at time.Time) *slurm.View {
	v := view(at)
	for i := range n {
		j := running(int64(i+1), t0, t0.Add(time.Duration(i)*time.Second))
		j.User, j.Account = fmt.Sprint("u", i%300), fmt.Sprint("a", i%30)
		if i%10 >= 4 {
			j.State, j.Start, j.Nodes, j.GresDetail, j.AllocatedTRES, j.RequestedTRES = "PENDING", time.Time{}, slurm.Hosts{}, nil, slurm.TRES{}, slurm.ReadTRES("cpu=8,gres/gpu=4")
		} else {
			j.Nodes, j.GresDetail = slurm.ReadHosts(fmt.Sprint("n", i%500)), slurm.ReadGRESDetail([]string{fmt.Sprintf("gpu:a100:%d", 1+i%8)})
		}
		v.Jobs = append(v.Jobs, j)
	}
	return v
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
			_, err := d.DB.Exec(ctx, "truncate fairbridge.run_segments, fairbridge.job_runs, fairbridge.watch")
			must(b, err)
			must(b, d.RecordView(ctx, bigView(n, at)))
		}
	})
	b.Run("steady", func(b *testing.B) {
		for b.Loop() {
			at = at.Add(30 * time.Second)
			must(b, d.RecordView(ctx, bigView(n, at)))
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
			d.HalfLife = 365 * 24 * time.Hour
			dbtest.FillHistory(b, d.DB, runs)
			at := time.Unix(1700003600+int64(runs)*20, 0)
			b.ResetTimer()
			for b.Loop() {
				_, err := d.Past(context.Background(), testCluster, at)
				must(b, err)
			}
		})
	}
}

// Days are split exactly at midnight, and the sum is what the segments are.
func TestUsageByDay(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	start := time.Date(2026, 3, 2, 22, 30, 0, 0, time.UTC)
	must(t, d.RecordView(ctx, view(start.Add(27*time.Hour), running(1, start, start))))
	rows, err := d.DB.Query(ctx, "select format('%s %s %s', day, account, gpu_hours) from fairbridge_v1.usage_by_account_day order by day")
	must(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	must(t, err)
	want := "2026-03-02 phys 6|2026-03-03 phys 96|2026-03-04 phys 6"
	if strings.Join(got, "|") != want {
		t.Errorf("days %v, want %s", got, want)
	}
}
