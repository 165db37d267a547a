package rest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// reservationList is the last list of reservations that was read.
type reservationList struct {
	list []slurm.Reservation
	at   time.Time // slurmctld's clock
}

// observe puts what is set aside into the view. A failure is no reason to see
// nothing at all: the view then has what was read last, with its time, and says
// why.
func (r *reservationList) observe(ctx context.Context, s *session, v *slurm.View) {
	list, meta, err := s.reservations(ctx)
	if err == nil {
		slices.SortFunc(list, func(a, b slurm.Reservation) int { return cmp.Compare(a.Name, b.Name) })
		r.list, r.at = list, v.At
		v.Warnings = append(v.Warnings, opaque(list)...)
		v.Warnings = append(v.Warnings, meta.Warnings...)
	} else {
		v.ReservationsStale = "reading the reservations: " + err.Error()
		v.Warnings = append(v.Warnings, v.ReservationsStale)
	}
	v.Reservations, v.ReservedAt = r.list, r.at
}

// opaque says which reservations cannot be read as a whole.
func opaque(list []slurm.Reservation) (warnings []string) {
	for i := range list {
		if r := &list[i]; r.Opaque != "" {
			warnings = append(warnings, fmt.Sprintf("reservation %s: %s", r.Name, r.Opaque))
		}
	}
	return warnings
}
