package memstore_test

import (
	"testing"
	"time"

	"fairbridge/gear/storetest"
	"fairbridge/replica/sim/memstore"
)

func TestStore(t *testing.T) {
	storetest.RunStoreTests(t, func(*testing.T) storetest.StoreWithClock {
		now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
		return storetest.StoreWithClock{
			Store:        memstore.New(func() time.Time { return now }, nil, 0),
			AdvanceClock: func(by time.Duration) { now = now.Add(by) },
		}
	})
}
