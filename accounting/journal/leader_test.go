package journal

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	"fairbridge/bridge"
	"fairbridge/gear/storetest"
)

func TestClustersHaveTheirOwnLeaders(t *testing.T) {
	d := fresh(t)
	storetest.BecomeLeader(t, d, "a", time.Hour)
	if _, _, ok, err := d.Lead(t.Context(), "other", "c", time.Minute); !ok || err != nil {
		t.Errorf("another cluster: leader %v, %v", ok, err)
	}
}

// Many daemons race; whoever believes to lead tries to store cycles under its
// epoch. Every epoch must have had exactly one holder, and what was stored
// must never go back to an earlier epoch.
func TestRaceForLeadership(t *testing.T) {
	d := fresh(t)
	ctx := t.Context()
	var mu sync.Mutex
	holders := map[int64]string{}
	var wg sync.WaitGroup
	begin, stored := time.Now(), false
	isOver := func() bool { // 1.5 s; on a busy machine until there was a race
		mu.Lock()
		defer mu.Unlock()
		ran := time.Since(begin)
		return ran > 1500*time.Millisecond && len(holders) >= 5 && stored || ran > time.Minute
	}
	for i := range 4 {
		me := fmt.Sprint("daemon", i)
		wg.Go(func() {
			for n := 0; !isOver(); n++ {
				epoch, _, ok, err := d.Lead(ctx, testCluster, me, 15*time.Millisecond)
				if err != nil {
					t.Error(err)
					return
				}
				if !ok {
					time.Sleep(time.Millisecond)
					continue
				}
				mu.Lock()
				if was, taken := holders[epoch]; taken && was != me {
					t.Errorf("epoch %d was %s's and %s's", epoch, was, me)
				}
				holders[epoch] = me
				mu.Unlock()
				if n%2 == 1 {
					time.Sleep(20 * time.Millisecond) // a pause longer than the lease
				}
				c := storetest.NewCycleOfWaitingJobs(uint64(time.Now().UnixNano()), epoch, 1)
				if _, err := d.StoreIntents(ctx, c, nil); err == nil {
					mu.Lock()
					stored = true
					mu.Unlock()
				} else if !errors.Is(err, bridge.ErrFenced) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if len(holders) < 5 {
		t.Errorf("only %d epochs: the race was none", len(holders))
	}
	if n := dbtest.CountRows(t, d.DB, "select 1 from fairbridge.cycles"); n == 0 {
		t.Error("nobody stored anything")
	}
	back := dbtest.CountRows(t, d.DB, "select * from (select epoch, lag(epoch) over (order by stored) as was from fairbridge.cycles) x where epoch < was")
	if back != 0 {
		t.Errorf("%d cycles were stored under an epoch that was over", back)
	}
}
