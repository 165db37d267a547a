package writer

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
)

const (
	holdCall    = `POST /slurm/v0.0.45/job/7 {"hold":true,"step_id":{"sluid":"` + id + `"}}`
	releaseCall = `POST /slurm/v0.0.45/job/7 {"hold":false,"step_id":{"sluid":"` + id + `"}}`
	niceCall    = `POST /slurm/v0.0.45/job/7 {"nice":100,"step_id":{"sluid":"` + id + `"}}`
)

// TestACallerThatGaveUpLeavesNoHold: the caller's time is over between the two calls, as when the daemon ends. The
// job is released all the same.
func TestACallerThatGaveUpLeavesNoHold(t *testing.T) {
	f := &fake{job: record(45, "PENDING", "")}
	d := open(t, f, 45, Config{})
	ctx, giveUp := context.WithCancel(t.Context())
	err := d.HandBack(ctx, slurm.Edit{Run: run(7), Kind: slurm.EditHandBackPriority}, func(context.Context) error {
		giveUp()
		return nil
	})
	if diff := cmp.Diff([]string{holdCall, releaseCall}, f.writes); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestANiceSetMeanwhileStays: while a job was left held somebody gave it a nice. It is released and keeps that; where
// nobody did it gets its owner's back.
func TestANiceSetMeanwhileStays(t *testing.T) {
	for nice, want := range map[int][]string{0: {releaseCall, niceCall}, 7: {releaseCall}, -7: {releaseCall}} {
		held := record(45, "PENDING", fmt.Sprintf(`,"state_reason":"JobHeldAdmin","nice":%d`, nice))
		f := &fake{job: strings.Replace(held, `"number":1000`, `"number":0`, 1)}
		d := open(t, f, 45, Config{})
		err := d.FinishHandBacks(t.Context(), []slurm.Edit{{Run: run(7), Kind: slurm.EditHandBackPriority, Value: 100}})
		if diff := cmp.Diff(want, f.writes); err != nil || diff != "" {
			t.Errorf("nice %d: %v\n%s", nice, err, diff)
		}
	}
}
