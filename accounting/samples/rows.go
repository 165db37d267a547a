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
	day       time.Time
	readings  []*Reading
	gpuIDs    []int32
	nextIndex int   // the next row
	values    []any // reused: the driver encodes it at once
}

// splitReadingsByDay sorts readings into days; ids has the number of each reading's GPU.
func splitReadingsByDay(list []Reading, ids []int32) []dayRows {
	days := map[time.Time]*dayRows{}
	for i := range list {
		key := list[i].At.UTC().Truncate(24 * time.Hour)
		day := days[key]
		if day == nil {
			day = &dayRows{day: key, values: make([]any, len(readingColumns))}
			days[key] = day
		}
		day.readings, day.gpuIDs = append(day.readings, &list[i]), append(day.gpuIDs, ids[i])
	}
	var out []dayRows
	for _, key := range slices.SortedFunc(maps.Keys(days), time.Time.Compare) {
		out = append(out, *days[key])
	}
	return out
}

func (r *dayRows) partitionName() string { return "gpu_readings_" + r.day.Format("20060102") }

// listHours returns the beginnings of the hours the rows fall on, sorted.
func (r *dayRows) listHours() []time.Time {
	seen := map[time.Time]bool{}
	for _, l := range r.readings {
		seen[l.At.UTC().Truncate(time.Hour)] = true
	}
	return slices.SortedFunc(maps.Keys(seen), time.Time.Compare)
}

// Next implements pgx.CopyFromSource.
func (r *dayRows) Next() bool {
	r.nextIndex++
	return r.nextIndex <= len(r.readings)
}

// Values implements pgx.CopyFromSource.
func (r *dayRows) Values() ([]any, error) {
	l := r.readings[r.nextIndex-1]
	r.values = append(r.values[:0], l.At, int64(l.Job), r.gpuIDs[r.nextIndex-1], floatOrNull(l.Busy), floatOrNull(l.MemoryShare),
		countOrNull(l.ProcessCount), int16(cmp.Or(l.JobsOnGPU, minJobCount(l.Job))), l.IsSick, boolOrNull(l.Throttled))
	for _, column := range valueColumns {
		r.values = append(r.values, floatOrNull(l.ValueByColumn[column]))
	}
	return r.values, nil
}

// Err implements pgx.CopyFromSource.
func (r *dayRows) Err() error { return nil }

// minJobCount is how many jobs are on a GPU of which one is known.
func minJobCount(job policy.JobID) int {
	if job == 0 {
		return 0
	}
	return 1
}

func floatOrNull(m policy.OptionalValue) *float32 {
	if !m.Known {
		return nil
	}
	v := float32(m.Value)
	return &v
}

func countOrNull(m policy.OptionalValue) *int16 {
	if !m.Known {
		return nil
	}
	v := int16(min(max(m.Value, 0), 1<<15-1))
	return &v
}

func boolOrNull(m policy.OptionalValue) *bool {
	if !m.Known {
		return nil
	}
	v := m.Value > 0
	return &v
}
