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
	state, _, _ := strings.Cut(r.get("state"), " ") // "CANCELLED by 1000"
	j := Job{
		ID: r.number("jobidraw", 0), SLUID: r.text("sluid"), Name: r.text("jobname"), User: r.text("user"), Account: r.text("account"), QOS: r.text("qos"),
		Partition: r.text("partition"), Cluster: r.text("cluster"), State: r.word(strings.TrimSuffix(state, "+")), Reason: r.text("reason"),
		Submit: r.time("submit"), Eligible: r.time("eligible"), Start: r.time("start"), End: r.time("end"),
		Suspended: r.span("suspended"), Limit: r.limit(), Nodes: slurm.ReadHosts(r.word(hosts(r.get("nodelist")))),
		Allocated: r.tres("alloctres"), Requested: r.tres("reqtres"), Restarts: int(r.number("restarts", -1)),
	}
	j.ArrayJob, j.ArrayTask = r.array()
	switch {
	case r.err != nil:
	case j.ID <= 0:
		r.bad("jobidraw", errors.New("no job has this id"))
	case j.State == "":
		r.bad("state", errors.New("it is missing"))
	case j.Submit.IsZero():
		r.bad("submit", errors.New("it is missing"))
	}
	return j
}

// bad notes the first thing that is wrong.
func (r *sacctReader) bad(column string, err error) {
	if r.err == nil {
		r.column, r.err = column, err
	}
}

// get returns a field, "" when there is no such column.
func (r *sacctReader) get(column string) string {
	i := slices.Index(r.columns, column)
	if i < 0 {
		return ""
	}
	return r.fields[i]
}

// text returns a copy of a field of its own, the same for the same text.
func (r *sacctReader) text(column string) string { return r.word(r.get(column)) }

func (r *sacctReader) word(s string) string {
	w, ok := r.words[s]
	if !ok {
		w = strings.Clone(s)
		r.words[w] = w
	}
	return w
}

func (r *sacctReader) number(column string, missing int64) int64 {
	s := r.get(column)
	if s == "" {
		return missing
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		r.bad(column, fmt.Errorf("%q is no number", clip(s)))
	}
	return n
}

func (r *sacctReader) time(column string) time.Time {
	s := r.get(column)
	switch s {
	case "", "Unknown", "None", "N/A":
		return time.Time{}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return number(n).time()
	}
	t, err := time.ParseInLocation("2006-01-02T15:04:05", s, r.zone)
	if err != nil {
		r.bad(column, fmt.Errorf("%q is no time, want 2006-01-02T15:04:05 or seconds since 1970", clip(s)))
	}
	return t.UTC()
}

// span reads [days-]hours:minutes:seconds.
func (r *sacctReader) span(column string) time.Duration {
	s := r.get(column)
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
		r.bad(column, fmt.Errorf("%q is no time span, want like 1-12:30:00", clip(s)))
	}
	return time.Duration(sum) * time.Second
}

// limit reads minutes; words such as UNLIMITED mean none.
func (r *sacctReader) limit() time.Duration {
	n, err := strconv.ParseInt(r.get("timelimitraw"), 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return time.Duration(n) * time.Minute
}

func (r *sacctReader) tres(column string) slurm.TRES {
	t, err := slurm.ParseTRES(r.get(column))
	if err != nil {
		r.bad(column, err)
	}
	return t
}

// array reads "120_7": task 7 of array 120. An array's waiting tasks share a
// row, "120_[8-9]", which has no task.
func (r *sacctReader) array() (job, task int64) {
	head, tail, ok := strings.Cut(r.get("jobid"), "_")
	if !ok {
		return 0, 0
	}
	job, err := strconv.ParseInt(head, 10, 64)
	if err != nil {
		r.bad("jobid", fmt.Errorf("%q is no job's", clip(r.get("jobid"))))
	}
	task, _ = strconv.ParseInt(tail, 10, 64)
	return job, task
}
