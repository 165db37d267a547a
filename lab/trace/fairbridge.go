package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"fairbridge/bridge/datafile"
	"fairbridge/policy"
	"fairbridge/replica/workload"
)

// ownFormatVersion is the version of our own format; readers refuse newer ones.
const ownFormatVersion = 1

// ownHeader is the first line of a trace of ours.
type ownHeader struct {
	Version  int              `json:"fairbridge_trace"`
	Name     string           `json:"name,omitempty"`
	Start    time.Time        `json:"start,omitzero"`
	Accounts []policy.Account `json:"accounts,omitempty"`
}

// jobLine is a job in it. Times are seconds, the limit is like "2h30m0s".
type jobLine struct {
	ID         int64              `json:"id"`
	Name       string             `json:"name,omitempty"`
	User       string             `json:"user,omitempty"`
	Account    string             `json:"account,omitempty"`
	QOS        string             `json:"qos,omitempty"`
	Partition  string             `json:"partition,omitempty"`
	Class      string             `json:"class,omitempty"`
	Arrive     float64            `json:"arrive"`
	GPUs       int                `json:"gpus"`
	GPUType    string             `json:"gpu_type,omitempty"`
	MinGPUs    int                `json:"min_gpus,omitempty"`
	MaxGPUs    int                `json:"max_gpus,omitempty"`
	CPUs       int                `json:"cpus,omitempty"`
	MemMB      int64              `json:"mem_mb,omitempty"`
	Limit      string             `json:"limit,omitempty"`
	Deadline   float64            `json:"deadline,omitempty"`
	Weight     float64            `json:"weight,omitempty"`
	Duration   float64            `json:"duration,omitempty"`
	Speeds     map[string]float64 `json:"speeds,omitempty"`
	Training   *workload.Training `json:"training,omitempty"`
	Scaling    *policy.Scaling    `json:"scaling,omitempty"`
	End        workload.JobEnd    `json:"end,omitempty"`
	Checkpoint float64            `json:"checkpoint,omitempty"`
	Fixed      bool               `json:"fixed,omitempty"`
	Shareable  bool               `json:"shareable,omitempty"`
	Sharing    *policy.Sharing    `json:"sharing,omitempty"`
	CPUScaling *policy.CPUScaling `json:"cpu_scaling,omitempty"`
	Mixed      bool               `json:"mixed,omitempty"`
	Silent     bool               `json:"silent,omitempty"`
}

func isFairbridgeFormat(head string) bool {
	return strings.HasPrefix(strings.TrimSpace(head), `{"fairbridge_trace"`)
}

// ListUnwritten says, in sentences, what our own format has no place for and Save leaves behind.
func (t *Trace) ListUnwritten() []string {
	profiled := 0
	for i := range t.Jobs {
		if t.Jobs[i].Goodput != nil {
			profiled++
		}
	}
	if profiled == 0 {
		return nil
	}
	return []string{fmt.Sprintf("profiles are left behind: of %s only how long it runs on what it asks is written", policy.FormatCount(profiled, "job"))}
}

// Save writes the trace to a file in our own format, in the way of datafile.SaveFile.
func (t *Trace) Save(path string, replace bool) error {
	return datafile.SaveFile(path, replace, t.Write)
}

// Write writes the trace in our own format: a line of JSON that says so, then
// one for each job. Reading it gives the same jobs, but for the lines they
// stand in.
func (t *Trace) Write(w io.Writer) error {
	out := bufio.NewWriter(w)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	if err := e.Encode(ownHeader{ownFormatVersion, t.Name, t.Start, t.Accounts}); err != nil {
		return fmt.Errorf("writing the header of trace %s: %w", t.Name, err)
	}
	for i := range t.Jobs {
		if err := e.Encode(lineFromJob(&t.Jobs[i])); err != nil {
			return fmt.Errorf("writing job %d: %w", t.Jobs[i].ID, err)
		}
	}
	return out.Flush()
}

func lineFromJob(j *workload.Job) jobLine {
	l := jobLine{
		ID: j.ID, Name: j.Name, User: j.User, Account: j.Account, QOS: j.QOS, Partition: j.Partition, Class: j.Class,
		Arrive: j.Arrive, GPUs: j.GPUs, GPUType: j.GPUType, MinGPUs: j.MinGPUs, MaxGPUs: j.MaxGPUs, CPUs: j.CPUs, MemMB: j.MemMB,
		Deadline: j.Deadline, Weight: j.Weight, Duration: j.Duration, Speeds: j.Speeds, Training: j.Training, Scaling: j.Scaling, End: j.End,
		Checkpoint: j.RestartCostSeconds, Fixed: j.IsUnstoppable, Shareable: j.IsShareable, Sharing: j.Sharing, Silent: j.IsSilent,
		CPUScaling: j.CPUScaling, Mixed: j.AcceptsMixedTypes,
	}
	if j.TimeLimit != 0 {
		l.Limit = j.TimeLimit.String()
	}
	return l
}

func (l *jobLine) toJob() (workload.Job, error) {
	j := workload.Job{
		ID: l.ID, Name: l.Name, User: l.User, Account: l.Account, QOS: l.QOS, Partition: l.Partition, Class: l.Class,
		Arrive: l.Arrive, GPUs: l.GPUs, GPUType: l.GPUType, MinGPUs: l.MinGPUs, MaxGPUs: l.MaxGPUs, CPUs: l.CPUs, MemMB: l.MemMB,
		Deadline: l.Deadline, Weight: l.Weight, Duration: l.Duration, Speeds: l.Speeds, Training: l.Training, Scaling: l.Scaling, End: l.End,
		RestartCostSeconds: l.Checkpoint, IsUnstoppable: l.Fixed, IsShareable: l.Shareable, Sharing: l.Sharing, IsSilent: l.Silent,
		CPUScaling: l.CPUScaling, AcceptsMixedTypes: l.Mixed,
	}
	switch j.End {
	case workload.Completed, workload.Failed, workload.Cancelled:
	default:
		return j, newUnlocatedProblem("end", "%q, want failed, cancelled or nothing", j.End)
	}
	if l.Limit != "" {
		d, err := time.ParseDuration(l.Limit)
		if err != nil {
			return j, newUnlocatedProblem("limit", "%q, want like \"2h30m\"", l.Limit)
		}
		j.TimeLimit = d
	}
	if l.ID == 0 {
		return j, newUnlocatedProblem("id", "it is missing or 0, want a positive number")
	}
	return j, nil
}

func readFairbridgeFormat(in *bufio.Reader, s *jobCollector) error {
	return forEachLine(in, s, func(n int, text string) error {
		if n == 1 {
			return s.readHeader(text)
		}
		if strings.TrimSpace(text) == "" {
			return nil
		}
		var l jobLine
		if err := decodeStrict(text, &l); err != nil {
			return s.rejectLine(n, err)
		}
		j, err := l.toJob()
		if err != nil {
			return s.rejectLine(n, err)
		}
		return s.addJob(j, n)
	})
}

func (s *jobCollector) readHeader(text string) error {
	var h ownHeader
	if err := json.Unmarshal([]byte(text), &h); err != nil {
		return workload.Problem{File: s.path, Line: 1, Message: fmt.Sprintf("the header is no JSON: %v", err)}
	}
	if h.Version < 1 || h.Version > ownFormatVersion {
		return workload.Problem{File: s.path, Line: 1, Column: "fairbridge_trace", Message: fmt.Sprintf("version %d; this program reads up to %d, use a newer one", h.Version, ownFormatVersion)}
	}
	if h.Name != "" {
		s.Name = h.Name
	}
	for _, a := range h.Accounts {
		if a.Name == "" || a.Weight < 0 {
			return workload.Problem{File: s.path, Line: 1, Column: "accounts", Message: fmt.Sprintf("account %q with weight %g makes no sense", a.Name, a.Weight)}
		}
	}
	s.Start, s.Accounts = h.Start, h.Accounts
	return nil
}

// decodeStrict decodes one JSON value and nothing else.
func decodeStrict(text string, into any) error {
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	var wrong *json.UnmarshalTypeError
	switch err := d.Decode(into); {
	case errors.As(err, &wrong):
		return newUnlocatedProblem(wrong.Field, "a %s, want %s", wrong.Value, wrong.Type)
	case err != nil:
		return newUnlocatedProblem("", "%s", strings.TrimPrefix(err.Error(), "json: "))
	case d.More():
		return newUnlocatedProblem("", "more than one JSON value; want one job a line")
	}
	return nil
}
