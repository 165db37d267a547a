package rest

import (
	"strings"
	"testing"
)

// Reservations that cannot be read are those read last, and the view says why.
func TestReservationsLastKnown(t *testing.T) {
	const one = `{"name":"m1","node_list":"n[1-2]","flags":["MAINT"],"start_time":{"set":true,"infinite":false,"number":1795225400}}`
	q := &queue{version: 42, jobs: map[int64]string{1: "PENDING"}, aside: "fail"}
	c := open(t, q, PollConfig{})
	if v := observe(t, c); len(v.Reservations) != 0 || !v.ReservationsAt.IsZero() || !strings.Contains(v.StaleReservationsReason, "Unspecified error") || len(v.Jobs) != 1 {
		t.Errorf("never read: %+v", v)
	}
	q.set(func() { q.aside = one })
	v := observe(t, c)
	if len(v.Reservations) != 1 || v.Reservations[0].Name != "m1" || !v.ReservationsAt.Equal(v.At) || v.StaleReservationsReason != "" || len(v.Warnings) != 0 {
		t.Errorf("read: %+v", v)
	}
	read := v.At
	q.set(func() { q.aside, q.now = "fail", 60 })
	if v := observe(t, c); len(v.Reservations) != 1 || !v.ReservationsAt.Equal(read) || v.StaleReservationsReason == "" || len(v.Warnings) != 1 {
		t.Errorf("not read any more: %+v", v)
	}
	q.set(func() { q.aside = `{"name":"m2","node_list":7}` })
	if v := observe(t, c); v.Reservations[0].Name != "m2" || !strings.Contains(v.Warnings[0], "reservation m2: node_list is not of the expected kind") {
		t.Errorf("in part unreadable: %+v", v)
	}
}
