package speeds

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting"
	"fairbridge/accounting/internal/value"
	"fairbridge/bridge"
	"fairbridge/policy"
	"fairbridge/sql"
)

// What is told of restarts: the cost that so large a part of the newest of a class, or of an
// account, do not exceed, where at least so many were measured. Of fewer than ten it is the greatest.
const (
	costQuantile      = .9
	newestRestarts    = 50
	leastRestarts     = 3
	restartsBack      = 180 * 24 * time.Hour
	longestRestart    = 6 * time.Hour // a job that says nothing for longer is not taken for one that restarts so slowly
	sufficientSpeedup = .9            // of the speed known on that size, which the job must have reached again
)

var qPutRestarts, qRestarts = sql.QueryText("restarts_put"), sql.QueryText("restarts")

// recordRestarts stores what restarts cost whose first report at full speed is among the reports.
func recordRestarts(ctx context.Context, tx pgx.Tx, cluster string, list []bridge.SpeedReport) error {
	var begun []bridge.SpeedReport
	var accounts []string
	var restarts []int32
	var eligible []time.Time
	var ran []float64
	for _, r := range list {
		if b := r.Begin; b != nil {
			begun, accounts, restarts = append(begun, r), append(accounts, value.ValidText(b.Account)), append(restarts, int32(b.Restarts))
			eligible, ran = append(eligible, b.EligibleAt), append(ran, max(b.RanFor.Seconds(), 0))
		}
	}
	if len(begun) == 0 {
		return nil
	}
	c := newColumns(begun)
	_, err := tx.Exec(ctx, qPutRestarts, cluster, c.jobs, c.users, c.classes, c.types, c.gpus, c.nodes, c.batches, c.steps,
		accounts, restarts, eligible, ran, sufficientSpeedup, longestRestart.Seconds())
	return err
}

// readRestarts reads what restarts cost.
func (k *known) readRestarts(ctx context.Context, q accounting.Querier, cluster string) error {
	rows, err := q.Query(ctx, qRestarts, cluster, k.readAt.Add(-restartsBack), newestRestarts, leastRestarts, costQuantile)
	if err != nil {
		return err
	}
	var key classKey
	var account string
	var c bridge.RestartCost
	var seconds float64
	_, err = pgx.ForEachRow(rows, []any{&key.user, &key.class, &account, &c.Count, &seconds}, func() error {
		if c.Cost = policy.DurationFromSeconds(seconds); key.class == "" {
			c.Whose = "account " + account
			k.restartsByAccount[account] = c
			return nil
		}
		c.Whose = key.class
		if name, is := strings.CutPrefix(key.class, "name "); is {
			c.Whose = "jobs named " + name
		}
		k.restartsByClass[key] = c
		return nil
	})
	return err
}

// restartCostOf returns what restarts of the job's class were measured to cost, else of its account.
func (k *known) restartCostOf(j *policy.Job) bridge.RestartCost {
	return cmp.Or(k.restartsByClass[classKey{j.User, bridge.SpeedClass(j.Class, j.Name)}], k.restartsByAccount[j.Account])
}

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
