package replaycommand

import (
	"errors"
	"slices"
	"testing"
	"time"

	"fairbridge/replica/measure"
	"fairbridge/replica/replay"
	"fairbridge/replica/study"
)

// TestNewStudy takes the figures of all jobs together, why a policy failed, and the remarks of both scenarios.
func TestNewStudy(t *testing.T) {
	since := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	site := &replay.PastScenario{
		Scenario:     &study.Scenario{Remarks: []string{"of then"}},
		OnAskedNodes: &study.Scenario{Remarks: []string{"on others"}},
		Partition:    "gpu",
		Since:        since,
		Until:        since.AddDate(0, 0, 7),
	}
	run := &measure.Run{
		PolicyName:      "fifo",
		ClusterGPUs:     8,
		MakespanSeconds: 100,
		BusyGPUSeconds:  400,
		JobOutcomes: []measure.JobOutcome{
			{
				ID:                  1,
				User:                "ann",
				Account:             "research",
				GPUCount:            4,
				Arrive:              0,
				Start:               20,
				Finish:              60,
				HeldSeconds:         40,
				ExclusiveRunSeconds: 40,
				Service:             160,
				StopCount:           1,
			},
			{
				ID:                  2,
				User:                "bob",
				Account:             "teaching",
				GPUCount:            4,
				Arrive:              0,
				Start:               40,
				Finish:              100,
				HeldSeconds:         60,
				ExclusiveRunSeconds: 60,
				Service:             240,
			},
		},
	}
	s := newStudy(
		site,
		[]study.Result{study.NewResult("fifo", run), {Label: "pollux", Err: errors.New("no profile")}},
		nil,
	)
	if s.Partition != "gpu" || !s.Since.Equal(site.Since) || !s.Until.Equal(site.Until) || s.Accuracy != "" ||
		!slices.Equal(s.Remarks, []string{"of then", "on others"}) ||
		len(s.Lines) != 2 {
		t.Fatalf("%+v", s)
	}
	if l := s.Lines[0]; l.Policy != "fifo" || l.JobCount != 2 || l.MeanWait != 30 || l.MeanJCT != 80 ||
		l.MedianJCT != 80 ||
		l.Utilization != .5 ||
		l.RestartCount != 1 ||
		l.Error != "" {
		t.Errorf("%+v", l)
	}
	if l := s.Lines[1]; l.Policy != "pollux" || l.Error != "no profile" || l.JobCount != 0 {
		t.Errorf("%+v", l)
	}
}
