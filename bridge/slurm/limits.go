package slurm

import (
	"slices"
	"strconv"
)

// Limits are the limits that slurmctld holds associations and QOS to, with their usage at one moment. A cluster
// without accounting has none.
type Limits struct {
	Associations []AssociationLimits
	QOS          []QOSLimits
}

// AssociationLimits are the limits of an account, or of a user in it. An association without a limit is listed as well.
type AssociationLimits struct {
	Account, User string // User "": the account itself; on 22.05 users may be numbers
	Partition     string // "": all
	Parent        string // of an account: the account above it; "" for root and for users
	Limits        []Limit
}

// QOSLimits are the limits of a QOS as a whole, and of the accounts and users that have jobs in it.
type QOSLimits struct {
	Name              string
	Limits            []Limit
	ByAccount, ByUser map[string][]Limit
}

// Limit is one limit, or the running minutes of a resource that a limit of another name counts as well.
type Limit struct {
	Name  string  // as scontrol writes it: GrpTRES, MaxJobsPU, GrpWall
	TRES  string  // the resource it counts, such as gres/gpu; "": jobs or time
	Most  float64 // jobs, minutes, or the unit of the resource; +Inf: no limit; NaN: it cannot be read
	Usage float64 // likewise; 0 where Slurm does not tell
}

// OfJob returns the limits that count for a job: of its association and the accounts above, and of the QOS named. ok is
// false if the cluster has associations and the job's is none of them, or has no such QOS.
func (l *Limits) OfJob(j *Job, qos ...string) (all []Limit, ok bool) {
	if len(l.Associations) == 0 {
		return nil, true
	}
	found := false
	for _, a := range l.Associations {
		if a.Account == j.Account && isUser(j, a.User) && (a.Partition == "" || j.IsInPartition(a.Partition)) {
			all, found = append(all, a.Limits...), true
		}
	}
	if !found {
		return nil, false
	}
	for account, steps := j.Account, 0; account != "" && steps <= len(l.Associations); steps++ {
		a := l.ofAccount(account)
		if a == nil {
			return nil, false
		}
		all, account = append(all, a.Limits...), a.Parent
	}
	for _, name := range qos {
		of, known := l.ofQOS(j, name)
		if !known {
			return nil, false
		}
		all = append(all, of...)
	}
	return all, true
}

// ofAccount returns the association of an account itself, or nil.
func (l *Limits) ofAccount(name string) *AssociationLimits {
	for i := range l.Associations {
		if a := &l.Associations[i]; a.Account == name && a.User == "" {
			return a
		}
	}
	return nil
}

// ofQOS returns the limits of a QOS that count for the job.
func (l *Limits) ofQOS(j *Job, name string) (all []Limit, ok bool) {
	if name == "" {
		return nil, true
	}
	at := slices.IndexFunc(l.QOS, func(q QOSLimits) bool { return q.Name == name })
	if at < 0 {
		return nil, false
	}
	q := &l.QOS[at]
	all = append(slices.Clone(q.Limits), q.ByAccount[j.Account]...)
	for user, of := range q.ByUser {
		if isUser(j, user) {
			all = append(all, of...)
		}
	}
	return all, true
}

// isUser reports whether a user's name or number is that of the job's owner.
func isUser(j *Job, user string) bool {
	return user != "" && (user == j.User || user == strconv.FormatInt(j.UserID, 10))
}
