package colocate

import (
	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/interference"
	"fairbridge/policy/interleave"
)

// MaxJobs is how many jobs a pack has at most.
const MaxJobs = interleave.MaxJobs

// oneInTen is how many standard errors below what is expected one pair in ten is.
const oneInTen = 1.2816

// wholeShare is all of a GPU: jobs whose parts of it, by how busy they keep it, are more than that together
// are not known to gain beside each other.
const wholeShare = 4

// Model says how fast jobs are beside each other, in one round. By the seconds that a step needs each
// kind of resource, where that is known of all of them (package interleave); else by how much of the time
// their GPUs compute, and then as slow as one pair in ten is (package interference).
type Model struct {
	times interleave.Times
}

// Speeds are those of the jobs of a pack, relative to their speeds alone.
type Speeds [MaxJobs]float64

// IsProfiled reports whether something is known of how the job does beside others.
func IsProfiled(j *policy.Job) bool {
	if !j.Shareable {
		return false
	}
	_, known := interleave.JobOf(j.Sharing)
	return known || interference.Utilisation(j).Known
}

// SpeedsOf returns how fast each of the jobs goes beside the others; known is false where their
// profiles do not tell.
func (m *Model) SpeedsOf(jobs []*engine.Entry) (s Speeds, known bool) {
	if len(jobs) == 1 {
		return Speeds{1}, true
	}
	if len(jobs) > MaxJobs {
		return s, false
	}
	if s, known = m.byStages(jobs); known {
		return s, true
	}
	return byUse(jobs)
}

// byStages goes by the stages of the jobs' steps.
func (m *Model) byStages(jobs []*engine.Entry) (s Speeds, known bool) {
	var staged [MaxJobs]interleave.Job
	for i, e := range jobs {
		if staged[i], known = interleave.JobOf(e.Sharing); !known {
			return s, false
		}
	}
	step := m.times.StepSeconds(staged[:len(jobs)])
	for i := range jobs {
		s[i] = staged[i].StepSeconds / step
	}
	return s, step > 0
}

// byUse goes by how much of the time the jobs' GPUs compute. A job that computes most of the time is
// not known to gain beside any: it needs the whole GPU, as where shares of it are given out.
func byUse(jobs []*engine.Entry) (s Speeds, known bool) {
	shares := 0
	for i, e := range jobs {
		class, known := interference.ClassOf(e.Job)
		if shares += sharesOf[class]; !known || shares > wholeShare {
			return s, false
		}
		s[i] = 1
		for k, o := range jobs[:i] {
			s[i] *= interference.JobBeside(e.Job, o.Job).Low(oneInTen)
			s[k] *= interference.JobBeside(o.Job, e.Job).Low(oneInTen)
		}
	}
	return s, true
}

// sharesOf is how many of wholeShare parts of a GPU jobs of a class need.
var sharesOf = [...]int{interference.Tiny: 1, interference.Medium: 2, interference.Jumbo: wholeShare}
