package referee

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/replica/workload"
)

// drawJobs draws jobs for 64 processors at a load of about .8. Everything happens on multiples of five minutes, so that
// much of it happens at once; users have run times of their own, and limits are up to twenty times too long.
func drawJobs() []workload.Job {
	draw := rand.New(rand.NewPCG(1, 2))
	fives := func(seconds float64) float64 { return 300 * max(math.Round(seconds/300), 1) }
	jobs, arrive := make([]workload.Job, 1500), 0.
	for i := range jobs {
		arrive += draw.ExpFloat64() * 1150
		user := draw.IntN(25)
		typical := 60 * math.Pow(1.2, float64(user))
		run := fives(typical * math.Exp(draw.NormFloat64()))
		limit := fives(run * []float64{1, 1.5, 3, 20}[draw.IntN(4)])
		jobs[i] = workload.Job{
			ID: int64(i + 1), User: fmt.Sprint("user", user), Arrive: fives(arrive), Duration: run,
			GPUs: 1 << draw.IntN(7), TimeLimit: time.Duration(limit) * time.Second, IsSilent: true,
		}
	}
	return jobs
}

// TestDrawnRows keeps the digits of a drawn workload where the published logs are not at hand.
func TestDrawnRows(t *testing.T) {
	want := [...][2]float64{
		{9.8271, 9.8495}, {9.2215, 9.5441}, {8.7893, 8.8203}, {9.4510, 9.5048}, {7.8026, 7.8026}, {7.6940, 7.6937},
	}
	jobs := drawJobs()
	for i := range rows {
		each := meanBoundedSlowdown(rows[i].simulate(t, jobs, 64, true))
		once := meanBoundedSlowdown(rows[i].simulate(t, jobs, 64, false))
		if math.Abs(each-want[i][0]) > 1e-4 || math.Abs(once-want[i][1]) > 1e-4 {
			t.Errorf("%s: {%.4f, %.4f} where asked for each event, and once a second; want %v",
				rows[i].name, each, once, want[i])
		}
	}
}
