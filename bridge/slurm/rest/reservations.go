package rest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// lastReservations is the last list of reservations that was read.
type lastReservations struct {
	reservations []slurm.Reservation
	readAt       time.Time // slurmctld's clock
}

// readOrUseLast puts the reservations into the view. A failure is no reason to see
// nothing at all: the view then has what was read last, with its time, and says
// why.
func (r *lastReservations) readOrUseLast(ctx context.Context, s *session, v *slurm.View) {
	list, meta, err := s.readReservations(ctx)
	if err == nil {
		slices.SortFunc(list, func(a, b slurm.Reservation) int { return cmp.Compare(a.Name, b.Name) })
		r.reservations, r.readAt = list, v.At
		v.Warnings = append(v.Warnings, unreadableReservationWarnings(list)...)
		v.Warnings = append(v.Warnings, meta.Warnings...)
	} else {
		v.StaleReservationsReason = "reading the reservations: " + err.Error()
		v.Warnings = append(v.Warnings, v.StaleReservationsReason)
	}
	v.Reservations, v.ReservationsAt = r.reservations, r.readAt
}

// unreadableReservationWarnings says which reservations cannot be read as a whole.
func unreadableReservationWarnings(list []slurm.Reservation) (warnings []string) {
	for i := range list {
		if r := &list[i]; r.UnreadReason != "" {
			warnings = append(warnings, fmt.Sprintf("reservation %s: %s", r.Name, r.UnreadReason))
		}
	}
	return warnings
}
