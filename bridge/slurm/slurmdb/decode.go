package slurmdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// reply is what surrounds every list.
type reply struct {
	Meta struct {
		Slurm  struct{ Release, Cluster string } `json:"slurm"`
		Client json.RawMessage                   `json:"client"`
	} `json:"meta"`
	Errors []struct {
		Description, Error, Source string
		Number                     int64 `json:"error_number"`
	} `json:"errors"`
	Jobs         *recordList[jobRecord]         `json:"jobs"`
	Associations *recordList[associationRecord] `json:"associations"`
	Users        *recordList[userRecord]        `json:"users"`
}

// recordList is a list whose records are read one by one where they cannot all be: bad names
// those that are of another shape, which stop no other.
type recordList[T any] struct {
	records []T
	bad     []error
}

// UnmarshalJSON fails where b is no list.
func (l *recordList[T]) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &l.records) == nil {
		return nil
	}
	var each []json.RawMessage
	if err := json.Unmarshal(b, &each); err != nil {
		return err
	}
	l.records = nil
	for _, text := range each {
		var r T
		if err := json.Unmarshal(text, &r); err != nil {
			l.bad = append(l.bad, fmt.Errorf("%s: %w", nameRecord(text), err))
			continue
		}
		l.records = append(l.records, r)
	}
	return nil
}

// nameRecord says which record it is, by what names records.
func nameRecord(text json.RawMessage) string {
	var of struct {
		JobID   json.RawMessage `json:"job_id"`
		Account json.RawMessage `json:"account"`
		User    json.RawMessage `json:"user"`
		Name    json.RawMessage `json:"name"`
	}
	if json.Unmarshal(text, &of) != nil {
		return "record " + clipText(string(text))
	}
	if of.JobID != nil {
		return "job " + clipText(string(of.JobID))
	}
	name := "record"
	for _, part := range []json.RawMessage{of.Account, of.User, of.Name} {
		if part != nil {
			name += " " + clipText(string(part))
		}
	}
	return name
}

// jobRecord is a job as slurmrestd writes it.
type jobRecord struct {
	ID          int64  `json:"job_id"`
	SLUID       string `json:"sluid"`
	Name        string `json:"name"`
	User        string `json:"user"`
	Account     string `json:"account"`
	QOS         string `json:"qos"`
	Partition   string `json:"partition"`
	Cluster     string `json:"cluster"`
	Nodes       string `json:"nodes"`
	Association struct {
		User    string `json:"user"`
		Account string `json:"account"`
	} `json:"association"`
	State struct {
		Current wordList `json:"current"`
		Reason  string   `json:"reason"`
	} `json:"state"`
	Time struct {
		Submission, Eligible, Start, End, Suspended, Limit optionalNumber
	} `json:"time"`
	Array struct {
		Job  optionalNumber `json:"job_id"`
		Task optionalNumber `json:"task_id"`
	} `json:"array"`
	Restarts *optionalNumber `json:"restart_cnt"`
	TRES     struct {
		Allocated, Requested []tresRecord
	} `json:"tres"`
}

// tresRecord is one trackable resource as slurmrestd writes it.
type tresRecord struct {
	Type, Name string
	Count      optionalNumber
}

// errNoList is of a reply without the list that was asked for.
var errNoList = errors.New("the reply has no")

// readReply reads a reply; want names the list it must hold.
func readReply(r io.Reader, want string) (reply, slurm.ReplyMeta, error) {
	var out reply
	dec := json.NewDecoder(r)
	if err := dec.Decode(&out); err != nil {
		return reply{}, slurm.ReplyMeta{}, fmt.Errorf("after %d bytes: %w", dec.InputOffset(), err)
	}
	meta := slurm.ReplyMeta{Release: out.Meta.Slurm.Release, Cluster: out.Meta.Slurm.Cluster}
	for _, e := range out.Errors {
		text := slices.DeleteFunc([]string{e.Description, e.Error, e.Source}, func(s string) bool { return s == "" })
		meta.Errors = append(meta.Errors, slurm.Problem{ErrorNumber: int(e.Number), Text: strings.Join(text, ", ")})
	}
	if len(meta.Errors) == 0 && !out.hasList(want) {
		return reply{}, slurm.ReplyMeta{}, fmt.Errorf("%w %q", errNoList, want)
	}
	return out, meta, nil
}

// hasList reports whether the reply has a list, if only an empty one.
func (r *reply) hasList(name string) bool {
	switch name {
	case "jobs":
		return r.Jobs != nil
	case "associations":
		return r.Associations != nil
	}
	return r.Users != nil
}

// toJob turns a record into a row.
func (r *jobRecord) toJob() (Job, error) {
	j := Job{
		ID: r.ID, SLUID: r.SLUID, Name: r.Name, User: r.User, Account: r.Account, QOS: r.QOS, Partition: r.Partition, Cluster: r.Cluster,
		State: mainStateWord(r.State.Current), Reason: r.State.Reason, Nodes: slurm.ReadHosts(hostListOrEmpty(r.Nodes)),
		Submit: r.Time.Submission.unixTime(), Eligible: r.Time.Eligible.unixTime(), Start: r.Time.Start.unixTime(), End: r.Time.End.unixTime(),
		SuspendedTime: time.Duration(r.Time.Suspended) * time.Second, TimeLimit: time.Duration(r.Time.Limit) * time.Minute,
		AllocatedTRES: tresFromRecords(r.TRES.Allocated), RequestedTRES: tresFromRecords(r.TRES.Requested), Restarts: -1,
		ArrayJob: int64(r.Array.Job), ArrayTask: int64(r.Array.Task),
	}
	if j.User == "" {
		j.User = r.Association.User
	}
	if r.Restarts != nil {
		j.Restarts = int(*r.Restarts)
	}
	switch {
	case j.ID <= 0:
		return Job{}, fmt.Errorf("job_id %d is no job's", r.ID)
	case j.State == "":
		return Job{}, fmt.Errorf("job %d has no state", j.ID)
	case j.Submit.IsZero():
		return Job{}, fmt.Errorf("job %d was never submitted", j.ID)
	}
	return j.normalise()
}

// lastBelievedYear is the last whose times are believed: no database keeps all that JSON can.
const lastBelievedYear = 9999

// normalise refuses times that contradict each other and nodes that cannot be read, and corrects the state of a row
// that they show to be of another. A row that held something
// and is over but pending is one of a job whose launch failed: it was requeued.
func (j Job) normalise() (Job, error) {
	for _, t := range []time.Time{j.Submit, j.Eligible, j.Start, j.End} {
		if t.Year() > lastBelievedYear {
			return Job{}, fmt.Errorf("job %d has a time in the year %d", j.ID, t.Year())
		}
	}
	if j.Nodes.UnreadReason != "" && j.AllocatedTRES.GPUCount() > 0 {
		return Job{}, fmt.Errorf("the nodes of job %d: %s", j.ID, j.Nodes.UnreadReason)
	}
	if j.State == "PENDING" && j.Nodes.Text != "" && !j.Start.IsZero() && !j.End.IsZero() {
		j.State = "REQUEUED"
	}
	if j.HasEnded() && !j.Start.IsZero() && j.End.Before(j.Start) {
		if j.Nodes.Text != "" {
			return Job{}, fmt.Errorf("job %d ends at %s, before it starts at %s", j.ID, j.End.Format(time.RFC3339), j.Start.Format(time.RFC3339))
		}
		j.Start = time.Time{}
	}
	return j, nil
}

func tresFromRecords(list []tresRecord) slurm.TRES {
	var t slurm.TRES
	for _, r := range list {
		switch n := int64(r.Count); r.Type {
		case "cpu":
			t.CPUs = n
		case "mem":
			t.MemMB = n
		case "node":
			t.NodeCount = n
		case "billing":
			t.Billing = n
		case "gres":
			name, typ, _ := strings.Cut(r.Name, ":")
			t.Gres = append(t.Gres, slurm.GRES{Name: name, Type: typ, Count: int(n)})
		}
	}
	return t
}

// Job is one row of slurmdbd's job table. A requeue ends a row and begins
// another with a later submit time; so does a change of a running job's size.
// Times that are absent are zero.
type Job struct {
	ID            int64
	SLUID         string // 25.11 and later
	Name          string
	User          string
	Account       string
	QOS           string
	Partition     string
	Cluster       string
	State         string // one word: REQUEUED and RESIZING stand for the row's end, whatever else it says
	Reason        string
	Submit        time.Time
	Eligible      time.Time
	Start         time.Time
	End           time.Time
	SuspendedTime time.Duration // between Start and End
	TimeLimit     time.Duration // 0: none or unlimited
	Nodes         slurm.Hosts   // none when it never had any
	AllocatedTRES slurm.TRES
	RequestedTRES slurm.TRES
	Restarts      int // -1: Slurm does not say
	ArrayJob      int64
	ArrayTask     int64
}

// HasEnded reports whether the row is a run that is over. Others are still
// changing.
func (j *Job) HasEnded() bool {
	switch j.State {
	case "PENDING", "RUNNING", "SUSPENDED", "":
		return false
	}
	return !j.End.IsZero()
}

// states that end a row while the job goes on, in the order in which they
// count when several are said.
var rowEndStates = []string{"RESIZING", "REQUEUED"}

// mainStateWord returns the one word that matters of a row's state words.
func mainStateWord(words []string) string {
	base := ""
	for _, w := range words {
		for _, e := range rowEndStates {
			if w == e {
				return e
			}
		}
		if base == "" {
			base = w
		}
	}
	return base
}
