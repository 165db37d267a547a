package runs

import (
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm"
)

// Rows travel to Postgres by column, as arrays: one statement, one round trip.

type keys struct {
	job, submit []int64
	restarts    []int32
}

func (k *keys) add(r runKey) {
	k.job = append(k.job, r.job)
	k.submit = append(k.submit, r.submit)
	k.restarts = append(k.restarts, int32(r.restarts))
}

func keyColumns(runs []seenRun) keys {
	var k keys
	for i := range runs {
		k.add(runs[i].runKey)
	}
	return k
}

type endings struct {
	keys
	at    []time.Time
	state []string
}

func endingColumns(list []ending) endings {
	var out endings
	for _, e := range list {
		out.add(e.runKey)
		out.at = append(out.at, e.at)
		out.state = append(out.state, e.state)
	}
	return out
}

type runs struct {
	arrive                             []time.Time
	sluid, name, user, account, qos    []string
	partition, state, reason           []string
	arrayJob, arrayTask, limit, digest []int64
	gpus                               []int32
	started, ended                     []*time.Time
	closed                             []bool
}

func runColumns(list []seenRun) runs {
	var r runs
	for i := range list {
		j := &list[i]
		r.arrive = append(r.arrive, j.arrive)
		r.sluid = append(r.sluid, value.Text(j.SLUID))
		r.name = append(r.name, value.Text(j.Name))
		r.user = append(r.user, value.Text(j.User))
		r.account = append(r.account, value.Text(j.Account))
		r.qos = append(r.qos, value.Text(j.QOS))
		r.partition = append(r.partition, value.Text(j.Partition()))
		r.state = append(r.state, value.Text(j.State))
		r.reason = append(r.reason, value.Text(j.Reason))
		r.arrayJob = append(r.arrayJob, j.ArrayJob)
		r.arrayTask = append(r.arrayTask, j.ArrayTask)
		r.limit = append(r.limit, int64(j.Limit/time.Second))
		r.gpus = append(r.gpus, int32(j.GPUs()))
		r.started = append(r.started, startedAt(j.Job))
		r.ended = append(r.ended, value.NullTime(j.ended))
		r.closed = append(r.closed, j.closed)
		r.digest = append(r.digest, j.digest)
	}
	return r
}

// startedAt returns when the run started; the start of a pending job is only
// Slurm's estimate, and that of one that was cancelled while pending its end.
func startedAt(j *slurm.Job) *time.Time {
	if j.Pending() && !j.Flag("COMPLETING") || j.Done() && j.Nodes.Text == "" {
		return nil
	}
	return value.NullTime(j.Start)
}

type segments struct {
	keys
	node, gpu, user, account, partition []string
	started                             []time.Time
	stopped                             []*time.Time
	count, part                         []int32
}

func segmentColumns(runs []seenRun, old map[runKey][]segment, v *slurm.View) segments {
	var out segments
	for i := range runs {
		j := &runs[i]
		for _, s := range segmentsOf(old[j.runKey], j.Job, v) {
			out.add(j.runKey)
			out.node = append(out.node, value.Text(s.node))
			out.gpu = append(out.gpu, value.Text(s.gpu))
			out.user = append(out.user, value.Text(j.User))
			out.account = append(out.account, value.Text(j.Account))
			out.partition = append(out.partition, value.Text(j.Partition()))
			out.started = append(out.started, s.start)
			out.stopped = append(out.stopped, value.NullTime(s.stop))
			out.count = append(out.count, int32(s.count))
			out.part = append(out.part, int32(s.part))
		}
	}
	return out
}
