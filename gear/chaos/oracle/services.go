package oracle

import (
	"fmt"
	"strings"

	"fairbridge/bridge/slurm"
	"fairbridge/gear/chaos/site"
)

// I25: a replica is leased only while as many others as the service's least run or wait without a lease of ours, and stopped
// only while so many others run.
func checkServiceLeast(s *sendContext) string {
	isStop := s.Edit.Kind == slurm.EditRequeue || s.Edit.Kind == slurm.EditWarn
	if !s.oracle.Site.HasService || !isReplica(s.job) || s.IsLate || s.wasChangedAfterReread || !isStop && s.Edit.Kind != slurm.EditLease {
		return ""
	}
	others := 0
	for i := range s.SentBy.TrueView.Jobs {
		j := &s.SentBy.TrueView.Jobs[i]
		switch {
		case !isReplica(j) || j.ID == s.job.ID || wasStopped(s.oracle, j):
		case j.State == "RUNNING":
			others++
		case j.IsPending() && !isStop && !isLeased(s.oracle, j):
			others += j.TaskCount()
		}
	}
	if others < site.LeastReplicas {
		return fmt.Sprintf("%d other replicas are left of %d at least", others, site.LeastReplicas)
	}
	return ""
}

// isReplica reports whether the job is a replica of the site's service.
func isReplica(j *slurm.Job) bool {
	return strings.Contains(j.Comment, "service="+site.ServiceName) && j.User == site.ServiceUser && j.Account == site.ServiceAccount && j.Partitions[0] == site.ManagedPartition
}

// wasStopped reports whether a requeue was sent to the run of the job.
func wasStopped(o *Oracle, j *slurm.Job) bool {
	_, sent := o.requeueTimeByRun[fmt.Sprintf("%d/%s", j.ID, j.SLUID)]
	return sent
}

// isLeased reports whether a begin time of ours keeps the job from starting.
func isLeased(o *Oracle, j *slurm.Job) bool {
	now := o.actualJob(j.ID)
	return now != nil && now.IsPending() && o.jobBook.entryForJob(now).hasOurValue(now, FieldBegin, o.World.Now())
}
