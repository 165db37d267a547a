package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fairbridge/lab/generate"
	"fairbridge/lab/trace"
	"fairbridge/policy/learn"
	"fairbridge/replica/workload"
)

// learntRun is what history has of a job that started as it arrived.
func learntRun(j *workload.Job) learn.Run {
	start := time.Unix(0, 0).Add(time.Duration(j.Arrive * float64(time.Second)))
	ran := time.Duration(j.Duration * float64(time.Second))
	return learn.Run{Start: start, End: start.Add(ran), Ran: ran, Job: learn.Job{
		User: j.User, Account: j.Account, Name: j.Name, GPUType: j.GPUType, GPUs: j.GPUs, Limit: j.TimeLimit}}
}

// split returns the history of the first jobs, and the others; of the first
// only those that had ended when the others begin.
func split(jobs []workload.Job, first float64) (known []learn.Run, rest []learn.Run) {
	slices.SortStableFunc(jobs, func(a, b workload.Job) int { return cmp.Compare(a.Arrive, b.Arrive) })
	n := int(first * float64(len(jobs)))
	from := learntRun(&jobs[n]).Start
	for i := range jobs {
		r := learntRun(&jobs[i])
		switch {
		case i >= n:
			rest = append(rest, r)
		case r.End.Before(from):
			known = append(known, r)
		}
	}
	return known, rest
}

// guess is a predictor: it is told of runs as they end and asked for jobs as
// they start.
type guess interface {
	told(*learn.Run)
	seconds(*learn.Job) float64
}

// usually predicts the mean of the last runs of a group, of all runs where
// there is none.
type usually struct {
	of   func(*learn.Job) string
	last int
	runs map[string][]float64
	all  *middle
}

func (u *usually) told(r *learn.Run) {
	k := u.of(&r.Job)
	runs := append(u.runs[k], r.Ran.Seconds())
	u.runs[k] = runs[max(0, len(runs)-u.last):]
	u.all.told(r)
}

func (u *usually) seconds(j *learn.Job) float64 {
	runs := u.runs[u.of(j)]
	if len(runs) == 0 {
		return u.all.seconds(j)
	}
	sum := 0.0
	for _, s := range runs {
		sum += s
	}
	return sum / float64(len(runs))
}

// middle predicts the median of all.
type middle struct{ sorted []float64 }

func (m *middle) told(r *learn.Run) {
	i, _ := slices.BinarySearch(m.sorted, r.Ran.Seconds())
	m.sorted = slices.Insert(m.sorted, i, r.Ran.Seconds())
}

func (m *middle) seconds(*learn.Job) float64 {
	if len(m.sorted) == 0 {
		return 3600
	}
	return m.sorted[len(m.sorted)/2]
}

// limits predicts the time limit.
type limits struct{ middle }

func (l *limits) seconds(j *learn.Job) float64 {
	if j.Limit > 0 {
		return j.Limit.Seconds()
	}
	return l.middle.seconds(j)
}

// learnt is the model; a frozen one learns nothing more.
type learnt struct {
	*learn.Model
	frozen bool
}

func (l learnt) told(r *learn.Run) {
	if !l.frozen {
		l.AddRun(r)
	}
}

func (l learnt) seconds(j *learn.Job) float64 {
	return l.RunTimeDistOf(j).QuantileLeft(.5, 0).Seconds()
}

// walk tells a predictor of runs as they end, a model at the next full hour, as
// it is fitted once an hour, and calls f for each run as it starts.
func walk(known, rest []learn.Run, g guess, f func(*learn.Run)) {
	at := func(end time.Time) time.Time { return end }
	if _, is := g.(learnt); is {
		at = learn.LearntAt
	}
	byEnd := slices.Clone(rest)
	slices.SortStableFunc(byEnd, func(a, b learn.Run) int { return a.End.Compare(b.End) })
	for i := range known {
		g.told(&known[i])
	}
	for i := range rest {
		for len(byEnd) > 0 && !at(byEnd[0].End).After(rest[i].Start) {
			g.told(&byEnd[0])
			byEnd = byEnd[1:]
		}
		f(&rest[i])
	}
}

// errs are the errors of a predictor.
type errs struct {
	mae, log       float64
	relative       []float64
	predicted, ran []float64
}

func (e *errs) add(predicted, ran float64) {
	predicted, ran = max(predicted, 1), max(ran, 1)
	e.predicted, e.ran = append(e.predicted, predicted), append(e.ran, ran)
	e.relative = append(e.relative, math.Abs(predicted-ran)/ran)
	e.mae += math.Abs(predicted - ran)
	e.log += math.Abs(math.Log(predicted / ran))
}

func (e *errs) String() string {
	n := float64(len(e.relative))
	return fmt.Sprintf("MAE %6.2f h, median relative error %5.2f, mean factor %6.2f, order %5.2f", e.mae/n/3600, median(e.relative), e.factor(), e.order())
}

// factor is how far predictions are off, on a logarithmic average.
func (e *errs) factor() float64 { return math.Exp(e.log / float64(len(e.relative))) }

// order is the surplus of pairs that are in their true order over those that are not, as a
// part of all pairs that ran unequally long: 1 for the right order, 0 for chance.
func (e *errs) order() float64 {
	n := float64(len(e.ran))
	return learn.RunOrderTrust(e.predicted, e.ran) * (n + 20) / n
}

func score(known, rest []learn.Run, g guess) *errs {
	e := &errs{}
	walk(known, rest, g, func(r *learn.Run) { e.add(g.seconds(&r.Job), r.Ran.Seconds()) })
	return e
}

// covered counts how often run times were in 80 % intervals and below medians.
type covered struct{ in, below, n float64 }

func (c *covered) add(d *learn.RunTimeDist, r *learn.Run, after time.Duration) {
	if r.Ran <= after {
		return
	}
	left := r.Ran - after
	c.n++
	if left >= d.QuantileLeft(.1, after) && left <= d.QuantileLeft(.9, after) {
		c.in++
	}
	if left <= d.QuantileLeft(.5, after) {
		c.below++
	}
}

// asked are the times after which remaining times are predicted.
var asked = []time.Duration{0, 10 * time.Minute, time.Hour, 4 * time.Hour}

// try walks a model through the rest.
func try(t *testing.T, name string, rest []learn.Run, m learnt) (median *errs, c []covered) {
	mid, mean := &errs{}, &errs{}
	c = make([]covered, len(asked))
	walk(nil, rest, m, func(r *learn.Run) {
		d := m.RunTimeDistOf(&r.Job)
		left, _ := d.MeanLeft(0)
		mean.add(left.Seconds(), r.Ran.Seconds())
		mid.add(d.QuantileLeft(.5, 0).Seconds(), r.Ran.Seconds())
		for i := range asked {
			c[i].add(d, r, asked[i])
		}
	})
	t.Logf("%-22s %v", name+", mean", mean)
	t.Logf("%-22s %v", name+", median", mid)
	for i, a := range asked {
		t.Logf("%s after %v: %.3f in 80 %%, %.3f below the median", name, a, c[i].in/c[i].n, c[i].below/c[i].n)
	}
	return mid, c
}

// mostJobs of a workload are looked at, its last ones.
const mostJobs = 24_000

// sets are the workloads: one drawn, and public traces as far as they are here.
func sets(t *testing.T) map[string][]workload.Job {
	all := map[string][]workload.Job{"helios": generate.DayDrawer{DayCount: 28, ClusterGPUs: 256}.DrawJobs(1)}
	root := filepath.Join("..", "..", "..", "shared", "traces")
	for name, pattern := range map[string]string{"philly": "philly/philly_jobs_82k.csv", "itp": "ms-itp/raw-traces/*.csv", "openb": "alibaba-openb-2023/openb_pod_list_default.csv"} {
		paths, _ := filepath.Glob(filepath.Join(root, pattern))
		if len(paths) == 0 {
			t.Logf("left out: no %s in %s", pattern, root)
		}
		for _, p := range paths {
			tr, err := trace.ReadFile(p, trace.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range tr.Jobs {
				if len(paths) > 1 { // a cluster each
					tr.Jobs[i].Account, tr.Jobs[i].ID = filepath.Base(p), int64(len(all[name])+i+1)
				}
				tr.Jobs[i].Name = "" // what stands there names one job only
			}
			all[name] = append(all[name], tr.Jobs...)
		}
	}
	return all
}

// TestReproducePredictor learns run times from the first 70 % of a workload and
// predicts those of the others as they start, told of runs as they end. The model must be off by a smaller factor than the time
// limit, the median of all, the mean of the user (of the account, where users
// are not known) and the mean of the user's last two (D. Tsafrir, Y. Etsion,
// D. G. Feitelson, TPDS 2007), and four of five run times be between its 10 %
// and 90 % quantiles.
func TestReproducePredictor(t *testing.T) {
	everyone := sets(t)
	for _, name := range []string{"helios", "philly", "itp", "openb"} {
		jobs := everyone[name]
		if jobs == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			slices.SortStableFunc(jobs, func(a, b workload.Job) int { return cmp.Compare(a.Arrive, b.Arrive) })
			known, rest := split(jobs[max(0, len(jobs)-mostJobs):], .7)
			m := learn.Fit(known, 0)
			t.Logf("%d runs learnt, %d predicted", len(known), len(rest))
			user := func(j *learn.Job) string { return j.User + "/" + j.Account }
			best := math.Inf(1)
			for _, c := range []struct {
				name string
				g    guess
			}{
				{"time limit", &limits{}}, {"median of all", &middle{}},
				{"mean of the user", &usually{user, math.MaxInt, map[string][]float64{}, &middle{}}},
				{"last two of the user", &usually{user, 2, map[string][]float64{}, &middle{}}},
			} {
				e := score(known, rest, c.g)
				best = min(best, e.factor())
				t.Logf("%-22s %v", c.name, e)
			}
			try(t, "frozen model", rest, learnt{m, true})
			e, c := try(t, "model", rest, learnt{m, false})
			if e.factor() > best*.95 {
				t.Errorf("off by a factor of %.2f, a baseline by %.2f", e.factor(), best)
			}
			if in := c[0].in / c[0].n; in < .72 || in > .88 {
				t.Errorf("%.2f of run times in 80 %% intervals", in)
			}
		})
	}
}
