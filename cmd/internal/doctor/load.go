package doctor

import (
	"context"
	"fmt"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/scontrol"
)

// maxLoadShare is the part of slurmctld's time beyond which we ask too much of it. With 10,000
// waiting jobs on a busy machine it was 2 to 3.3 % on Slurm 22.05.
const maxLoadShare = 0.05

// minLoadSpan is how long slurmctld must have counted for a share to mean something.
const minLoadSpan = 10 * time.Minute

// readBootTime asks scontrol when slurmctld started; zero when it does not say.
func readBootTime(ctx context.Context, command []string) time.Time {
	values, err := scontrol.Command(command).ReadConfig(ctx)
	if err != nil {
		return time.Time{} // checkSlurmConf says so
	}
	boot, err := time.ParseInLocation("2006-01-02T15:04:05", values["BOOT_TIME"], time.Local)
	if err != nil {
		return time.Time{}
	}
	return boot
}

// checkLoad looks at what our requests cost slurmctld, by its own counters. boot is when it started,
// interval that of cycles, window how many jobs get a number.
func checkLoad(v *slurm.View, boot time.Time, interval time.Duration, window int) Finding {
	l := v.ControllerLoad
	isFromBoot := l.CountersStart.IsZero() && boot.Before(l.At)
	if isFromBoot { // a zero boot leaves it unknown
		l.CountersStart = boot
	}
	f := Finding{Subject: "slurmctld", Level: LevelSkip}
	switch {
	case l.Own.Name == "":
		f.Text, f.Fix = "slurmrestd asks in the name of its own user: what is ours of slurmctld's work is not counted apart", "sdiag shows it, by user"
		return f
	case l.CountersStart.IsZero():
		f.Text, f.Fix = "since when slurmctld counts requests is not known: at midnight UTC it clears its other counters, and scontrol does not tell its BOOT_TIME", "set slurm.scontrol, or clear the counters by sdiag --reset and look again ten minutes later"
		return f
	case l.Span() < minLoadSpan:
		f.Text, f.Fix = fmt.Sprintf("slurmctld's counters began %v ago: too short to say what we cost it", l.Span().Round(time.Second)), "look again later"
		return f
	}
	f.Level, f.Text = LevelOK, describeLoad(&l, interval)
	if isFromBoot && !l.CountersStart.IsZero() {
		f.Text += atLeastText
	}
	if l.OwnShare() > maxLoadShare {
		f.Level = LevelWarn
		f.Text += fmt.Sprintf("; more than %g %% is too much", maxLoadShare*100)
		f.Fix = fixForLoad(v.APIVersion, window)
	}
	return f
}

// atLeastText says of what is counted from slurmctld's start on that it may have begun later.
const atLeastText = "; counted from slurmctld's start on: if sdiag --reset was called since, or fairbridge began later, the share is larger, and what rate(fairbridge_slurmctld_request_seconds{whose=\"ours\"}[10m]) shows"

// describeLoad says what requests in our name cost, together and in a cycle.
func describeLoad(l *slurm.ControllerLoad, interval time.Duration) string {
	cycles := max(l.Span().Seconds()/interval.Seconds(), 1)
	perCycle := time.Duration(float64(l.Own.TotalTime) / cycles)
	ofAll := 0.0
	if l.All.TotalTime > 0 {
		ofAll = 100 * l.Own.TotalTime.Seconds() / l.All.TotalTime.Seconds()
	}
	mean := l.Own.TotalTime / time.Duration(max(l.Own.Count, 1))
	return fmt.Sprintf("in %v slurmctld served %d requests of %s in %v: %.2f %% of its time, %.0f %% of what all requests took; %v each, in %v %.1f requests and %v; backfill takes %v in the mean",
		l.Span().Round(time.Second), l.Own.Count, l.Own.Name, roundLoad(l.Own.TotalTime), 100*l.OwnShare(), ofAll,
		roundLoad(mean), interval, float64(l.Own.Count)/cycles, roundLoad(perCycle), roundLoad(l.BackfillMean))
}

// roundLoad rounds a time for reading.
func roundLoad(d time.Duration) time.Duration {
	if d < 10*time.Millisecond {
		return d.Round(10 * time.Microsecond)
	}
	return d.Round(time.Millisecond)
}

// fixForLoad says by which settings we would ask less.
func fixForLoad(apiVersion string, window int) string {
	fix := fmt.Sprintf("raise interval to 1m or more, lower order.window (%d) and gate.mutations", window)
	if api, known := rest.APIFromName(apiVersion); known && !api.ListsStates {
		return fix + "; every poll reads all jobs, from Slurm 24.05 on only what changed"
	}
	return fix + ", raise slurm.refresh; sdiag shows by kind what was asked"
}
