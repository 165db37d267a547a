package doctor

import (
	"fmt"
	"time"

	"fairbridge/bridge"
	"fairbridge/policy"
)

// shortIdleTime is less than many a job takes to load its data or to write a checkpoint.
const shortIdleTime = 15 * time.Minute

// checkStopIdle says when jobs whose GPUs do no work are stopped. Where none is no word is lost.
func checkStopIdle(partition string, after time.Duration, mode bridge.Mode) []Finding {
	if after <= 0 {
		return nil
	}
	f := Finding{Subject: "configuration", Level: LevelOK, Text: fmt.Sprintf("partition %s: a job whose GPUs all did no work for %s is requeued for one that waits, where its owner said fairbridge:preemptible,idle=requeue",
		partition, policy.FormatDuration(after))}
	switch {
	case !mode.Allows(bridge.ModePreempt):
		f.Text += "; in mode observe that is only shown"
	case after < shortIdleTime:
		f.Level, f.Fix = LevelWarn, "partitions[].stop_idle_after: 2h, and leave gate.idle_min at its default"
		f.Text += ": a job that loads data or writes a checkpoint does no work for so long, too"
	}
	return []Finding{f}
}
