package study

import (
	"time"

	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// LimitSource says where the time limits of a scenario's plain jobs come from.
type LimitSource string

// The sources there are.
const (
	NoLimits        LimitSource = "none"      // no job is a plain one
	AskedLimits     LimitSource = "asked"     // all as their owners asked
	PartitionLimits LimitSource = "partition" // as asked, those without have the partition's
	DrawnLimits     LimitSource = "drawn"     // none is known: over-asked as in drawn days
)

// Describe says it in a sentence.
func (l LimitSource) Describe() string {
	switch l {
	case AskedLimits:
		return "Time limits are those that were asked for."
	case PartitionLimits:
		return "Time limits are those that were asked for; a job without one has the partition's, the greatest there is."
	case DrawnLimits:
		return "The jobs have no time limits of their own: four of ten have the partition's, the others a multiple of their run time (4 in the median), as in drawn days."
	}
	return ""
}

// fillTimeLimits gives every plain job the time limit that a live one has: Slurm knows
// no job without. The partition's allows the longest run, in whole days.
func (s *Scenario) fillTimeLimits() {
	var plain []*workload.Job
	longest, asked, missing := time.Duration(0), time.Duration(0), 0
	for i := range s.Jobs {
		j := &s.Jobs[i]
		if j.Training != nil || j.Goodput != nil {
			continue
		}
		plain = append(plain, j)
		longest, asked = max(longest, policy.DurationFromSeconds(longestSeconds(j))), max(asked, j.TimeLimit)
		if j.TimeLimit <= 0 {
			missing++
		}
	}
	const day = 24 * time.Hour
	greatest := max(asked, (longest + day - 1).Truncate(day))
	switch {
	case len(plain) == 0:
		s.LimitSource = NoLimits
	case missing == 0:
		s.LimitSource = AskedLimits
	case missing < len(plain):
		s.LimitSource = PartitionLimits
	default:
		s.LimitSource = DrawnLimits
	}
	for _, j := range plain {
		switch {
		case j.TimeLimit > 0:
		case s.LimitSource == DrawnLimits:
			j.TimeLimit = workload.TimeLimitOfJob(j.ID, longestSeconds(j), greatest)
		default:
			j.TimeLimit = greatest
		}
	}
}

// longestSeconds is how long a plain job runs on the slowest GPUs it can use.
func longestSeconds(j *workload.Job) float64 {
	slowest := 1.0
	for _, v := range j.Speeds {
		if v > 0 {
			slowest = min(slowest, v)
		}
	}
	return j.Duration / slowest
}
