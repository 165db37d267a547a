package predict

import (
	"cmp"
	"slices"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
)

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
