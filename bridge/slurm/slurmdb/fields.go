package slurmdb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// parseJob reads the fields of a line; r.firstError is the first thing wrong, in
// r.currentColumn.
func (r *sacctReader) parseJob() Job {
	state, _, _ := strings.Cut(r.fieldText("state"), " ") // "CANCELLED by 1000"
	j := Job{
		ID: r.parseNumber("jobidraw", 0), SLUID: r.internField("sluid"), Name: r.internField("jobname"), User: r.internField("user"), Account: r.internField("account"), QOS: r.internField("qos"),
		Partition: r.internField("partition"), Cluster: r.internField("cluster"), State: r.intern(strings.TrimSuffix(state, "+")), Reason: r.internField("reason"),
		SuspendedTime: r.parseDuration("suspended"), TimeLimit: r.parseTimeLimit(), Nodes: slurm.ReadHosts(r.intern(hostListOrEmpty(r.fieldText("nodelist")))),
		AllocatedTRES: r.parseTRES("alloctres"), RequestedTRES: r.parseTRES("reqtres"), Restarts: int(r.parseNumber("restarts", -1)),
	}
	j.Submit = r.parseTime("submit", time.Time{})
	j.Eligible = r.parseTime("eligible", j.Submit)
	j.Start = r.parseTime("start", j.Submit)
	j.End = r.parseTime("end", j.Start)
	j.ArrayJob, j.ArrayTask = r.parseArrayTask()
	switch {
	case r.firstError != nil:
	case j.ID <= 0:
		r.noteError("jobidraw", errors.New("no job has this id"))
	case j.State == "":
		r.noteError("state", errors.New("it is missing"))
	case j.Submit.IsZero():
		r.noteError("submit", errors.New("it is missing"))
	}
	return j
}

// noteError notes the first thing that is wrong.
func (r *sacctReader) noteError(column string, err error) {
	if r.firstError == nil {
		r.currentColumn, r.firstError = column, err
	}
}

// fieldText returns a field, "" when there is no such column.
func (r *sacctReader) fieldText(column string) string {
	i := slices.Index(r.columns, column)
	if i < 0 {
		return ""
	}
	return r.fields[i]
}

// internField returns a copy of a field of its own, the same for the same text.
func (r *sacctReader) internField(column string) string { return r.intern(r.fieldText(column)) }

func (r *sacctReader) intern(s string) string {
	w, ok := r.internedTexts[s]
	if !ok {
		w = strings.Clone(s)
		r.internedTexts[w] = w
	}
	return w
}

func (r *sacctReader) parseNumber(column string, missing int64) int64 {
	s := r.fieldText(column)
	if s == "" {
		return missing
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		r.noteError(column, fmt.Errorf("%q is no number", clipText(s)))
	}
	return n
}

// parseTime reads a time that is not before another one, if it can be read so: in the hour
// that clocks are set back each local time comes twice.
func (r *sacctReader) parseTime(column string, notBefore time.Time) time.Time {
	s := r.fieldText(column)
	switch s {
	case "", "Unknown", "None", "N/A":
		return time.Time{}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return optionalNumber(n).unixTime()
	}
	for _, withOffset := range []string{"2006-01-02T15:04:05-0700", time.RFC3339, "2006-01-02 15:04:05-0700"} {
		if t, err := time.Parse(withOffset, s); err == nil {
			return t.UTC()
		}
	}
	const layout = "2006-01-02T15:04:05"
	t, err := time.ParseInLocation(layout, s, r.timeZone)
	if err != nil {
		r.noteError(column, fmt.Errorf("%q is no time, want %s or seconds since 1970", clipText(s), layout))
	}
	for _, shift := range []time.Duration{-time.Hour, 0, time.Hour} {
		if u := t.Add(shift); u.Format(layout) == s && !u.Before(notBefore) {
			return u.UTC()
		}
	}
	return t.UTC()
}

// parseDuration reads [days-]hours:minutes:seconds.
func (r *sacctReader) parseDuration(column string) time.Duration {
	s := r.fieldText(column)
	if s == "" {
		return 0
	}
	days, rest, ok := strings.Cut(s, "-")
	if !ok {
		days, rest = "0", s
	}
	sum, err := strconv.ParseInt(days, 10, 32)
	rest, _, _ = strings.Cut(rest, ".")
	parts := strings.Split(rest, ":")
	for i, unit := range []int64{24, 60, 60} {
		var n int64
		if skip := 3 - len(parts); i >= skip && err == nil {
			n, err = strconv.ParseInt(parts[i-skip], 10, 32)
		}
		sum = sum*unit + n
	}
	if err != nil || len(parts) > 3 || sum < 0 {
		r.noteError(column, fmt.Errorf("%q is no time span, want like 1-12:30:00", clipText(s)))
	}
	return time.Duration(sum) * time.Second
}

// parseTimeLimit reads minutes; words such as UNLIMITED mean none.
func (r *sacctReader) parseTimeLimit() time.Duration {
	n, err := strconv.ParseInt(r.fieldText("timelimitraw"), 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(n) * time.Minute
}

func (r *sacctReader) parseTRES(column string) slurm.TRES {
	t, err := slurm.ParseTRES(r.fieldText(column))
	if err != nil {
		r.noteError(column, err)
	}
	return t
}

// parseArrayTask reads "120_7": task 7 of array 120. An array's waiting tasks share a
// row, "120_[8-9]", which has no task.
func (r *sacctReader) parseArrayTask() (job, task int64) {
	head, tail, ok := strings.Cut(r.fieldText("jobid"), "_")
	if !ok {
		return 0, 0
	}
	job, err := strconv.ParseInt(head, 10, 64)
	if err != nil {
		r.noteError("jobid", fmt.Errorf("%q is no job's", clipText(r.fieldText("jobid"))))
	}
	task, _ = strconv.ParseInt(tail, 10, 64)
	return job, task
}

// Slurm's ways to write that there is no number.
const (
	noValue   = 0xfffffffe
	infinite  = 0xffffffff
	noValue64 = 1<<63 - 1 // and whatever does not fit
)

// optionalNumber is an integer as any version writes it: plain, null or
// {"set","infinite","number"}. 0 when there is none.
type optionalNumber int64

func (n *optionalNumber) UnmarshalJSON(b []byte) error {
	*n = 0
	if bytes.Equal(b, []byte("null")) {
		return nil
	}
	if b[0] == '{' {
		var w struct {
			Set, Infinite bool
			Number        json.Number
		}
		if err := json.Unmarshal(b, &w); err != nil || !w.Set || w.Infinite {
			return err
		}
		b = []byte(w.Number)
	}
	var f float64
	if err := json.Unmarshal(b, &f); err != nil {
		return fmt.Errorf("want a number, have %s", clipText(string(b)))
	}
	if f > 0 && f < noValue64 && f != noValue && f != infinite {
		*n = optionalNumber(f)
	}
	return nil
}

// unixTime returns the moment so many seconds after 1970; zero for none.
func (n optionalNumber) unixTime() time.Time {
	if n <= 0 {
		return time.Time{}
	}
	return time.Unix(int64(n), 0).UTC()
}

// wordList is a list of words, which old versions write as one.
type wordList []string

func (w *wordList) UnmarshalJSON(b []byte) error {
	if b[0] != '"' {
		return json.Unmarshal(b, (*[]string)(w))
	}
	var one string
	err := json.Unmarshal(b, &one)
	*w = wordList{one}
	return err
}

// clipText shortens a text for an error.
func clipText(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// hostListOrEmpty returns a host list, "" where Slurm says in words that there is none.
func hostListOrEmpty(s string) string {
	if s == "None assigned" || strings.HasPrefix(s, "(null") {
		return ""
	}
	return s
}
