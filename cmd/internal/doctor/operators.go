package doctor

import (
	"context"
	"strings"

	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

// maxJobsNamed is how many jobs that are left alone are named.
const maxJobsNamed = 10

// checkOperators looks what operators did that stands; where nothing does no word is lost. Modes that they lowered are told with the guard's demotions.
func checkOperators(ctx context.Context, db *stores.Stores, f *settings.File) []Finding {
	standing, err := db.StandingActions(ctx, f.Cluster)
	if err != nil {
		return []Finding{{Subject: "operators", Level: LevelSkip, Text: err.Error()}}
	}
	var found []Finding
	var leftAlone []string
	for i := range standing {
		switch a := &standing[i]; {
		case a.Kind == bridge.OperatorStop:
			found = append(found, Finding{Subject: "operators", Level: LevelWarn, Text: "nothing is sent: " + a.Text(), Fix: "fairbridge operate list, then fairbridge operate resume"})
		case a.LeavesAlone():
			leftAlone = append(leftAlone, a.Jobs.Address)
		}
	}
	if n := len(leftAlone); n > 0 {
		found = append(found, Finding{Subject: "operators", Level: LevelOK, Text: policy.FormatCount(n, "job") + " left alone by operators: " + strings.Join(leftAlone[:min(n, maxJobsNamed)], ", ")})
	}
	return found
}
