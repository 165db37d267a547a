package ledger

import (
	"fmt"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/slurm"
)

// How long nothing more is written into fields that only tell after such a write failed. What Slurm
// refuses, as it does to a user who is no Administrator, is not asked for again and again; other
// failures pass sooner.
const (
	refusedTellingPause = time.Hour
	failedTellingPause  = 5 * time.Minute
	// lostTellings is how many texts that Slurm accepted and that no poll showed count like a
	// refusal: fewer are people who cleared theirs at once.
	lostTellings = 3
)

// CheckTelling says why nothing is told in jobs now, whatever is configured: a write of the kind
// failed a short while ago; nil when none did.
func CheckTelling(intents []bridge.Intent, now time.Time) error {
	lost := 0
	for i := len(intents) - 1; i >= 0; i-- {
		in := &intents[i]
		if in.State != bridge.IntentFailed && !wasTellingLost(in) || !actuator.EditKindRowOf(in.Edit.Kind).OnlyTells {
			continue
		}
		pause := pauseAfterTelling(in)
		if now.Sub(in.Closed) >= pause {
			continue
		}
		if lost++; wasTellingLost(in) && lost < lostTellings {
			continue
		}
		return fmt.Errorf("no %s is written before %s, since one failed: %s. Slurm takes it from Administrators only (sacctmgr modify user USER set adminlevel=Administrator); else set order.admin_comment: false",
			in.Edit.Kind, in.Closed.Add(pause).UTC().Format(time.RFC3339), in.Error)
	}
	return nil
}

// pauseAfterTelling is how long nothing more is told after the intent failed. The ledger keeps of a
// call's error its words, which begin with its class.
func pauseAfterTelling(in *bridge.Intent) time.Duration {
	for _, c := range []slurm.ErrorClass{slurm.ErrorForbidden, slurm.ErrorBadRequest} {
		if strings.HasPrefix(in.Error, string(c)) {
			return refusedTellingPause
		}
	}
	if wasTellingLost(in) {
		return refusedTellingPause
	}
	return failedTellingPause
}

// wasTellingLost reports whether Slurm accepted the intent's text and no poll showed it.
func wasTellingLost(in *bridge.Intent) bool {
	return in.State == bridge.IntentYielded && in.Polls >= maxMissedPolls
}
