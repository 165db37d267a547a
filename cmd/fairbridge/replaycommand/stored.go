package replaycommand

import (
	"fairbridge/accounting/studies"
	"fairbridge/replica/measure"
	"fairbridge/replica/replay"
	"fairbridge/replica/study"
)

// newStudy makes a study of what came of policies on the past of a partition. It has what is known of all jobs together, and
// nothing of single ones; accuracy may be nil.
func newStudy(site *replay.PastScenario, results []study.Result, accuracy *replay.Accuracy) *studies.Study {
	s := &studies.Study{Partition: site.Partition, Since: site.Since, Until: site.Until, Lines: []studies.Line{}}
	if accuracy != nil {
		s.Accuracy = accuracy.String()
	}
	s.Remarks = append(s.Remarks, site.Remarks...)
	if asked := site.OnAskedNodes; asked != nil {
		s.Remarks = append(s.Remarks, asked.Remarks...)
	}
	for i := range results {
		if r := &results[i]; r.Err != nil {
			s.Lines = append(s.Lines, studies.Line{Policy: r.Label, Error: r.Err.Error()})
		} else {
			s.Lines = append(s.Lines, newLine(r.Label, &r.Median))
		}
	}
	return s
}

func newLine(label string, m *measure.Summary) studies.Line {
	return studies.Line{
		Policy: label, JobCount: m.JobCount, MeanJCT: m.AvgJCT, MedianJCT: m.MedianJCT, P99JCT: m.P99JCT, MeanWait: m.AvgQueueSeconds, WorstRho: m.WorstRho,
		UnfairPart: m.UnfairShare, Utilization: m.Utilization, RestartCount: m.RestartCount, LostGPUHours: m.LostGPUHours,
	}
}
