package decode

import (
	"io"
	"time"

	"fairbridge/bridge/slurm"
)

// Reservations appends the reservation records of a reply to into.
func (d *Decoder) Reservations(r io.Reader, into []slurm.Reservation) ([]slurm.Reservation, slurm.Meta, error) {
	return records(d, r, "reservations", into, readReservation)
}

// reservationShape is every field of a reservation record this package reads.
// Numbers are plain until v0.0.38 and wrapped since.
var reservationShape = shaped(
	word("name", func(r *slurm.Reservation) *string { return &r.Name }),
	hosts("node_list", func(r *slurm.Reservation) *slurm.Hosts { return &r.Nodes }),
	moment("start_time", func(r *slurm.Reservation) *time.Time { return &r.Start }),
	moment("end_time", func(r *slurm.Reservation) *time.Time { return &r.End }),
	field[slurm.Reservation]{"flags", readReservationFlags},
	lenient(size("core_count", func(r *slurm.Reservation) *int { return &r.Cores })),
	lenient(size("node_count", func(r *slurm.Reservation) *int { return &r.NodeCount })),
	lenient(meaning("tres", func(r *slurm.Reservation) *slurm.TRES { return &r.TRES }, (*known).tres)),
	lenient(commas("users", func(r *slurm.Reservation) *[]string { return &r.Users })),
	lenient(commas("accounts", func(r *slurm.Reservation) *[]string { return &r.Accounts })),
	lenient(commas("groups", func(r *slurm.Reservation) *[]string { return &r.Groups })),
	lenient(word("partition", func(r *slurm.Reservation) *string { return &r.Partition })),
	lenient(word("licenses", func(r *slurm.Reservation) *string { return &r.Licenses })),
)

func readReservationFlags(s *input, r *slurm.Reservation) verdict {
	got := s.words(true)
	s.sortList()
	r.Flags = s.pool.keep(s.list)
	return got
}

// reservation reads one reservation record. What cannot be read of it is said,
// since it sets something aside all the same.
func readReservation(s *input, r *slurm.Reservation) {
	_, wrong := reservationShape.read(s, r)
	if s.Err() != nil {
		return
	}
	if r.Name == "" {
		s.Fail("a reservation without a name")
		return
	}
	if wrong != 0 {
		r.Opaque = reservationShape.first(wrong) + " is not of the expected kind"
	}
}
