package trace

import (
	"bufio"
	"strings"

	"fairbridge/replica/workload"
)

// phillyJob is a job of Philly's original cluster_job_log. Jobs that failed were
// started again: each start is an attempt.
type phillyJob struct {
	ID        string `json:"jobid"`
	VC        string `json:"vc"`
	User      string `json:"user"`
	Status    string `json:"status"`
	Submitted string `json:"submitted_time"`
	Attempts  []struct {
		Start  string `json:"start_time"`
		End    string `json:"end_time"`
		Detail []struct {
			GPUs []string `json:"gpus"`
		} `json:"detail"`
	} `json:"attempts"`
}

func isPhillyLog(head string) bool {
	return strings.HasPrefix(strings.TrimSpace(head), "[") && strings.Contains(head, `"attempts"`) && strings.Contains(head, `"submitted_time"`)
}

func readPhillyLog(in *bufio.Reader, s *jobCollector) error {
	s.shiftsToFirstArrival = true
	return forEachElement(in, s, "", func(p *phillyJob, line int) error {
		j, why, err := p.toJob()
		switch {
		case err != nil:
			return s.rejectLine(line, err)
		case why != "":
			s.countIgnored(why)
			return nil
		}
		return s.addJob(j, line)
	})
}

// toJob takes the attempts together: the time of all, the GPUs of the largest.
func (p *phillyJob) toJob() (j workload.Job, why string, err error) {
	j = workload.Job{ID: unassignedID, Name: p.ID, User: p.User, Account: p.VC, End: map[string]workload.JobEnd{"Failed": workload.Failed, "Killed": workload.Cancelled}[p.Status]}
	switch {
	case len(p.Attempts) == 0:
		return j, ignoredNeverRan, nil
	case isMissing(p.Submitted):
		return j, "whose submission is not known", nil
	}
	if j.Arrive, err = parseTime(p.Submitted); err != nil {
		return j, "", newUnlocatedProblem("submitted_time", "%v", err)
	}
	for _, a := range p.Attempts {
		if isMissing(a.End) || isMissing(a.Start) {
			return j, ignoredNotEnded, nil
		}
		start, err := parseTime(a.Start)
		if err != nil {
			return j, "", newUnlocatedProblem("start_time", "%v", err)
		}
		end, err := parseTime(a.End)
		if err != nil {
			return j, "", newUnlocatedProblem("end_time", "%v", err)
		}
		if end < start {
			return j, "", newUnlocatedProblem("end_time", "%s is before the start %s", a.End, a.Start)
		}
		gpus := 0
		for _, d := range a.Detail {
			gpus += len(d.GPUs)
		}
		j.Duration += end - start
		j.GPUs = max(j.GPUs, gpus)
	}
	switch {
	case j.Duration == 0:
		return j, ignoredNeverRan, nil
	case j.GPUs == 0:
		return j, ignoredWithoutGPUs, nil
	}
	return j, "", nil
}

// isMissing reports whether a time is missing.
func isMissing(s string) bool { return s == "" || s == "None" }
