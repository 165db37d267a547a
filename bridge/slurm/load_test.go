package slurm

import (
	"testing"
	"time"
)

func TestLoadBy(t *testing.T) {
	noon := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	d := Diag{Now: noon, CountersStart: noon.Add(-100 * time.Second), RPCsByUser: []RPCCount{
		{Name: "root", Count: 5, TotalTime: time.Second}, {Name: "fairbridge", Count: 2, TotalTime: 500 * time.Millisecond},
	}}
	for user, want := range map[string]struct {
		own   int64
		share float64
	}{"fairbridge": {2, 0.005}, "rest": {0, 0}, "": {0, 0}} {
		l := d.LoadBy(user)
		if l.Own.Name != user || l.Own.Count != want.own || l.OwnShare() != want.share || l.All.Count != 7 || l.All.TotalTime != 1500*time.Millisecond {
			t.Errorf("%q: %+v, share %v, want %+v", user, l, l.OwnShare(), want)
		}
	}
	if l := (&ControllerLoad{At: noon, Own: RPCCount{TotalTime: time.Second}}); l.OwnShare() != 0 {
		t.Errorf("a share of no time: %v", l.OwnShare())
	}
	d.CountersStart = noon.Truncate(24 * time.Hour).Add(20 * time.Second)
	if l := d.LoadBy("fairbridge"); l.Span() != 0 || l.OwnShare() != 0 || l.Own.Count != 2 {
		t.Errorf("after midnight: %+v counted for %v", l, l.Span())
	}
}
