package doctor

import (
	"testing"
)

func TestFederation(t *testing.T) {
	for _, tt := range []struct {
		name      string
		siblings  []string
		jobCount  int
		readsJobs bool
		want      []Level
	}{
		{"", nil, 0, false, nil},
		{"both", nil, 0, false, []Level{LevelWarn}},
		{"", nil, 3, true, []Level{LevelWarn}},
		{"both", []string{"other"}, 3, true, []Level{LevelWarn}},
		{"both", []string{"other"}, 3, false, []Level{LevelWarn, LevelFail}},
	} {
		r := newFederationReport(tt.name, tt.siblings, tt.jobCount, tt.readsJobs)
		if len(r) != len(tt.want) {
			t.Errorf("%+v: %+v", tt, r)
			continue
		}
		for i, level := range tt.want {
			if r[i].Level != level || r[i].Fix == "" {
				t.Errorf("%+v: %+v, want %s with a fix", tt, r[i], level)
			}
		}
	}
}
