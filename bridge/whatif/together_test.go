package whatif

import (
	"math"
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/scripts/verify/part"
)

// measureTogether compares the middles of requests and of the smaller ones that stand for them, estimated
// together with so many draws, with those of each alone, laid out as often as ever: the median and the worst of
// the differences, as parts of the wait.
func measureTogether(t testing.TB, q *Submission, requests []policy.Job, how Effort) (medianOfMain, worstOfMain, medianOfSmaller, worstOfSmaller float64) {
	t.Helper()
	var mains, smallers []float64
	for _, j := range requests {
		jobs := []*policy.Job{&j}
		smaller := q.possibleRequests(slices.Concat(requestsWithLessRoom(&j), requestsWithLessTime(&j)))
		for i := range smaller {
			jobs = append(jobs, &smaller[i])
		}
		got, err := q.estimateJobs(jobs, how)
		if err != nil {
			t.Fatal(err)
		}
		var whole time.Duration
		for i, one := range jobs {
			alone, err := q.estimateJobs([]*policy.Job{ptrTo(*one)}, Effort{DrawCount: 24})
			if err != nil {
				t.Fatal(err)
			}
			want, _ := firstOf(alone)
			wait, is := want.Start.Middle.Sub(q.Snapshot.Now), got[one.ID].Start.Middle.Sub(q.Snapshot.Now)
			off := math.Abs((is - wait).Seconds()) / max(wait, 10*time.Minute).Seconds()
			if i == 0 {
				mains, whole = append(mains, off), wait
			} else if wait < whole {
				smallers = append(smallers, off)
			}
		}
	}
	slices.Sort(mains)
	slices.Sort(smallers)
	if len(smallers) == 0 {
		smallers = []float64{0}
	}
	return mains[len(mains)/2], mains[len(mains)-1], smallers[len(smallers)/2], smallers[len(smallers)-1]
}

func ptrTo[T any](v T) *T { return &v }

func firstOf(byJob map[policy.JobID]JobStart) (JobStart, bool) {
	for _, s := range byJob {
		return s, true
	}
	return JobStart{}, false
}

// requestsOf are requests of many shapes by users who had much and little.
func requestsOf(s *policy.Snapshot) (list []policy.Job) {
	for i, gpus := range []int{1, 2, 4, 8, 16, 32} {
		for k, limit := range []time.Duration{time.Hour, 4 * time.Hour, 24 * time.Hour} {
			j := NewRequest(s, "gpu", policy.GPUs{Count: gpus}, max(gpus/8, 1), limit)
			j.User, j.Account = "u1", []string{"a1", "a7", "new"}[(i+k)%3]
			list = append(list, j)
		}
	}
	return list
}

// Together is as one by one, within what fewer draws cost.
func TestTogetherIsAsOneByOne(t *testing.T) {
	part.Only(t, "studies")
	q, _ := askLargeSite(t, 24, 160)
	main, worst, smaller, worstSmaller := measureTogether(t, q, requestsOf(q.Snapshot), Effort{DrawCount: 24})
	t.Logf("24 draws: the request off by %.3f, at worst %.3f; smaller ones by %.3f, at worst %.3f", main, worst, smaller, worstSmaller)
	if main > .05 || smaller > .2 {
		t.Errorf("as many draws: off by %.3f, smaller ones by %.3f", main, smaller)
	}
}

// BenchmarkTogether says what fewer draws cost in accuracy on a large site.
func BenchmarkTogether(b *testing.B) {
	q, _ := askLargeSite(b, 1000, 8000)
	for _, how := range []Effort{{minDrawCount, .02}, {minDrawCount, .05}, {9, .05}} {
		main, worst, smaller, worstSmaller := measureTogether(b, q, requestsOf(q.Snapshot)[7:10], how)
		b.Logf("%+v: the request off by %.3f, at worst %.3f; smaller ones by %.3f, at worst %.3f", how, main, worst, smaller, worstSmaller)
	}
}
