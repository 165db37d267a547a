package reconcile

import (
	"encoding/binary"
	"hash/fnv"
	"time"

	"fairbridge/accounting/internal/value"
	"fairbridge/bridge/slurm"
)

// digestOfJob is the digest of all that is stored of a run that a record shows, never 0.
func digestOfJob(j *slurm.Job, at time.Time) int64 {
	h := fnv.New64a()
	text := func(list ...string) {
		for _, t := range list {
			_, _ = h.Write([]byte(t))
			_, _ = h.Write([]byte{0})
		}
	}
	number := func(list ...int64) {
		for _, n := range list {
			_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
		}
	}
	end := int64(0)
	if !endOfJob(j, at).IsZero() {
		end = unixOrZero(j.End)
	}
	text(j.SLUID, j.Name, j.User, j.Account, j.QOS, j.PartitionText(), j.State, j.Reason, j.Nodes.Text, j.AllocatedTRES.Text, j.RequestedTRES.Text)
	for i := range j.GresDetail {
		text(j.GresDetail[i].Text)
	}
	text(j.Flags...)
	number(unixOrZero(value.TimeOrZero(startOfJob(j))), end, unixOrZero(j.SuspendTime), int64(j.PreSuspendTime), int64(j.TimeLimit), j.ArrayJobID, j.ArrayTaskID, int64(j.Restarts))
	if d := int64(h.Sum64()); d != 0 {
		return d
	}
	return 1 // 0 means: write it again
}

func unixOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
