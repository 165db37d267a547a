package stores

import (
	"testing"
	"time"

	"fairbridge/gear/storetest"
)

func TestStore(t *testing.T) {
	storetest.RunStoreTests(t, func(t *testing.T) storetest.StoreWithClock {
		d := fresh(t)
		return storetest.StoreWithClock{Store: d, AdvanceClock: func(by time.Duration) {
			for _, q := range []string{
				"update fairbridge.leader set since = since - $1::interval, renewed = renewed - $1::interval, expires = expires - $1::interval",
				"update fairbridge.expiry set beat = beat - $1::interval, led = led - $1::interval",
			} {
				_, err := d.Exec(t.Context(), q, by)
				must(t, err)
			}
		}}
	})
}
