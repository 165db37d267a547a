package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"fairbridge/cmd/internal/remind"
	"fairbridge/cmd/settings"
)

// channelTimeout is how long a mail server has to answer.
const channelTimeout = 10 * time.Second

// checkReminders looks whether owners of idle GPUs could be told: the mail server is logged in to, secrets are read.
// Where reminders are off no word is lost.
func checkReminders(ctx context.Context, r *settings.Reminders) []Finding {
	if !r.IsOn() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, channelTimeout)
	defer cancel()
	byChannel := remind.Check(ctx, r)
	var found []Finding
	for _, name := range slices.Sorted(maps.Keys(byChannel)) {
		if err := byChannel[name]; err != nil {
			found = append(found, Finding{Subject: "reminders", Level: LevelFail, Text: fmt.Sprintf("%s: %v", name, err), Fix: fmt.Sprintf("see reminders.%s_* in the configuration; run doctor as the daemon's user", name)})
		} else {
			found = append(found, Finding{Subject: "reminders", Level: LevelOK, Text: fmt.Sprintf("owners of idle GPUs are told by %s after %v (fairbridge reminders --dry-run)", name, r.After)})
		}
	}
	return found
}
