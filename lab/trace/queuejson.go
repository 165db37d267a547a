package trace

import (
	"bufio"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"fairbridge/replica/workload"
)

// queuedJob is what matters of a job of squeue --json, of any release.
type queuedJob struct {
	ID            int64          `json:"job_id"`
	Name          string         `json:"name"`
	User          string         `json:"user_name"`
	Account       string         `json:"account"`
	QOS           string         `json:"qos"`
	Partition     string         `json:"partition"`
	State         stringOrList   `json:"job_state"`
	Submit        numberOrObject `json:"submit_time"`
	Eligible      numberOrObject `json:"eligible_time"`
	Limit         numberOrObject `json:"time_limit"` // minutes
	RequestedTRES string         `json:"tres_req_str"`
	AllocatedTRES string         `json:"tres_alloc_str"`
	ArrayTasks    string         `json:"array_task_string"`
	HetJob        numberOrObject `json:"het_job_id"` // its first component; 0: none
}

// numberOrObject is one, or an object that says whether there is one.
type numberOrObject float64

func (n *numberOrObject) UnmarshalJSON(b []byte) error {
	var o struct {
		Set    bool
		Number float64
	}
	if b[0] == '{' {
		if err := json.Unmarshal(b, &o); err != nil {
			return err
		}
		if !o.Set {
			o.Number = 0
		}
		*n = numberOrObject(o.Number)
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// stringOrList is a word or several.
type stringOrList []string

func (w *stringOrList) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(w))
	}
	*w = make(stringOrList, 1)
	return json.Unmarshal(b, &(*w)[0])
}

func isQueueJSON(head string) bool { return isJSONOfJobs(head) && !isSacctJSON(head) }

// isSacctJSON reports whether it is what sacct --json prints: the times of a job are an object.
func isSacctJSON(head string) bool {
	return isJSONOfJobs(head) && strings.Contains(head, `"submission"`) && !strings.Contains(head, `"submit_time"`)
}

func isJSONOfJobs(head string) bool {
	return strings.HasPrefix(strings.TrimSpace(head), "{") && strings.Contains(head, `"job_id"`) && strings.Contains(head, `"jobs"`)
}

func readQueueJSON(in *bufio.Reader, s *jobCollector) error {
	s.Notes = append(s.Notes, squeueRunTimeNote)
	s.shiftsToFirstArrival = true
	return forEachElement(in, s, "jobs", func(q *queuedJob, line int) error {
		if len(q.State) == 0 || q.State[0] != "PENDING" && q.State[0] != "RUNNING" && q.State[0] != "SUSPENDED" {
			s.countIgnored("neither waiting nor running")
			return nil
		}
		j, err := q.toJob()
		switch {
		case err != nil:
			return s.rejectLine(line, err)
		case j.GPUs == 0:
			s.countIgnored(ignoredWithoutGPUs)
			return nil
		case j.Duration == 0:
			s.countIgnored("without a time limit")
			return nil
		}
		if q.HetJob > 0 {
			j.ID = int64(q.HetJob)
			return s.addComponent(j, strconv.FormatInt(j.ID, 10), line)
		}
		for range countArrayTasks(strconv.FormatInt(q.ID, 10) + "_[" + q.ArrayTasks + "]") {
			if err := s.addJob(j, line); err != nil {
				return err
			}
			j.ID = unassignedID
		}
		return nil
	})
}

func (q *queuedJob) toJob() (workload.Job, error) {
	j := workload.Job{
		ID: q.ID, Name: q.Name, User: q.User, Account: q.Account, QOS: q.QOS, Partition: q.Partition,
		Arrive: float64(max(q.Submit, q.Eligible)), TimeLimit: time.Duration(float64(q.Limit) * float64(time.Minute)),
	}
	if q.Limit < 0 || q.Limit > maxBelievedSeconds/60 {
		return j, newUnlocatedProblem("time_limit", "%g minutes make no sense", float64(q.Limit))
	}
	asked, err := parseTRES(q.RequestedTRES)
	if err != nil {
		return j, newUnlocatedProblem("tres_req_str", "%v", err)
	}
	had, err := parseTRES(q.AllocatedTRES)
	if err != nil {
		return j, newUnlocatedProblem("tres_alloc_str", "%v", err)
	}
	j.GPUs, j.GPUType, j.CPUs, j.MemMB = max(had.gpus, asked.gpus), asked.gpuType, max(had.cpus, asked.cpus), asked.memMB
	j.Duration = j.TimeLimit.Seconds()
	return j, nil
}

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
