package rest

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// known is what was last read of reservations.
type known struct {
	list []slurm.Reservation
	at   time.Time // slurmctld's clock
}

// reservations reads what is set aside. A failure is no reason to see nothing
// at all: the view then has what was read last, with its time, and says why.
func (c *Client) reservations(ctx context.Context, v *slurm.View) {
	dec := slurm.Decoder{Limits: slurm.Limits{Bytes: c.conn.MaxBytes()}}
	var list []slurm.Reservation
	m, err := c.get(ctx, "reservations", func(r io.Reader) (m slurm.Meta, err error) {
		list, m, err = dec.Reservations(r, nil)
		return m, err
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		slices.SortFunc(list, func(a, b slurm.Reservation) int { return cmp.Compare(a.Name, b.Name) })
		c.aside = known{list, v.At}
		v.Warnings = append(v.Warnings, opaque(list)...)
		v.Warnings = append(v.Warnings, m.Warnings...)
	} else {
		v.Unreserved = "reading the reservations: " + err.Error()
		v.Warnings = append(v.Warnings, v.Unreserved)
	}
	v.Reservations, v.ReservedAt = c.aside.list, c.aside.at
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
