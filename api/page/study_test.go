package page_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/api/page"
)

// newStudies has a study of one partition, and none of another; text stands wherever a text may.
func newStudies(text string) *api.Studies {
	until := time.Date(2026, 6, 8, 0, 0, 0, 0, time.UTC)
	return &api.Studies{Partitions: []api.PartitionStudy{
		{Partition: "gpu" + text, Age: 3 * 86400, Command: "fairbridge replay -p gpu --store" + text, Study: &api.Study{
			ID: 1, Made: until.AddDate(0, 0, 1), By: "root" + text, Since: until.AddDate(0, 0, -7), Until: until, Fidelity: "slurm", Seeds: 3, About: "115 jobs on 32 GPUs." + text,
			Accuracy: "It is off by 2 %." + text, Remarks: []string{"still running: 1 job" + text},
			Lines: []api.StudyLine{{Policy: "slurm" + text, Trace: text, JobCount: 115, MeanWait: 3600}, {Policy: "pollux", Error: "no profile" + text}},
		}},
		{Partition: "big", Command: "fairbridge replay -p big --store"},
	}}
}

// TestStudies says of a study what it is of, how old and how true it is and who had it made, and of a partition without one how
// to have one made.
func TestStudies(t *testing.T) {
	rec := readDemo(t)
	rec.StudiesAnswer = newStudies("")
	body := get(t, newHandler(rec), "study").Body.String()
	for _, want := range []string{">9 Jun 2026, 00:00</time>, 3 d 0 h ago, by <bdi>root</bdi>", ">1 Jun 2026, 00:00</time> to <time", "through a simulated Slurm, with 3 seeds", "115 jobs on 32 GPUs.",
		"It is off by 2 %.", "still running: 1 job", ">1 h 0 min<", ">no profile<", "None is stored. An administrator has one made by <code>fairbridge replay -p big --store</code>"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(body, "Stale:") {
		t.Error("a study of three days ago is called stale")
	}
	rec.StudiesAnswer.Partitions[0].Stale = true
	if body := get(t, newHandler(rec), "study").Body.String(); !strings.Contains(body, "<strong>Stale:</strong>") {
		t.Error("an old study is not called stale")
	}
	for _, text := range hostile {
		rec.StudiesAnswer = newStudies(text)
		body := get(t, newHandler(rec), "study").Body.String()
		for _, live := range []string{"<script>alert", "<img", "\x1b", "\u202e", "</bdi></td></bdi>"} {
			if strings.Contains(body, live) {
				t.Errorf("%q is on the page as %q", text, live)
			}
		}
	}
}

// TestReadStudy reads what replay --json prints, and a text that is none is an error.
func TestReadStudy(t *testing.T) {
	s, err := page.ReadStudy(strings.NewReader(`{"fidelity":{"jobs":3}}` + "\n" + `{"policy":"fifo","jobs":3,"avg_queue_s":60,"seeds":1}` + "\n" + `{"policy":"drf","trace":"x","error":"no"}`))
	if err != nil || len(s.Partitions) != 1 || len(s.Partitions[0].Study.Lines) != 2 || s.Partitions[0].Study.Lines[0].MeanWait != 60 || s.Partitions[0].Study.Lines[1].Error != "no" {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := page.ReadStudy(strings.NewReader("POLICY JOBS")); err == nil || !strings.Contains(err.Error(), "compare --json") {
		t.Errorf("a table was read: %v", err)
	}
}
