package runs

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"fairbridge/accounting/internal/value"
)

// settling gathers what has to be written: only what does not stand yet.
type settling struct {
	runs           keys
	cols           runs
	exact, told    []bool
	held           keys // runs whose segments are written
	segs           segments
	gone           keys
	changed, fresh int
}

// add notes what an adoption changes.
func (w *settling) add(a adoption, past []*rec, segs map[runKey][]segment) {
	for _, k := range a.gone {
		w.gone.add(k)
	}
	for i := range a.runs {
		r := &a.runs[i]
		at := slices.IndexFunc(past, func(k *rec) bool { return k.runKey == r.runKey })
		stands := at >= 0 && r.same(past[at])
		s, told := a.segments[r.runKey]
		put := told && (!sameSegments(s, segs[r.runKey]) || at >= 0 && !r.sameHolder(past[at]))
		if !stands {
			w.run(r)
		}
		if put {
			w.held.add(r.runKey)
			w.segs.addAll(r, s)
		}
		if !stands || put {
			w.changed++
		}
		if at < 0 {
			w.fresh++
		}
	}
}

func (w *settling) run(r *rec) {
	c := &w.cols
	w.runs.add(r.runKey)
	c.arrive = append(c.arrive, r.arrive)
	c.sluid, c.name, c.user, c.account = append(c.sluid, r.sluid), append(c.name, r.name), append(c.user, r.user), append(c.account, r.account)
	c.qos, c.partition = append(c.qos, r.qos), append(c.partition, r.partition)
	c.state, c.reason = append(c.state, r.state), append(c.reason, r.reason)
	c.arrayJob, c.arrayTask = append(c.arrayJob, r.arrayJob), append(c.arrayTask, r.arrayTask)
	c.limit, c.gpus = append(c.limit, int64(r.limit/time.Second)), append(c.gpus, int32(r.gpus))
	c.started, c.ended, c.closed = append(c.started, r.started), append(c.ended, r.ended), append(c.closed, r.closed)
	w.exact, w.told = append(w.exact, r.exact), append(w.told, r.authority)
}

func (s *segments) addAll(r *rec, list []segment) {
	for _, g := range list {
		s.keys.add(r.runKey)
		s.node, s.gpu = append(s.node, value.Text(g.node)), append(s.gpu, value.Text(g.gpu))
		s.user, s.account, s.partition = append(s.user, r.user), append(s.account, r.account), append(s.partition, r.partition)
		s.started, s.stopped = append(s.started, g.start), append(s.stopped, value.NullTime(g.stop))
		s.count, s.part = append(s.count, int32(g.count)), append(s.part, int32(g.part))
	}
}

func (w *settling) write(ctx context.Context, tx pgx.Tx, s Settlement) error {
	if !s.Since.IsZero() {
		if _, err := tx.Exec(ctx, qImportsPut, s.Cluster, s.Since, s.Through); err != nil {
			return err
		}
	}
	if w.changed == 0 && len(w.gone.job) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, qRunsGone, s.Cluster, w.gone.job, w.gone.submit, w.gone.restarts); err != nil {
		return err
	}
	c, g := &w.cols, &w.segs
	if _, err := tx.Exec(ctx, qSegmentsPut, s.Cluster, w.held.job, w.held.submit, w.held.restarts, g.job, g.submit, g.restarts,
		g.node, g.gpu, g.started, g.stopped, g.count, g.part, g.user, g.account, g.partition); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, qRunsSettle, s.Cluster, s.Now, w.runs.job, w.runs.submit, w.runs.restarts, c.arrive, c.sluid, c.name, c.user, c.account, c.qos,
		c.partition, c.arrayJob, c.arrayTask, c.state, c.reason, c.limit, c.gpus, c.started, c.ended, c.closed, w.exact, w.told); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, qWatchRewrote, s.Cluster)
	return err
}

// same reports whether both rows say the same.
func (r *rec) same(o *rec) bool {
	a, b := *r, *o
	if !a.arrive.Equal(b.arrive) || !sameTime(a.started, b.started) || !sameTime(a.ended, b.ended) {
		return false
	}
	a.arrive, a.started, a.ended = b.arrive, b.started, b.ended
	return a == b
}

// sameHolder reports whether segments of both carry the same names.
func (r *rec) sameHolder(o *rec) bool {
	return r.user == o.user && r.account == o.account && r.partition == o.partition
}

func sameTime(a, b *time.Time) bool { return value.UTC(a).Equal(value.UTC(b)) }

// sameSegments reports whether both lists say the same, in any order.
func sameSegments(a, b []segment) bool {
	by := func(x, y segment) int {
		return cmp.Or(x.start.Compare(y.start), cmp.Compare(x.node, y.node), cmp.Compare(x.gpu, y.gpu))
	}
	a, b = slices.SortedFunc(slices.Values(a), by), slices.SortedFunc(slices.Values(b), by)
	return slices.EqualFunc(a, b, func(x, y segment) bool {
		return x.hold == y.hold && x.start.Equal(y.start) && x.stop.Equal(y.stop)
	})
}
