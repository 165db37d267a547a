package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/generate"
	"fairbridge/policy"
	"fairbridge/policy/learn"
	"fairbridge/replica/forecast"
	"fairbridge/replica/workload"
)

// sameName predicts what the other runs of the name took, later ones too: no one could.
func sameName(jobs []workload.Job) func(*workload.Job) float64 {
	sum, n, all := map[string]float64{}, map[string]float64{}, 0.0
	for i := range jobs {
		l := math.Log(jobs[i].Duration)
		sum[jobs[i].Name], n[jobs[i].Name], all = sum[jobs[i].Name]+l, n[jobs[i].Name]+1, all+l
	}
	all /= float64(len(jobs))
	return func(j *workload.Job) float64 {
		const weight = 1. / 3 // of the mean of all, in runs: variances within and between names are 1 : 3
		own := sum[j.Name] - math.Log(j.Duration)
		return math.Exp((own + weight*all) / (n[j.Name] - 1 + weight))
	}
}

// scoreDays scores the learner, and others, on jobs as they arrive, those of the first days left out.
func scoreDays(jobs []workload.Job, leftOut float64) map[string]*errs {
	l := forecast.NewLearner()
	user := &usually{func(j *learn.Job) string { return j.User + "/" + j.Account }, 2, map[string][]float64{}, &middle{}}
	limit, foreknown := &limits{}, sameName(jobs)
	runs := make([]learn.Run, len(jobs))
	for i := range jobs {
		runs[i] = learntRun(&jobs[i])
	}
	byEnd := slices.Clone(runs)
	slices.SortStableFunc(byEnd, func(a, b learn.Run) int { return a.End.Compare(b.End) })
	out := map[string]*errs{}
	for i := range runs {
		r := &runs[i]
		for len(byEnd) > 0 && !byEnd[0].End.After(r.Start) {
			l.AddEndedRun(byEnd[0])
			user.told(&byEnd[0])
			limit.told(&byEnd[0])
			byEnd = byEnd[1:]
		}
		left, _ := l.ForecastAt(r.Start).PredictTimeLeft(&policy.Job{
			User: r.User, Account: r.Account, Name: r.Name, Limit: r.Limit,
			Ask: policy.Ask{GPUs: policy.GPUs{Type: r.GPUType, Count: r.GPUs}},
		})
		if left == 0 || jobs[i].Arrive < leftOut {
			continue
		}
		for name, seconds := range map[string]float64{"time limit": limit.seconds(&r.Job), "last two of the user": user.seconds(&r.Job), "other runs of its name": foreknown(&jobs[i]), "the model": left.Seconds()} {
			if out[name] == nil {
				out[name] = &errs{}
			}
			out[name].add(seconds, r.Ran.Seconds())
		}
	}
	return out
}

// spread is the median of values, the least and the greatest.
func spread(v []float64) string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", median(v), slices.Min(v), slices.Max(v))
}

// TestReproducePredictorDays wants the order of jobs of drawn days by what a learner that
// began with them predicts to be nearer to the true one than that by time limits or by what
// the user's last two took, on a first day and after a week.
func TestReproducePredictorDays(t *testing.T) {
	for _, c := range []struct {
		name          string
		days, leftOut float64
	}{{"first day", 1, 0}, {"eighth day", 8, 7}} {
		order, factor := map[string][]float64{}, map[string][]float64{}
		for seed := range int64(20) {
			jobs := generate.DayDrawer{DayCount: c.days, ClusterGPUs: 32, OfferedLoad: 1.5}.DrawJobs(101 + seed)
			slices.SortStableFunc(jobs, func(a, b workload.Job) int { return cmp.Compare(a.Arrive, b.Arrive) })
			for name, s := range scoreDays(jobs, c.leftOut*24*time.Hour.Seconds()) {
				order[name], factor[name] = append(order[name], s.order()), append(factor[name], s.factor())
			}
		}
		for _, name := range []string{"time limit", "last two of the user", "the model", "other runs of its name"} {
			t.Logf("%-11s %-23s order %s, factor %s", c.name, name, spread(order[name]), spread(factor[name]))
		}
		if model := median(order["the model"]); model < median(order["time limit"]) || model < median(order["last two of the user"]) {
			t.Errorf("%s: the order by the model is right by %.2f only", c.name, model)
		}
	}
}
