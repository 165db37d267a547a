package reservation_test

import (
	"testing"
	"time"

	"fairbridge/replica/sim/inventory"
	"fairbridge/replica/sim/reservation"
)

var start = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// booked is two nodes, of which n2 is set aside for the jobs of a class from one
// to two hours from now, every day.
func booked(t *testing.T) (*inventory.Inventory, reservation.Book, *reservation.Entry) {
	t.Helper()
	v, err := inventory.New(inventory.UniformNodes(2, "a100", 8), []inventory.PartitionConfig{{Name: "gpu"}})
	if err != nil {
		t.Fatal(err)
	}
	var b reservation.Book
	e := b.Add(reservation.Reservation{Name: "class", Nodes: []string{"n2"}, From: start.Add(time.Hour), To: start.Add(2 * time.Hour), Flags: []string{"DAILY"}}, v.SelectNodes([]string{"n2"}))
	return v, b, e
}

func TestNodesAreOpenToJobsThatEndBefore(t *testing.T) {
	v, b, _ := booked(t)
	p := v.Partitions[0]
	for _, c := range []struct {
		name     string
		job      reservation.Job
		from, to time.Duration
		open     int
		ok       bool
	}{
		{"ends before", reservation.Job{}, 0, time.Hour, 2, true},
		{"reaches into it", reservation.Job{}, 0, 61 * time.Minute, 1, true},
		{"needs the node", reservation.Job{RequiredNodes: []string{"n2"}}, 0, 61 * time.Minute, 0, false},
		{"its own", reservation.Job{Reservation: "class"}, 0, 3 * time.Hour, 2, true},
		{"after it", reservation.Job{}, 2 * time.Hour, 9 * time.Hour, 2, true},
	} {
		open, reason, ok := b.FilterOpenNodes(c.job, p, v.Nodes, start.Add(c.from), start.Add(c.to))
		if len(open) != c.open || ok != c.ok || ok != (reason == "") {
			t.Errorf("%s: %v %q %t", c.name, inventory.NodeNames(open), reason, ok)
		}
	}
	if list := b.KeepOwnNodes(reservation.Job{Reservation: "class"}, v.SelectNodes(nil)); len(list) != 1 || list[0].Name != "n2" {
		t.Errorf("within its own: %v", inventory.NodeNames(list))
	}
	if list := b.KeepOwnNodes(reservation.Job{Reservation: "none"}, v.SelectNodes(nil)); len(list) != 0 {
		t.Errorf("within none: %v", inventory.NodeNames(list))
	}
}

func TestADailyReservationMovesOn(t *testing.T) {
	v, b, e := booked(t)
	if !b.IsUpcoming("class", start) || b.IsUpcoming("class", start.Add(time.Hour)) {
		t.Error("it begins in an hour")
	}
	if f := b.NodeFlag(v.Node("n2"), start.Add(time.Hour)); f != "RESERVED" || b.NodeFlag(v.Node("n1"), start.Add(time.Hour)) != "" {
		t.Errorf("flag %q", f)
	}
	if ended, _ := b.EndEntry(e, start.Add(time.Hour)); ended {
		t.Error("ended before its end")
	}
	if ended, recurs := b.EndEntry(e, start.Add(2*time.Hour)); !ended || !recurs || !e.From.Equal(start.Add(25*time.Hour)) {
		t.Errorf("%t %t, again at %v", ended, recurs, e.From)
	}
	e.Flags = []string{"MAINT"}
	if ended, recurs := b.EndEntry(e, e.To); !ended || recurs || len(b) != 0 {
		t.Errorf("%t %t, %d left", ended, recurs, len(b))
	}
	if ended, _ := b.EndEntry(e, e.To); ended {
		t.Error("ended twice")
	}
}
