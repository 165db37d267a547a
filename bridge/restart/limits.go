package restart

import (
	"fmt"
	"math"
	"strings"

	"fairbridge/bridge/slurm"
)

// limitsReason: the job's association, those above it, its QOS and its partition's QOS may have limits that its run was
// within and a new start would not be.
func limitsReason(c *Case) string {
	if why := c.View.UnreadLimitsReason; why != "" {
		return "it is not known which limits count for its account: " + why
	}
	qos := []string{c.Job.QOS}
	for p := range c.View.PartitionsOf(c.Job) {
		qos = append(qos, p.QOS)
	}
	limits, ok := c.View.Limits.OfJob(c.Job, qos...)
	if !ok {
		return fmt.Sprintf("Slurm has no association for user %s in account %s, or no QOS %s",
			c.Job.User, c.Job.Account, strings.Join(qos, " "))
	}
	for _, l := range limits {
		if !math.IsInf(l.Most, 1) && !c.isWithin(l, limits) {
			return fmt.Sprintf("limit %s would keep it back: %g is the most, %g is used", limitName(l), l.Most, l.Usage)
		}
	}
	return ""
}

func limitName(l slurm.Limit) string {
	if l.TRES == "" {
		return l.Name
	}
	return l.Name + " of " + l.TRES
}

// isWithin reports whether the limit would let the job start again, after its stop. Budgets of minutes count as
// with AccountingStorageEnforce=safe: the whole time limit must be left. A limit that is not known here does not
// let it start. Sources: Slurm's acct_policy.c, "man sacctmgr", "man resource limits".
func (c *Case) isWithin(l slurm.Limit, all []slurm.Limit) bool {
	asked, minutes := c.amount(l.TRES), c.Job.TimeLimit.Minutes()
	if c.Job.TimeLimit <= 0 {
		minutes = math.Inf(1)
	}
	switch l.Name {
	case "GrpSubmitJobs", "MaxSubmitJobs", "MaxSubmitJobsPA", "MaxSubmitJobsPU", // of submissions; a requeue is none
		"GrpJobsAccrue", "MaxJobsAccrue", "MaxJobsAccruePA", "MaxJobsAccruePU": // of jobs whose age counts
		return true
	case "GrpJobs", "MaxJobs", "MaxJobsPA", "MaxJobsPU":
		return max(l.Usage, 1) <= l.Most
	case "GrpTRES", "MaxTRESPA", "MaxTRESPU":
		return max(l.Usage-c.held(l.TRES), 0)+asked <= l.Most
	case "MaxTRESPJ":
		return asked <= l.Most
	case "MinTRESPJ":
		return asked >= l.Most
	case "MaxTRESPN":
		return math.Ceil(asked/float64(max(c.Job.NodeCount, 1))) <= l.Most
	case "MaxWallPJ":
		return minutes <= l.Most
	case "MaxTRESMinsPJ":
		return asked == 0 || asked*minutes <= l.Most
	case "GrpWall":
		return l.Usage+c.ranMinutes()+minutes <= l.Most
	case "GrpTRESMins":
		used := l.Usage + c.held(l.TRES)*c.ranMinutes() + c.othersMinutes(l.TRES, all)
		return asked == 0 && l.Usage < l.Most || used+asked*minutes <= l.Most
	case "GrpTRESRunMins", "MaxTRESRunMinsPA", "MaxTRESRunMinsPU":
		return asked == 0 || max(l.Usage-c.ownMinutes(l.TRES), 0)+asked*minutes <= l.Most
	}
	return false
}

// amount is how much of a resource the job would ask for when it starts again; held is how much it holds.
func (c *Case) amount(tres string) float64 {
	held := c.held(tres)
	if has := c.Job.AllocatedTRES.GPUCount(); c.GPUs > 0 && has > 0 {
		held *= float64(c.GPUs) / float64(has)
	}
	return held
}

func (c *Case) held(tres string) float64 {
	t := &c.Job.AllocatedTRES
	switch tres {
	case "cpu":
		return float64(t.CPUs)
	case "mem":
		return float64(t.MemMB)
	case "node":
		return float64(t.NodeCount)
	case "billing":
		return float64(t.Billing)
	}
	name, _ := strings.CutPrefix(tres, "gres/")
	name, typ, typed := strings.Cut(name, ":")
	if !typed {
		return float64(slurm.SumGRES(t.Gres, name))
	}
	for _, g := range t.Gres {
		if g.Name == name && g.Type == typ {
			return float64(g.Count)
		}
	}
	return 0
}

// ranMinutes is for how long the job has run. Slurm counts that as used every few minutes (PriorityCalcPeriod)
// and at the end.
func (c *Case) ranMinutes() float64 { return c.From.Sub(c.Job.Start).Minutes() }

// ownMinutes is how much of the running minutes of a resource is what the job has left of its limit.
func (c *Case) ownMinutes(tres string) float64 {
	left := c.Job.TimeLimit - c.View.At.Sub(c.Job.Start)
	return c.held(tres) * max(left.Minutes(), 0)
}

// othersMinutes is the most that running jobs other than this one have left of a resource in one of the groups.
func (c *Case) othersMinutes(tres string, all []slurm.Limit) (most float64) {
	for _, l := range all {
		if l.Name == "GrpTRESRunMins" && l.TRES == tres {
			most = max(most, l.Usage-c.ownMinutes(tres))
		}
	}
	return most
}
