package speeds

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/sql"
)

var qPut = sql.QueryText("speeds_put")

// RecordSpeeds stores reports, all or none. A report that is stored already counts once.
func (s *Store) RecordSpeeds(ctx context.Context, cluster string, list []bridge.SpeedReport) error {
	if len(list) == 0 {
		return nil
	}
	c := newColumns(list)
	return s.DB.RunTx(ctx, "storing reported speeds", func(tx pgx.Tx) error {
		if err := recordRestarts(ctx, tx, cluster, list); err != nil { // by the speeds known before these
			return err
		}
		_, err := tx.Exec(ctx, qPut, cluster, c.jobs, c.users, c.classes, c.types, c.gpus, c.nodes, c.batches, c.steps, c.ranges, c.times)
		return err
	})
}

// columns are reports as the query takes them.
type columns struct {
	jobs                  []int64
	users, classes, types []string
	gpus, nodes, batches  []int32
	steps                 []float64
	ranges                []*string
	times                 []time.Time
}

func newColumns(list []bridge.SpeedReport) *columns {
	c := &columns{}
	for i := range list {
		r := &list[i]
		c.jobs, c.users, c.classes = append(c.jobs, int64(r.Job)), append(c.users, value.ValidText(r.User)), append(c.classes, value.ValidText(r.Class))
		p := &r.Point
		c.types, c.gpus, c.nodes = append(c.types, value.ValidText(p.Type)), append(c.gpus, int32(p.Devices)), append(c.nodes, int32(p.Nodes))
		c.batches, c.steps, c.times = append(c.batches, int32(p.BatchSize)), append(c.steps, p.StepsPerSecond), append(c.times, r.At)
		var text *string
		if r.Batch != nil {
			if b, err := json.Marshal(r.Batch); err == nil {
				t := string(b)
				text = &t
			}
		}
		c.ranges = append(c.ranges, text)
	}
	return c
}
