package samples

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"fairbridge/policy"
)

// dayRows are the readings of one day (UTC) as rows of gpu_readings. It is the
// source of a COPY.
type dayRows struct {
	day  time.Time
	list []*Reading
	gpus []int32
	at   int   // the next row
	row  []any // reused: the driver encodes it at once
}

// splitByDay sorts readings into days; ids has the number of each reading's GPU.
func splitByDay(list []Reading, ids []int32) []dayRows {
	days := map[time.Time]*dayRows{}
	for i := range list {
		key := list[i].At.UTC().Truncate(24 * time.Hour)
		day := days[key]
		if day == nil {
			day = &dayRows{day: key, row: make([]any, len(readingColumns))}
			days[key] = day
		}
		day.list, day.gpus = append(day.list, &list[i]), append(day.gpus, ids[i])
	}
	var out []dayRows
	for _, key := range slices.SortedFunc(maps.Keys(days), time.Time.Compare) {
		out = append(out, *days[key])
	}
	return out
}

func (r *dayRows) partition() string { return "gpu_readings_" + r.day.Format("20060102") }

// hours returns the beginnings of the hours the rows fall on, sorted.
func (r *dayRows) hours() []time.Time {
	seen := map[time.Time]bool{}
	for _, l := range r.list {
		seen[l.At.UTC().Truncate(time.Hour)] = true
	}
	return slices.SortedFunc(maps.Keys(seen), time.Time.Compare)
}

// Next implements pgx.CopyFromSource.
func (r *dayRows) Next() bool {
	r.at++
	return r.at <= len(r.list)
}

// Values implements pgx.CopyFromSource.
func (r *dayRows) Values() ([]any, error) {
	l := r.list[r.at-1]
	r.row = append(r.row[:0], l.At, int64(l.Job), r.gpus[r.at-1], nullFloat(l.Busy), nullFloat(l.Mem),
		nullCount(l.Procs), int16(cmp.Or(l.Sharing, jobsKnown(l.Job))), l.Sick, nullBool(l.Throttled))
	for _, column := range valueColumns {
		r.row = append(r.row, nullFloat(l.Values[column]))
	}
	return r.row, nil
}

// Err implements pgx.CopyFromSource.
func (r *dayRows) Err() error { return nil }

// jobsKnown is how many jobs are on a GPU of which one is known.
func jobsKnown(job policy.JobID) int {
	if job == 0 {
		return 0
	}
	return 1
}

func nullFloat(m policy.Measure) *float32 {
	if !m.Known {
		return nil
	}
	v := float32(m.Value)
	return &v
}

func nullCount(m policy.Measure) *int16 {
	if !m.Known {
		return nil
	}
	v := int16(min(max(m.Value, 0), 1<<15-1))
	return &v
}

func nullBool(m policy.Measure) *bool {
	if !m.Known {
		return nil
	}
	v := m.Value > 0
	return &v
}
