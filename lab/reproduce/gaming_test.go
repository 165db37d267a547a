package reproduce

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"fairbridge/lab/exact"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
	"fairbridge/replica/forecast"
	"fairbridge/replica/measure"
	"fairbridge/replica/workload"
)

// trickster is the user who tries to gain.
const trickster = "user1"

// crowdedDay draws jobs of eight users, of minutes to ten hours, that want a fifth more
// than 32 GPUs for a day. They report their progress. Each user has an account, or all
// have one.
func crowdedDay(seed int64, ownAccounts bool) []workload.Job {
	r := rand.New(rand.NewPCG(uint64(seed), 11))
	var jobs []workload.Job
	for want := 1.2 * 32 * 24 * 3600.; want > 0; {
		user := fmt.Sprintf("user%d", 1+len(jobs)%8)
		j := workload.Job{ID: int64(len(jobs) + 1), User: user, Account: "all", Name: user + "-train", GPUs: []int{1, 1, 1, 2, 2, 4, 8}[r.IntN(7)],
			Duration: math.Round(min(max(3600*math.Exp(1.2*r.NormFloat64()), 300), 36000)), Arrive: math.Floor(r.Float64() * 24 * 3600)}
		if ownAccounts {
			j.Account = user
		}
		j.TimeLimit = policy.DurationFromSeconds(math.Ceil(j.Duration * (1.2 + 3*r.Float64())))
		jobs, want = append(jobs, j), want-float64(j.GPUs)*j.Duration
	}
	return jobs
}

// reported is the default policy as it is told of jobs: their reports, which those of the
// trickster falsify, and what is learnt of run times, as live.
type reported struct {
	policy.Policy
	learner *forecast.Learner
	part    float64 // of what is left, as the trickster's jobs report it
}

// Decide implements policy.Policy.
func (p reported) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	s = s.Clone()
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.PredictedLeft, j.PredictedSigma = p.learner.ForecastAt(s.Now).PredictTimeLeft(j); j.User != trickster || j.Training == nil {
			continue
		}
		t := *j.Training
		t.Steps = t.StepsDone + (t.Steps-t.StepsDone)*p.part
		j.Training = &t
		if j.Progress.Known && t.Steps > 0 {
			j.Progress.Value = t.StepsDone / t.Steps
		}
	}
	return p.Policy.Decide(s)
}

// crowd runs jobs under the default policy with the daemon's parameters, and returns how long
// the jobs took in the mean, those of the trickster and the others'.
func crowd(t *testing.T, jobs []workload.Job, part float64) (own, others float64, run *measure.Run) {
	t.Helper()
	e, err := catalogue.FindSystem("fairbridge")
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	learner := forecast.NewLearner()
	run = simulate(t, exact.Config{Policy: reported{p, learner, part}, RunTimes: learner, Nodes: cluster(4, 8, "a100"), Jobs: jobs,
		Clock: exact.NewEventClock(time.Minute, 10*time.Minute, 30*time.Second)})
	sum, n := map[bool]float64{}, map[bool]float64{}
	for _, o := range run.JobOutcomes {
		sum[o.User == trickster] += o.Finish - o.Arrive
		n[o.User == trickster]++
	}
	return sum[true] / n[true], sum[false] / n[false], run
}

// TestReportingLessGains: how much sooner the jobs of a user are done who reports a tenth
// of what is left.
func TestReportingLessGains(t *testing.T) {
	for _, ownAccounts := range []bool{false, true} {
		var gains, costs []float64
		for seed := int64(1); seed <= 12; seed++ {
			jobs := crowdedDay(seed, ownAccounts)
			honest, othersHonest, _ := crowd(t, jobs, 1)
			lying, othersLying, _ := crowd(t, jobs, .1)
			gains, costs = append(gains, lying/honest), append(costs, othersLying/othersHonest)
		}
		t.Logf("own accounts %t: completion of who reports a tenth over that of who reports the truth: %.3f, in all %.3f; of the others %.3f", ownAccounts, gains, stat.GeometricMean(gains, nil), stat.GeometricMean(costs, nil))
		if m := stat.GeometricMean(gains, nil); m < .85 {
			t.Errorf("who reports a tenth of what is left is done in %.3f of the time", m)
		}
	}
}

// TestSplittingGains: how much sooner the work of a user is done whose every job comes as
// four jobs of a quarter of its length. Four at a time need a quarter of the time, which is
// no merit of their place in line: so what counts is how long they wait.
func TestSplittingGains(t *testing.T) {
	for _, ownAccounts := range []bool{false, true} {
		var completion, waiting, others []float64
		for seed := int64(1); seed <= 12; seed++ {
			jobs := crowdedDay(seed, ownAccounts)
			_, before, whole := crowd(t, jobs, 1)
			_, after, split := crowd(t, splitInFour(jobs), 1)
			endWhole, waitedWhole := untilLastPiece(whole)
			endSplit, waitedSplit := untilLastPiece(split)
			completion, waiting, others = append(completion, endSplit/endWhole), append(waiting, waitedSplit/waitedWhole), append(others, after/before)
		}
		t.Logf("own accounts %t: in four pieces over whole: waiting %.2f, median %.3f; completion %.3f; of the others %.3f", ownAccounts, waiting, median(waiting), stat.GeometricMean(completion, nil), stat.GeometricMean(others, nil))
		if m := median(waiting); m < .9 {
			t.Errorf("who cuts every job in four waits %.3f of the time", m)
		}
	}
}

const pieceID = 1_000_000 // the pieces of job 7 are 7, 1000007, 2000007 and 3000007

func splitInFour(jobs []workload.Job) (all []workload.Job) {
	for _, j := range jobs {
		n := 1
		if j.User == trickster {
			n, j.Duration = 4, j.Duration/4
		}
		for k := range n {
			piece := j
			piece.ID += int64(k) * pieceID
			all = append(all, piece)
		}
	}
	return all
}

// untilLastPiece is the mean time until all pieces of a job of the trickster are done, and
// how much of it is more than a piece takes alone.
func untilLastPiece(run *measure.Run) (end, waited float64) {
	ends, alone := map[int64]float64{}, map[int64]float64{}
	for _, o := range run.JobOutcomes {
		if o.User == trickster {
			ends[o.ID%pieceID] = max(ends[o.ID%pieceID], o.Finish-o.Arrive)
			alone[o.ID%pieceID] = o.ExclusiveRunSeconds
		}
	}
	for id, x := range ends {
		end, waited = end+x, waited+x-alone[id]
	}
	return end / float64(len(ends)), waited / float64(len(ends))
}
