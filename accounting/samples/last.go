package samples

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/policy"
	"fairbridge/sql"
)

// LastReading is what was measured last of one GPU, whoever used it.
type LastReading struct {
	Node, UUID, Type string
	At               time.Time
	Busy             policy.OptionalValue // part 0..1
	MemoryShare      policy.OptionalValue // part 0..1
	Watts            policy.OptionalValue
	IsSick           bool
}

var qGPUsLast = sql.QueryText("gpus_last")

// LastReadings returns the newest reading of every GPU of a cluster since a moment, by node and GPU. It reads
// every reading since then.
func (s *Store) LastReadings(ctx context.Context, cluster string, since time.Time) ([]LastReading, error) {
	list, err := accounting.CollectRows(ctx, s.DB, func(row pgx.CollectableRow) (r LastReading, err error) {
		var busy, memory, watts *float32
		err = row.Scan(&r.Node, &r.UUID, &r.Type, &r.At, &busy, &memory, &watts, &r.IsSick)
		r.At, r.Busy, r.MemoryShare, r.Watts = r.At.UTC(), optionalValue(busy), optionalValue(memory), optionalValue(watts)
		return r, err
	}, qGPUsLast, cluster, since)
	return list, accounting.WrapError("reading what was measured last", err)
}

func optionalValue(v *float32) policy.OptionalValue {
	if v == nil {
		return policy.OptionalValue{}
	}
	return policy.KnownValue(float64(*v))
}
