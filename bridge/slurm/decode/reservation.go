package decode

import (
	"io"
	"time"

	"fairbridge/bridge/slurm"
)

// Reservations appends the reservation records of a reply to into.
func (d *Decoder) Reservations(r io.Reader, into []slurm.Reservation) ([]slurm.Reservation, slurm.ReplyMeta, error) {
	return readRecords(d, r, "reservations", into, readReservation)
}

// reservationSchema is every field of a reservation record this package reads.
// Numbers are plain until v0.0.38 and wrapped since.
var reservationSchema = newRecordSchema(
	sharedStringField("name", func(r *slurm.Reservation) *string { return &r.Name }),
	hostsField("node_list", func(r *slurm.Reservation) *slurm.Hosts { return &r.Nodes }),
	timeField("start_time", func(r *slurm.Reservation) *time.Time { return &r.Start }),
	timeField("end_time", func(r *slurm.Reservation) *time.Time { return &r.End }),
	recordField[slurm.Reservation]{"flags", readReservationFlags},
	optionalField(nonNegativeField("core_count", func(r *slurm.Reservation) *int { return &r.CoreCount })),
	optionalField(nonNegativeField("node_count", func(r *slurm.Reservation) *int { return &r.NodeCount })),
	optionalField(parsedTextField("tres", func(r *slurm.Reservation) *slurm.TRES { return &r.TRES }, (*textCaches).parseTRES)),
	optionalField(commaListField("users", func(r *slurm.Reservation) *[]string { return &r.Users })),
	optionalField(commaListField("accounts", func(r *slurm.Reservation) *[]string { return &r.Accounts })),
	optionalField(commaListField("groups", func(r *slurm.Reservation) *[]string { return &r.Groups })),
	optionalField(sharedStringField("partition", func(r *slurm.Reservation) *string { return &r.Partition })),
	optionalField(sharedStringField("licenses", func(r *slurm.Reservation) *string { return &r.Licenses })),
)

func readReservationFlags(s *replyInput, r *slurm.Reservation) valueStatus {
	got := s.readWords(true)
	s.sortWords()
	r.Flags = s.stringPool.copyList(s.lastWords)
	return got
}

// readReservation reads one reservation record. What cannot be read of it is said,
// since it sets something aside all the same.
func readReservation(s *replyInput, r *slurm.Reservation) {
	_, wrong := reservationSchema.readRecord(s, r)
	if s.Err() != nil {
		return
	}
	if r.Name == "" {
		s.Fail("a reservation without a name")
		return
	}
	if !wrong.isEmpty() {
		r.UnreadReason = reservationSchema.firstFieldName(wrong) + " is not of the expected kind"
	}
}
