package answers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/replica/policyset"
)

var now = time.Date(2026, 6, 8, 12, 0, 0, 0, time.UTC)

var partitions = []bridge.Partition{{Name: "gpu", Policy: "tiresias", Params: "queues=[3600 36000]"}, {Name: "big gpu"}}

func newStudy(partition string, age time.Duration) api.Study {
	return api.Study{Partition: partition, By: "root", Made: now.Add(-age), Remarks: []string{"node n1 is left out"},
		Lines: []api.StudyLine{{Policy: "slurm", MeanWait: 3}, {Policy: "fifo", Error: "job 4711 fits nowhere"}}}
}

// TestAnswer has an entry of each partition, with a command where there is none.
func TestAnswer(t *testing.T) {
	oper, user := &api.Viewer{User: "oper", Role: api.RoleOperator}, &api.Viewer{User: "ann", Role: api.RoleUser}
	list := []api.Study{newStudy("gpu", 40*24*time.Hour), newStudy("gone", 0)}
	got := answerStudies(oper, partitions, list, now)
	want := &api.Studies{Partitions: []api.PartitionStudy{
		{Partition: "gpu", Study: &list[0], Age: 40 * 86400, Stale: true, Command: "fairbridge replay -p gpu --since 7d --policy 'slurm,tiresias:queues=3600;36000' --store"},
		{Partition: "big gpu", Command: "fairbridge replay -p 'big gpu' --since 7d --policy slurm --store"},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("an operator (-want +got):\n%s", d)
	}
	plain := answerStudies(user, partitions, list, now).Partitions[0].Study
	if plain.By != "" || plain.Remarks != nil || plain.Lines[0] != list[0].Lines[0] || strings.Contains(plain.Lines[1].Error, "4711") || plain.Lines[1].Error == "" {
		t.Errorf("a plain user sees %+v", plain)
	}
	if list[0].Lines[1].Error != "job 4711 fits nowhere" || list[0].By == "" {
		t.Error("what is told to one user is taken from all")
	}
	if young := answerStudies(user, partitions, []api.Study{newStudy("gpu", time.Hour)}, now).Partitions[0]; young.Stale || young.Age != 3600 {
		t.Errorf("one of an hour ago: %+v", young)
	}
	if ahead := answerStudies(user, partitions, []api.Study{newStudy("gpu", -time.Minute)}, now).Partitions[0]; ahead.Age != 0 {
		t.Errorf("made by a clock that is ahead: %+v", ahead)
	}
}

// TestPoliciesAreWrittenAsTheyAreRead compares what a command line is read as with what the record is read as.
func TestPoliciesAreWrittenAsTheyAreRead(t *testing.T) {
	for _, p := range [][2]string{{"fifo", ""}, {"drf", "max_wait=6h"}, {"tiresias", "max_wait=24h queues=[3600 36000]"}, {"gavel", "costs=map[k80:0.45 v100:2.48] objective=cost round=360s"}} {
		recorded, err := policyset.ChoiceFromRecord(p[0], p[1])
		if err != nil {
			t.Fatal(err)
		}
		text := writePolicy(p[0], p[1])
		typed, err := policyset.ParsePolicies("slurm,"+text, false)
		if err != nil || len(typed) != 2 {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if d := cmp.Diff(recorded.Params, typed[1].Params); d != "" {
			t.Errorf("%s (-recorded +typed):\n%s", text, d)
		}
	}
}
