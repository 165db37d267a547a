package reminders_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/accounting/dbtest"
	store "fairbridge/accounting/reminders"
	"fairbridge/bridge/idle"
	"fairbridge/bridge/reminders"
	"fairbridge/policy"
)

// What jobs are stopped for, by package idle, is idle by fairbridge_v1.idle_gpus too, by which owners are told and reports go:
// never for longer, and shorter by no more than the time from one reading to the next.
func TestWhatIsActedUponIsIdleInReports(t *testing.T) {
	db := dbtest.NewDB(t)
	dbtest.Exec(t, db, "select fairbridge.add_sample_day(($1::timestamptz at time zone 'UTC')::date)", noon)
	r := rand.New(rand.NewPCG(1, 1))
	acted := map[string]time.Duration{}
	for gpu := 1; gpu <= 40; gpu++ {
		var w idle.Watch
		last := idle.GPU{Job: int64(gpu), Node: "n1", Device: fmt.Sprintf("g%d", gpu)}
		missing, mostlyIdle := 0, r.IntN(4) > 0
		fill(t, db, int64(gpu), fmt.Sprintf("u%d", gpu), gpu, false, func(minute int) float64 {
			if missing > 0 {
				missing--
				return -1
			}
			if r.IntN(12) == 0 {
				missing = r.IntN(7)
			}
			busy := []float64{0, 0.005, 0.0099}[r.IntN(3)]
			if r.IntN(12) == 0 || !mostlyIdle && r.IntN(2) == 0 {
				busy = []float64{0.011, 0.3, 1}[r.IntN(3)] // 0.01, which Postgres keeps as a little less, is idle there
			}
			reading := idle.Reading{GPU: last, At: noon.Add(-time.Duration(minute) * time.Minute), Busy: policy.KnownValue(busy)}
			w = w.Read([]idle.Reading{reading}, reading.At)
			if minute == 0 {
				acted[last.Device] = w.IdleFor([]idle.Reading{reading}, 1)
			}
			return busy
		})
	}
	x, err := (&store.Store{DB: db}).ReadState(t.Context(), "c1", noon)
	must(t, err)
	told := map[string]time.Duration{}
	for i := range x.Readings {
		if s := &x.Readings[i]; s.Until.Equal(noon) && s.Doubt == "" {
			told[s.UUID] = s.Until.Sub(s.Since)
		}
	}
	compared := 0
	for gpu, d := range acted {
		if d >= reminders.LeastSpell && told[gpu] < d {
			t.Errorf("GPU %s is idle for %v here, and for %v in reports", gpu, d, told[gpu])
		}
		if told[gpu]-d > idle.MaxGap {
			t.Errorf("GPU %s is idle for %v in reports, and for %v here", gpu, told[gpu], d)
		}
		if d >= reminders.LeastSpell {
			compared++
		}
	}
	if compared < 5 {
		t.Errorf("%d GPUs are idle: too few to compare", compared)
	}
}
