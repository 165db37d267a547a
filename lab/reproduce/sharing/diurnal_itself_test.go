package sharing

import (
	"slices"
	"testing"

	"fairbridge/replica/workload"
)

// TestReplicas: at each step as many replicas are there as are needed, and demand has a busy time and
// a quiet one, as the service forecasts.
func TestReplicas(t *testing.T) {
	d := Diurnal{OwnGPUs: 32, Days: 2}
	need, replicas := d.DrawDemand(1), d.DrawReplicas(1, 100)
	exceeded := 0
	for k, want := range need {
		at, here := float64(k)*600, 0
		for _, j := range replicas {
			if j.Arrive <= at && at < j.Arrive+j.Duration {
				here++
			}
		}
		if here != want {
			t.Fatalf("step %d: %d replicas, want %d", k, here, want)
		}
		s := d.ServicesAt(at)[0]
		if s.PeakGPUs(workload.CalendarTimeAt(at), 0) < want {
			exceeded++
		}
	}
	if low, high := slices.Min(need), slices.Max(need); low > 14 || high < 28 {
		t.Errorf("%d to %d GPUs, want about a third of 32 to nearly all", low, high)
	}
	if part := float64(exceeded) / float64(len(need)); part > .1 {
		t.Errorf("demand is above its forecast in %.2f of the steps, want one in twenty or so", part)
	}
	if slices.Equal(need, d.DrawDemand(2)) || !slices.Equal(need, d.DrawDemand(1)) {
		t.Error("chance is not that of the seed")
	}
}
