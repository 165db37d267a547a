package slurmdb

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
)

// job reads the fields of a line; r.err is the first thing wrong, in r.column.
func (r *sacctReader) job() Job {
	state, _, _ := strings.Cut(r.field("state"), " ") // "CANCELLED by 1000"
	j := Job{
		ID: r.number("jobidraw", 0), SLUID: r.text("sluid"), Name: r.text("jobname"), User: r.text("user"), Account: r.text("account"), QOS: r.text("qos"),
		Partition: r.text("partition"), Cluster: r.text("cluster"), State: r.intern(strings.TrimSuffix(state, "+")), Reason: r.text("reason"),
		Submit: r.time("submit"), Eligible: r.time("eligible"), Start: r.time("start"), End: r.time("end"),
		Suspended: r.duration("suspended"), Limit: r.limit(), Nodes: slurm.ReadHosts(r.intern(hostsText(r.field("nodelist")))),
		Allocated: r.tres("alloctres"), Requested: r.tres("reqtres"), Restarts: int(r.number("restarts", -1)),
	}
	j.ArrayJob, j.ArrayTask = r.arrayTask()
	switch {
	case r.err != nil:
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
	if r.err == nil {
		r.column, r.err = column, err
	}
}

// field returns a field, "" when there is no such column.
func (r *sacctReader) field(column string) string {
	i := slices.Index(r.columns, column)
	if i < 0 {
		return ""
	}
	return r.fields[i]
}

// text returns a copy of a field of its own, the same for the same text.
func (r *sacctReader) text(column string) string { return r.intern(r.field(column)) }

func (r *sacctReader) intern(s string) string {
	w, ok := r.words[s]
	if !ok {
		w = strings.Clone(s)
		r.words[w] = w
	}
	return w
}

func (r *sacctReader) number(column string, missing int64) int64 {
	s := r.field(column)
	if s == "" {
		return missing
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		r.noteError(column, fmt.Errorf("%q is no number", clipText(s)))
	}
	return n
}

func (r *sacctReader) time(column string) time.Time {
	s := r.field(column)
	switch s {
	case "", "Unknown", "None", "N/A":
		return time.Time{}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return optionalNumber(n).time()
	}
	t, err := time.ParseInLocation("2006-01-02T15:04:05", s, r.zone)
	if err != nil {
		r.noteError(column, fmt.Errorf("%q is no time, want 2006-01-02T15:04:05 or seconds since 1970", clipText(s)))
	}
	return t.UTC()
}

// duration reads [days-]hours:minutes:seconds.
func (r *sacctReader) duration(column string) time.Duration {
	s := r.field(column)
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

// limit reads minutes; words such as UNLIMITED mean none.
func (r *sacctReader) limit() time.Duration {
	n, err := strconv.ParseInt(r.field("timelimitraw"), 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(n) * time.Minute
}

func (r *sacctReader) tres(column string) slurm.TRES {
	t, err := slurm.ParseTRES(r.field(column))
	if err != nil {
		r.noteError(column, err)
	}
	return t
}

// arrayTask reads "120_7": task 7 of array 120. An array's waiting tasks share a
// row, "120_[8-9]", which has no task.
func (r *sacctReader) arrayTask() (job, task int64) {
	head, tail, ok := strings.Cut(r.field("jobid"), "_")
	if !ok {
		return 0, 0
	}
	job, err := strconv.ParseInt(head, 10, 64)
	if err != nil {
		r.noteError("jobid", fmt.Errorf("%q is no job's", clipText(r.field("jobid"))))
	}
	task, _ = strconv.ParseInt(tail, 10, 64)
	return job, task
}
