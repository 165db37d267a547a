package share

import (
	"fairbridge/policy"
)

// UsageOverShare returns what every account used as a multiple of its share of what
// all used: below 1 it used less than it is due. The shares are divided, by
// WeightsAmong, among the accounts that used anything or have jobs. Without any
// usage all levels are 1.
func UsageOverShare(s *policy.Snapshot) map[string]float64 {
	want, used, total := map[string]bool{}, map[string]float64{}, 0.0
	for i := range s.Jobs {
		want[s.Jobs[i].Account] = true
	}
	for _, a := range s.Accounts {
		if a.UsedService > 0 {
			want[a.Name] = true
			used[a.Name] = float64(a.UsedService)
			total += float64(a.UsedService)
		}
	}
	levels := WeightsAmong(s, want)
	for name, part := range levels {
		levels[name] = 1
		if total > 0 && part > 0 {
			levels[name] = used[name] / total / part
		}
	}
	return levels
}
