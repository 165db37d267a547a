package lastcycle

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"fairbridge/accounting/journal"
)

// hangingStore answers nothing until who asks gives up.
type hangingStore struct{ Store }

func (hangingStore) LastCycles(ctx context.Context, _ string, _ []string) ([]journal.CycleHead, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// With a cycle in memory a database that hangs is not waited for long, and not asked again at once.
func TestAHangingDatabaseLeavesWhatIsInMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCache(hangingStore{}, "lab", []string{"gpu"}, time.Minute, time.Now)
		c.cycleByName["gpu"] = &Cycle{}
		from := time.Now()
		for range 2 {
			if list, err := c.Cycles(t.Context()); len(list) != 1 || err == nil {
				t.Errorf("%v, %v", list, err)
			}
		}
		if took := time.Since(from); took > 3*time.Second {
			t.Errorf("two answers took %v", took)
		}
	})
}
