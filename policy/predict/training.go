// Package predict says what a job will need: the rungs of the information
// ladder, from what the job itself reports down to what it has received so
// far.
package predict

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

// FromTraining names the rung of jobs that report or are known to have a
// number of steps and a speed.
const FromTraining = "training"

// Training takes the steps left over the steps per second, on the GPUs the job
// holds or asks for; for a job that takes any type, on the fastest of those that
// the cluster has, which is what it is placed on first.
type Training struct{}

// Predict implements engine.Predictor.
func (Training) Predict(r *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	if e.Training == nil {
		return engine.TimeLeftEstimate{}
	}
	left, ok := e.Training.TimeLeft(gpuTypeOfJob(e.Job))
	if !ok {
		left = leastTimeLeft(e.Training, r)
	}
	return engine.TimeLeftEstimate{TimeLeft: left, Source: FromTraining, Trust: 1}
}

// OnFastestType returns the estimate as if the job ran, as it would if it started anew, on the
// fastest type it may have. Where it happens to run now makes it neither longer nor
// shorter: a job that is longer while it runs and shorter while it waits would take
// turns with others for ever.
func OnFastestType(r *engine.Round, e *engine.Entry) time.Duration {
	if e.Estimate().Source != FromTraining || e.Ask.GPUs.Type != "" || !e.HoldsGPUs() {
		return e.Estimate().TimeLeft
	}
	if left := leastTimeLeft(e.Training, r); left > 0 {
		return left
	}
	return e.Estimate().TimeLeft
}

func gpuTypeOfJob(j *policy.Job) string {
	if len(j.On) > 0 {
		return j.On.FirstType()
	}
	return j.Ask.GPUs.Type
}

// leastTimeLeft returns the least time left on any type that the cluster has, else on
// any; 0 when no speed is known.
func leastTimeLeft(t *policy.Training, r *engine.Round) (least time.Duration) {
	for _, rate := range t.Rates {
		if left, ok := t.TimeLeft(rate.Type); ok && r.HasGPUType(rate.Type) && (least == 0 || left < least) {
			least = left
		}
	}
	if least == 0 && r != nil && r.FreePool != nil {
		return leastTimeLeft(t, nil)
	}
	return least
}

// Limit takes the time limit times the share of their limits the user's jobs
// typically use, where that is known. A job past that typical end is given
// what its limit still allows.
type Limit struct{}

// Predict implements engine.Predictor.
func (Limit) Predict(r *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	if e.Job.Limit <= 0 {
		return engine.TimeLeftEstimate{}
	}
	typical := time.Duration(float64(e.Job.Limit) * typicalLimitUse(r.Snapshot, e.Job))
	left := typical - max(e.TotalRunTime(), e.Ran(r.Now))
	if left <= 0 {
		left = e.Job.Limit - e.Ran(r.Now)
	}
	return engine.TimeLeftEstimate{TimeLeft: max(left, 0), Source: FromLimit}
}

// typicalLimitUse returns the user's typical share of a limit; 1 when unknown. Users are
// sorted by name; one in several accounts has several lines, and the job's
// account decides.
func typicalLimitUse(s *policy.Snapshot, j *policy.Job) float64 {
	for i := firstIndexOfUser(s.Users, j.User); i < len(s.Users) && s.Users[i].Name == j.User; i++ {
		u := s.Users[i]
		if u.Account == j.Account && u.TypicalLimitUse.Known && u.TypicalLimitUse.Value > 0 && u.TypicalLimitUse.Value <= 1 {
			return u.TypicalLimitUse.Value
		}
	}
	return 1
}

// firstIndexOfUser returns where the lines of the user begin.
func firstIndexOfUser(users []policy.User, name string) int {
	i, _ := slices.BinarySearchFunc(users, name, func(u policy.User, name string) int {
		return cmp.Compare(u.Name, name)
	})
	return i
}

// Progress extrapolates the share of its work a job reports as done: what took
// so long for that share takes in proportion for the rest.
type Progress struct{}

// Predict implements engine.Predictor.
func (Progress) Predict(_ *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	done := e.Progress.Value
	ran := e.TotalRunTime()
	if !e.Progress.Known || !(done > 0 && done < 1) || ran <= 0 {
		return engine.TimeLeftEstimate{}
	}
	left := ran.Seconds() * (1 - done) / done
	return engine.TimeLeftEstimate{TimeLeft: policy.DurationFromSeconds(left), Source: FromProgress, Trust: 1}
}

// History passes on what was predicted for the job from the history of its
// user, account, name and size.
type History struct{}

// Predict implements engine.Predictor.
func (History) Predict(r *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	left, sigma := r.PredictedTimeLeft(e.Job)
	if left <= 0 {
		return engine.TimeLeftEstimate{}
	}
	return engine.TimeLeftEstimate{TimeLeft: left, TimeLeftSigma: max(sigma, 0), Source: FromHistory, Trust: r.TrustInPredictions()}
}

// Attained is the rule of thumb for heavy-tailed run times, for a job of which
// nothing is known: it will run as long again as it has run so far.
type Attained struct{}

// Predict implements engine.Predictor.
func (Attained) Predict(_ *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	ran := e.TotalRunTime()
	if ran <= 0 {
		return engine.TimeLeftEstimate{}
	}
	return engine.TimeLeftEstimate{TimeLeft: ran, TimeLeftSigma: ran, Source: FromAttained}
}

// MedianRunTime returns the median run time of finished jobs; without any, more than
// every estimate.
func MedianRunTime(history []policy.FinishedJob) time.Duration {
	if median := RunTimeQuantiles(history, .5); len(median) > 0 {
		return median[0]
	}
	return 1 << 62
}

// RunTimeQuantiles returns the run times below which such parts of finished jobs are, ascending; nil without any jobs.
func RunTimeQuantiles(history []policy.FinishedJob, parts ...float64) []time.Duration {
	if len(history) == 0 {
		return nil
	}
	ran := make([]time.Duration, len(history))
	for i, h := range history {
		ran[i] = h.Ran
	}
	slices.Sort(ran)
	quantiles := make([]time.Duration, len(parts))
	for i, part := range parts {
		quantiles[i] = ran[min(int(part*float64(len(ran))), len(ran)-1)]
	}
	return quantiles
}

// Names of the rungs, as they stand in Estimate.Source.
const (
	FromRegimes  = "regimes" // not on the Ladder
	FromProgress = "progress"
	FromHistory  = engine.FromHistory
	FromLimit    = "limit"
	FromAttained = "attained"
)

// Ladder asks its rungs in turn and keeps the first estimate that knows
// something. An empty one stands for all rungs: the best a job offers.
type Ladder []engine.Predictor

var fullLadder = Ladder{Training{}, Progress{}, History{}, Limit{}, Attained{}}

// Predict implements engine.Predictor.
func (l Ladder) Predict(r *engine.Round, e *engine.Entry) engine.TimeLeftEstimate {
	if len(l) == 0 {
		l = fullLadder
	}
	for _, p := range l {
		if est := p.Predict(r, e); est.TimeLeft > 0 {
			return est
		}
	}
	return engine.TimeLeftEstimate{}
}
