package studycommand

import (
	"fmt"
	"io"
	"time"

	"fairbridge/api"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/fairbridge/simulation"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

func printStudies(w io.Writer, all *api.Studies, now time.Time) {
	for i := range all.Partitions {
		if i > 0 {
			printable.Fprintf(w, "\n")
		}
		p := &all.Partitions[i]
		if p.Study == nil {
			output.WriteParagraph(w, "", fmt.Sprintf("Partition %s: none is stored. An administrator has one made by", p.Partition))
			printable.Fprintf(w, "  %s\n", p.Command)
			continue
		}
		printStudy(w, p, now)
	}
}

// printStudy prints sentences, and a table of the policies that could be run.
func printStudy(w io.Writer, p *api.PartitionStudy, now time.Time) {
	s := p.Study
	output.WriteParagraph(w, "", introduction(p, now))
	output.WriteParagraph(w, "", s.About)
	output.WriteParagraph(w, "", s.Accuracy+" Differences between policies that are smaller than that mean nothing.")
	for _, r := range s.Remarks {
		output.WriteParagraph(w, "note: ", r)
	}
	printable.Fprintf(w, "\n")
	t := simulation.NewNumberTable(w, "POLICY", "JOBS", "WAIT MEAN", "JCT MEAN", "MEDIAN", "P99", "WORST RHO", "UNFAIR", "BUSY", "RESTARTS", "LOST GPU-H")
	for i := range s.Lines {
		if l := &s.Lines[i]; l.Error == "" {
			t.AddRow(l.Policy, l.JobCount, seconds(l.MeanWait), seconds(l.MeanJCT), seconds(l.MedianJCT), seconds(l.P99JCT), fmt.Sprintf("%.2f", l.WorstRho),
				percent(l.UnfairPart), percent(l.Utilization), l.RestartCount, fmt.Sprintf("%.1f", l.LostGPUHours))
		}
	}
	t.Print()
	for i := range s.Lines {
		if l := &s.Lines[i]; l.Error != "" {
			output.WriteParagraph(w, "", fmt.Sprintf("%s failed: %s", l.Policy, l.Error))
		}
	}
	printable.Fprintf(w, "\nAnew: %s\n", p.Command)
}

// introduction says how old a study is, and of what.
func introduction(p *api.PartitionStudy, now time.Time) string {
	s := p.Study
	by, old, how := "", "", "through a simulated Slurm"
	if s.By != "" {
		by = " by " + s.By
	}
	if p.Stale {
		old = "; that is old: users, jobs and nodes may be others now"
	}
	if s.Fidelity == "exact" {
		how = "plans carried out exactly"
	}
	return fmt.Sprintf("Partition %s: made %s%s, %s ago%s. Of the jobs from %s to %s; %s, %s.", p.Partition, output.FormatTime(s.Made, now), by,
		policy.FormatDuration(time.Duration(p.Age)*time.Second), old, output.FormatTime(s.Since, now), output.FormatTime(s.Until, now), how, policy.FormatCount(s.Seeds, "seed"))
}

func seconds(s float64) string { return policy.FormatDuration(policy.DurationFromSeconds(s)) }

func percent(part float64) string { return fmt.Sprintf("%.0f %%", 100*part) }
