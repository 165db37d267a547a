package doctor

import (
	"fmt"
	"time"

	"fairbridge/policy"
)

// checkEditCooldown says whether a field of a job that was written in one cycle may be written
// again in the next. Writes come a little after a cycle's beginning, so that a cooldown of a whole
// interval makes every second change wait for the cycle after.
func checkEditCooldown(cooldown, interval time.Duration) Finding {
	if cooldown <= interval*3/4 {
		return Finding{Subject: "configuration", Level: LevelOK, Text: "a field may change again in the next cycle"}
	}
	return Finding{Subject: "configuration", Level: LevelWarn, Fix: "gate.edit_cooldown: " + (interval * 2 / 3).Round(100*time.Millisecond).String(),
		Text: fmt.Sprintf("an order that changes in every cycle reaches Slurm in every other: gate.edit_cooldown is %s, interval %s", policy.FormatDuration(cooldown), policy.FormatDuration(interval))}
}
