package push

import (
	"strings"
	"testing"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/bridgetest"
)

// TestOurOwnSizeIsNoForeignChange: the order that follows a size of ours in one push goes out; a request that its
// owner changed does not.
func TestOurOwnSizeIsNoForeignChange(t *testing.T) {
	was := bridgetest.NewWaitingJob()
	was.RequestedTRES = slurm.ReadTRES("gres/gpu=4")
	is := was
	is.RequestedTRES = slurm.ReadTRES("gres/gpu=2")
	order := slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditSiteFactor, Value: 5}
	for _, ours := range []bool{true, false} {
		k := knows(&was)
		k.isWrittenByUs = func(f slurm.Field) bool { return ours && f == slurm.FieldGPUs }
		gone, changed := k.compareJob(order, &is)
		if changed != "" || (gone == "") != ours || !ours && !strings.Contains(gone, "request") {
			t.Errorf("ours %v: gone %q, changed %q", ours, gone, changed)
		}
	}
	size := slurm.Edit{Run: was.CurrentRun(), Kind: slurm.EditSetGPUs, Value: 2}
	if field, what := rewrittenField(size, &was, &is); field != "" {
		t.Errorf("a size of ours rewrote its %s: %s", field, what)
	}
	if field, _ := rewrittenField(order, &was, &is); field != "request" {
		t.Errorf("an order that changes the request rewrote %q", field)
	}
}
