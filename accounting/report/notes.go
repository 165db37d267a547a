package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"fairbridge/policy"
)

// What is worth a note.
const (
	minMeasuredShare  = 0.5              // part of the GPU time that was measured
	maxNoProcessShare = 0.1              // part of the measured time without a process
	minBusyShare      = 0.3              // mean utilisation
	minMemoryShare    = 0.1              // mean memory in use
	maxIdleTime       = 10 * time.Minute // idle before the first work, or after the last
	maxLimitRatio     = 3.0              // limit over time taken
	minSpareTime      = 30 * time.Minute // limit less time taken
	maxThrottledShare = 0.05             // part of the readings
)

// Notes says what the owner could change, most important first; never empty.
func (j *JobUse) Notes() []string {
	r := j.LastStartedRun()
	if r == nil {
		return []string{fmt.Sprintf("It has not started yet. fairbridge explain %s says why.", cmp.Or(j.Address, fmt.Sprint(j.ID)))}
	}
	var notes []string
	for _, note := range []string{
		j.unusedGPUsNote(r), r.noProcessNote(), j.lateWorkNote(r), j.idleEndNote(r), j.lowUseNote(r), r.limitNote(), r.endNote(), j.stopNote(), j.throttledNote(), r.unmeasuredNote(),
	} {
		if note != "" {
			notes = append(notes, note)
		}
	}
	if notes == nil {
		return []string{"Nothing to change."}
	}
	return notes
}

func (j *JobUse) unusedGPUsNote(r *RunUse) string {
	var idle []string
	for i := range j.GPUs {
		if g := &j.GPUs[i]; g.isUnused() {
			idle = append(idle, g.Node+" "+shortenUUID(g.UUID))
		}
	}
	used := len(j.GPUs) - len(idle)
	switch {
	case len(idle) == 0:
		return ""
	case len(j.GPUs) < r.GPUCount:
		return fmt.Sprintf("Of its %s %d were measured, and of those %d never 1 %% busy: %s. Does the program use all of them?",
			policy.FormatCount(r.GPUCount, "GPU"), len(j.GPUs), len(idle), joinNames(idle, 6))
	case used == 0:
		return fmt.Sprintf("Used none of its %s: no one was ever 1 %% busy. Does the program find them (nvidia-smi, CUDA_VISIBLE_DEVICES), or need any?", policy.FormatCount(len(j.GPUs), "GPU"))
	}
	return fmt.Sprintf("Used %d of %d GPUs; never 1 %% busy: %s. Ask for %d, or let the program use all of them (one process a GPU: srun --ntasks, torchrun --nproc-per-node).",
		used, len(j.GPUs), joinNames(idle, 6), used)
}

func (r *RunUse) noProcessNote() string {
	if r.MeasuredGPUTime <= 0 || r.NoProcessGPUTime < Seconds(maxNoProcessShare)*r.MeasuredGPUTime {
		return ""
	}
	return fmt.Sprintf("Held GPUs without any process for %s GPU-hours of %s: end the job when its work is done, and prepare data in a job without GPUs.",
		formatHours(r.NoProcessGPUTime), formatHours(r.MeasuredGPUTime))
}

// lateWorkNote looks at when the first GPU began to work.
func (j *JobUse) lateWorkNote(r *RunUse) string {
	var first time.Time
	for i := range j.GPUs {
		if g := &j.GPUs[i]; !g.FirstBusy.IsZero() && (first.IsZero() || g.FirstBusy.Before(first)) {
			first = g.FirstBusy
		}
	}
	idle := first.Sub(r.Start)
	if first.IsZero() || idle < maxIdleTime || idle.Seconds() < float64(r.Elapsed)/20 || j.isBeginUnmeasured(r) {
		return ""
	}
	return fmt.Sprintf("GPUs idle for %s before it began: copy data, install and compile in an earlier job without GPUs (sbatch --dependency).", policy.FormatDuration(idle))
}

// isBeginUnmeasured reports whether readings began so late that nothing is known of the
// begin of the run.
func (j *JobUse) isBeginUnmeasured(r *RunUse) bool {
	for i := range j.GPUs {
		if j.GPUs[i].FirstReading.Sub(r.Start) < maxIdleTime/2 {
			return false
		}
	}
	return true
}

func (j *JobUse) idleEndNote(r *RunUse) string {
	var last, seen time.Time
	for i := range j.GPUs {
		g := &j.GPUs[i]
		if g.LastBusy.After(last) {
			last = g.LastBusy
		}
		if g.LastReading.After(seen) {
			seen = g.LastReading
		}
	}
	idle := seen.Sub(last)
	if last.IsZero() || idle < maxIdleTime || idle.Seconds() < float64(r.Elapsed)/20 {
		return ""
	}
	if r.IsOver {
		return fmt.Sprintf("GPUs idle for the last %s: end the job when its work is done.", policy.FormatDuration(idle))
	}
	return fmt.Sprintf("GPUs idle for %s now: is it stuck?", policy.FormatDuration(idle))
}

func (j *JobUse) lowUseNote(r *RunUse) string {
	if r.MeasuredGPUTime <= 0 || j.unusedGPUsNote(r) != "" {
		return ""
	}
	busy := float64(r.BusyGPUTime / r.MeasuredGPUTime)
	if busy >= minBusyShare {
		return ""
	}
	if r.MemoryShare.Known && r.MemoryShare.Value < minMemoryShare {
		return fmt.Sprintf("GPUs %.0f %% busy with %.0f %% of their memory: a smaller GPU, a MIG slice or a shared one would do.", 100*busy, 100*r.MemoryShare.Value)
	}
	return fmt.Sprintf("GPUs %.0f %% busy: do they wait for input? Try more loader processes (--cpus-per-task), data on local disk, larger batches.", 100*busy)
}

func (r *RunUse) limitNote() string {
	times := float64(r.TimeLimit) / math.Max(float64(r.Elapsed), 1)
	if r.State != "COMPLETED" || times < maxLimitRatio || float64(r.TimeLimit-r.Elapsed) < minSpareTime.Seconds() {
		return ""
	}
	ask := time.Duration(math.Ceil(float64(r.Elapsed)*1.5/600)) * 10 * time.Minute
	return fmt.Sprintf("Time limit %.0f × too long: it took %s of %s. With --time=%s it could have been fitted into gaps and started sooner.",
		times, r.Elapsed, r.TimeLimit, formatSlurmTime(ask))
}

func (r *RunUse) endNote() string {
	switch r.State {
	case "TIMEOUT":
		return fmt.Sprintf("Its time limit of %s ended it: ask for more, or write checkpoints and go on from them.", r.TimeLimit)
	case "OUT_OF_MEMORY":
		return "It ran out of main memory (not the GPU's): ask for more with --mem or --mem-per-gpu."
	case "NODE_FAIL", "BOOT_FAIL":
		return "Its node failed: not its fault. With --requeue and checkpoints it goes on by itself."
	}
	return ""
}

func (j *JobUse) stopNote() string {
	stops, lost := 0, Seconds(0)
	for i := range j.Runs {
		if r := &j.Runs[i]; r.StoppedBy != "" {
			stops++
			lost += r.GPUTime
		}
	}
	if stops == 0 {
		return ""
	}
	return fmt.Sprintf("Stopped %d × before it was done, which cost up to %s GPU-hours: with checkpoints it loses only what came after the last.", stops, formatHours(lost))
}

func (j *JobUse) throttledNote() string {
	slow, all := 0, 0
	for i := range j.GPUs {
		slow, all = slow+j.GPUs[i].ThrottledSamples, all+j.GPUs[i].SampleCount
	}
	if all == 0 || float64(slow) < maxThrottledShare*float64(all) {
		return ""
	}
	return fmt.Sprintf("GPUs slowed down by heat or power in %.0f %% of the readings: tell the admins.", 100*float64(slow)/float64(all))
}

func (r *RunUse) unmeasuredNote() string {
	switch {
	case r.GPUTime <= 0:
		return ""
	case r.MeasuredGPUTime <= 0:
		return "Its GPUs were not measured: no node probe on its nodes, or not yet summed up."
	case r.MeasuredGPUTime < minMeasuredShare*r.GPUTime:
		return fmt.Sprintf("Only %.0f %% of its GPU time was measured; the rest is unknown, not idle.", 100*float64(r.MeasuredGPUTime/r.GPUTime))
	}
	return ""
}

func formatHours(s Seconds) string { return fmt.Sprintf("%.1f", float64(s)/3600) }

// formatSlurmTime prints a time limit as sbatch takes it.
func formatSlurmTime(d time.Duration) string {
	m := int(d.Minutes())
	if m >= 24*60 {
		return fmt.Sprintf("%d-%02d:%02d:00", m/1440, m/60%24, m%60)
	}
	return fmt.Sprintf("%02d:%02d:00", m/60, m%60)
}

// shortenUUID is enough of a UUID to know a GPU by.
func shortenUUID(uuid string) string {
	if r := []rune(uuid); len(r) > 12 {
		return string(r[:12])
	}
	return uuid
}

// joinNames joins names, at most so many.
func joinNames(names []string, most int) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
