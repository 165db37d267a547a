package writer

import (
	"strings"
	"testing"
)

// shown is what Slurm 22.05 prints of a job.
const shown = `JobId=12 JobName=wrap
   UserId=alice(3001) GroupId=alice(3001) MCS_label=N/A
   Priority=4294901757 Nice=-500 Account=research QOS=normal
   JobState=PENDING Reason=Resources Dependency=(null)
   Comment=Priority=1 Nice=5 Account=x

`

func TestNiceIsReadOfTheRecordMeant(t *testing.T) {
	other := strings.Replace(strings.Replace(shown, "JobId=12 ", "JobId=47 ArrayJobId=12 ArrayTaskId=3 ", 1), "-500", "7", 1)
	tests := []struct {
		name, text string
		job        int64
		want       int64
		ok         bool
	}{
		{"a job", shown, 12, -500, true},
		{"an array and a task split off", shown + other, 12, -500, true},
		{"the task", shown + other, 47, 7, true},
		{"another job", shown, 1, 0, false},
		{"a name that looks like the line", strings.Replace(shown, "wrap", "w\n   Priority=1 Nice=5 Account=x", 1), 12, 0, false},
		{"a name that looks like the record", strings.Replace(shown, "wrap", "w\n\nJobId=12 \n   Priority=1 Nice=5 Account=x", 1), 12, 0, false},
		{"nothing", "", 12, 0, false},
		{"cut off", shown[:90], 12, 0, false},
	}
	for _, tt := range tests {
		got, err := parseNice(tt.text, tt.job)
		if (err == nil) != tt.ok || got != tt.want {
			t.Errorf("%s: %d, %v; want %d, readable %v", tt.name, got, err, tt.want, tt.ok)
		}
		if all, known := parseNices(tt.text)[tt.job]; known != tt.ok || all != tt.want {
			t.Errorf("%s: among all jobs' %d, %v; want %d, readable %v", tt.name, all, known, tt.want, tt.ok)
		}
	}
}

func TestNiceWithoutScontrolIsUnknown(t *testing.T) {
	d := open(t, &fake{}, 38, Config{Scontrol: []string{"/nowhere/scontrol"}})
	if _, err := d.ReadNice(t.Context(), 12); err == nil || d.CanReadNice() {
		t.Errorf("%v, reads nice: %v", err, d.CanReadNice())
	}
}
