package intake

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
	"fairbridge/replica/sim"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// TestWindows turns reservations of nodes n1 and n2 of 64 cores into times in
// which those are set aside.
func TestWindows(t *testing.T) {
	h := func(n float64) time.Time { return noon.Add(time.Duration(n * float64(time.Hour))) }
	window := func(from, to float64) policy.Window { return policy.Window{From: h(from), To: h(to), Name: "r"} }
	part := window(-1, 1)
	part.CPUs, part.GPUs = 4, 1
	work := window(1, 2)
	work.IsMaintenance = true
	endless := window(1, 0)
	endless.To = time.Time{}
	for _, c := range []struct {
		name string
		r    slurm.Reservation
		want []policy.Window // of n1
	}{
		{"to come", slurm.Reservation{Nodes: slurm.ReadHosts("n[1-2]"), Start: h(1), End: h(2)}, []policy.Window{window(1, 2)}},
		{"maintenance, whatever its cores", slurm.Reservation{Nodes: slurm.ReadHosts("n1"), Start: h(1), End: h(2), Flags: []string{"MAINT"}, TRES: slurm.ReadTRES("cpu=4")}, []policy.Window{work}},
		{"other nodes", slurm.Reservation{Nodes: slurm.ReadHosts("n2"), Start: h(1), End: h(2)}, nil},
		{"licences only", slurm.Reservation{Start: h(1), End: h(2), Licenses: "matlab:1"}, nil},
		{"over", slurm.Reservation{Nodes: slurm.ReadHosts("n1"), Start: h(-2), End: h(-1)}, nil},
		{"begun at an unknown time", slurm.Reservation{Nodes: slurm.ReadHosts("n1"), End: h(1)}, []policy.Window{window(0, 1)}},
		{"without end", slurm.Reservation{Nodes: slurm.ReadHosts("n1"), Start: h(1)}, []policy.Window{endless}},
		{"all cores", slurm.Reservation{Nodes: slurm.ReadHosts("n[1-2]"), Start: h(1), End: h(2), TRES: slurm.ReadTRES("cpu=128")}, []policy.Window{window(1, 2)}},
		{"all cores but Slurm's own", slurm.Reservation{Nodes: slurm.ReadHosts("n[1-2]"), Start: h(1), End: h(2), TRES: slurm.ReadTRES("cpu=120")}, []policy.Window{window(1, 2)}},
		{"a part", slurm.Reservation{Nodes: slurm.ReadHosts("n[1-2]"), Start: h(-1), End: h(1), TRES: slurm.ReadTRES("cpu=8,gres/gpu=2")}, []policy.Window{part}},
		{"daily, over for today", slurm.Reservation{Nodes: slurm.ReadHosts("n1"), Start: h(-3), End: h(-1), Flags: []string{"DAILY"}},
			[]policy.Window{window(21, 23), window(45, 47), window(69, 71), window(93, 95)}},
		{"unreadable in part", slurm.Reservation{Nodes: slurm.ReadHosts("n1"), Start: h(1), End: h(2), UnreadReason: "flags"}, []policy.Window{{From: noon, Name: "r"}}},
	} {
		c.r.Name = "r"
		v := &slurm.View{At: noon, Nodes: []slurm.Node{{Name: "n1", CPUs: 64}, {Name: "n2", CPUs: 64}}, Reservations: []slurm.Reservation{c.r}}
		if diff := cmp.Diff(c.want, reservedWindowsByNode(v)["n1"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// Workdays and weekends by the calendar: 2026-01-09 is a Friday.
func TestRecurrence(t *testing.T) {
	friday := time.Date(2026, 1, 9, 8, 0, 0, 0, time.UTC)
	for flag, want := range map[string][]int{"WEEKDAY": {3, 4, 5}, "WEEKEND": nil, "WEEKLY": {7, 14, 21}, "DAILY": {1, 2, 3}} {
		r := slurm.Reservation{Flags: []string{flag}}
		from, to := friday, friday.Add(time.Hour)
		if flag == "WEEKEND" {
			from, to = from.AddDate(0, 0, 1), to.AddDate(0, 0, 1)
			want = []int{2, 8, 9}
		}
		for _, days := range want {
			if from, to, _ = r.NextOccurrence(from, to); !from.Equal(friday.AddDate(0, 0, days)) || to.Sub(from) != time.Hour {
				t.Errorf("%s: %v, want %d days after Friday", flag, from, days)
			}
		}
	}
}

// What is reserved now is down now, and comes back at its end where that is
// known.
func TestReserve(t *testing.T) {
	now := []policy.Window{{From: noon.Add(-time.Hour), To: noon.Add(time.Hour), Name: "m1", IsMaintenance: true}}
	later := []policy.Window{{From: noon.Add(time.Hour), Name: "m2"}}
	for _, c := range []struct {
		name  string
		down  string
		flags []string
		list  []policy.Window
		want  string
		back  bool
	}{
		{"nothing", "", nil, nil, "", false},
		{"to come", "", nil, later, "", false},
		{"under way", "", []string{"RESERVED"}, now, "set aside for the maintenance m1", true},
		{"maintenance under way", "MAINTENANCE", []string{"MAINTENANCE"}, now, "set aside for the maintenance m1", true},
		{"maintenance that nobody told us of", "MAINTENANCE", []string{"MAINTENANCE"}, later, "MAINTENANCE", false},
		{"reserved, nobody told us for what", "", []string{"RESERVED"}, later, "RESERVED", false},
		{"down besides", "DRAIN", []string{"DRAIN", "RESERVED"}, now, "DRAIN", false},
	} {
		n := policy.Node{DownReason: c.down}
		setReservedWindows(&n, c.flags, c.list, noon)
		if n.DownReason != c.want || (len(n.Windows) > 0 && n.Windows[0].IsUnderWay) != c.back {
			t.Errorf("%s: down %q, windows %+v", c.name, n.DownReason, n.Windows)
		}
	}
}

// Cores and memory of jobs without GPUs come back when their limits end.
func TestOthers(t *testing.T) {
	w := world(t,
		sim.JobSpec{User: "carol", Account: "lang", Partition: "gpu", CPUsPerNode: 20, MemMBPerNode: 10_000, MinNodes: 2, TimeLimit: time.Hour, WorkTime: time.Hour},
		sim.JobSpec{User: "bob", Account: "lang", Partition: "gpu", CPUsPerNode: 4, GPUs: 1, TimeLimit: time.Hour, WorkTime: time.Hour},
	)
	w.Advance(w.Now().Add(2 * time.Minute))
	v := view(t, w)
	s := AssembleSnapshot(Input{View: v}, bridge.Partition{Name: "gpu", Mode: bridge.ModeSteer})
	others := 0
	for _, n := range s.Nodes {
		for _, o := range n.OtherUses {
			others++
			if o.CPUs != 20 || o.MemMB != 10_000 || o.Until.Before(v.Job(1).Start.Add(time.Hour)) || o.Until.After(v.Job(1).Start.Add(time.Hour+time.Minute)) || n.CPUs != 44 {
				t.Errorf("%s: %+v of %d cores", n.Name, o, n.CPUs)
			}
		}
	}
	if others != 2 {
		t.Errorf("%d nodes get cores back, want 2", others)
	}
}
