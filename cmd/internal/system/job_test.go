package system

import (
	"errors"
	"testing"

	"fairbridge/bridge/slurm"
)

func TestParseJob(t *testing.T) {
	for s, want := range map[string]JobAddress{"4711": {4711, -1}, "4711_0": {4711, 0}, "4711_30": {4711, 30}} {
		if got, err := ParseJobAddress(s); got != want || err != nil {
			t.Errorf("ParseJob(%q) = %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "x", "0", "-3", "4711_", "4711_x", "4711_-1", "_3", "4711.batch", "47+1", "99999999999999999999"} {
		if got, err := ParseJobAddress(s); err == nil {
			t.Errorf("ParseJob(%q) = %v", s, got)
		}
	}
}

func TestRecordOfATask(t *testing.T) {
	jobs := []slurm.Job{
		{ID: 9},
		{ID: 50, ArrayJobID: 50, ArrayTasks: slurm.ReadArrayTasks("3-9:2,14%4")},
		{ID: 51, ArrayJobID: 50, IsArrayTask: true, ArrayTaskID: 0},
		{ID: 52, ArrayJobID: 50, IsArrayTask: true, ArrayTaskID: 1},
		{ID: 60, ArrayJobID: 60, ArrayTasks: slurm.ReadArrayTasks("1,3,5...")},
	}
	for _, tt := range []struct{ array, task, want int64 }{
		{50, 0, 51}, {50, 1, 52}, {50, 3, 50}, {50, 9, 50}, {50, 14, 50}, {60, 3, 60}, {60, 7000, 60},
	} {
		if got, err := findRecordID(jobs, JobAddress{tt.array, tt.task}); got != tt.want || err != nil {
			t.Errorf("%d_%d: %d, %v, want %d", tt.array, tt.task, got, err, tt.want)
		}
	}
	for _, n := range []JobAddress{{50, 2}, {50, 4}, {50, 10}, {50, 15}, {9, 0}, {70, 1}} {
		if got, err := findRecordID(jobs, n); !errors.Is(err, ErrNoTask) {
			t.Errorf("%v: %d, %v", n, got, err)
		}
	}
}
