package bundle

import (
	"strings"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/api/page/recording"
)

// TestStudiesOfARecording: the page of before and after stands in a bundle, with its figures and without a name.
func TestStudiesOfARecording(t *testing.T) {
	rec, err := recording.Demo()
	if err != nil {
		t.Fatal(err)
	}
	until := time.Date(2026, 6, 8, 0, 0, 0, 0, time.UTC)
	study := &api.Study{ID: 1, Partition: "zoeypart", Made: until, By: "zoeylane", Since: until.AddDate(0, 0, -7), Until: until, Fidelity: "slurm", Seeds: 3, About: "partition zoeypart: 3 jobs", Accuracy: "It is off.",
		Remarks: []string{"node zoeynode is left out"}, Lines: []api.StudyLine{{Policy: "what happened", JobCount: 115, MeanWait: 60}, {Policy: "fifo", Error: "job zoeyjob fits nowhere"}}}
	rec.StudiesAnswer = &api.Studies{Partitions: []api.PartitionStudy{{Partition: "zoeypart", Study: study, Age: 60, Command: "fairbridge replay -p zoeypart --store"}}}
	files := pack(t, &Collection{at: rec.At, Parts: []Part{{File: "recording.json", Doc: rec}}}, "key")
	if text := files["recording.json"]; strings.Contains(text, "zoey") {
		t.Errorf("a name is left: …%s…", text[strings.Index(text, "zoey")-40:][:80])
	}
	read, err := recording.Read(strings.NewReader(files["recording.json"]))
	if err != nil {
		t.Fatal(err)
	}
	all, err := read.Studies(t.Context())
	if err != nil || len(all.Partitions) != 1 || all.Partitions[0].Study == nil {
		t.Fatalf("%+v, %v", all, err)
	}
	got := all.Partitions[0]
	if s := got.Study; got.Age != 60 || !s.Since.Equal(study.Since) || s.Seeds != 3 || s.Fidelity != "slurm" || len(s.Lines) != 2 || s.Lines[0] != study.Lines[0] || s.Lines[1].Policy != "fifo" || s.Lines[1].Error == "" || s.By == "" {
		t.Errorf("the study became %+v", s)
	}
}
