package slurm

import (
	"slices"
	"strconv"
)

// Limits are the limits that slurmctld holds associations and QOS to, with their usage at one moment. A cluster
// without accounting has none.
type Limits struct {
	Associations map[string][]AssociationLimits // by account: its own, and those of users in it
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

// OfJob returns the limits that count for a job: of its association and the accounts above, and of the QOS
// named. ok is false if the cluster has associations and the job's is none of them, or has no such QOS.
func (l *Limits) OfJob(j *Job, qos ...string) (all []Limit, ok bool) {
	if len(l.Associations) == 0 {
		return nil, true
	}
	for _, a := range l.Associations[j.Account] {
		if isUser(j, a.User) && (a.Partition == "" || j.IsInPartition(a.Partition)) {
			all, ok = append(all, a.Limits...), true
		}
	}
	for account, steps := j.Account, 0; ok && account != "" && steps <= len(l.Associations); steps++ {
		var a AssociationLimits
		if a, ok = l.ofAccount(account); ok {
			all, account = append(all, a.Limits...), a.Parent
		}
	}
	for _, name := range qos {
		if of, known := l.ofQOS(j, name); ok && known {
			all = append(all, of...)
		} else {
			ok = false
		}
	}
	return all, ok
}

// ofAccount returns the association of an account itself.
func (l *Limits) ofAccount(name string) (AssociationLimits, bool) {
	for _, a := range l.Associations[name] {
		if a.User == "" {
			return a, true
		}
	}
	return AssociationLimits{}, false
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
	return slices.Concat(q.Limits, q.ByAccount[j.Account], q.ByUser[j.User], q.ByUser[userNumber(j)]), true
}

// isUser reports whether a user's name or number is that of the job's owner.
func isUser(j *Job, user string) bool { return user != "" && (user == j.User || user == userNumber(j)) }

// userNumber is how releases name a user of whom they keep no name.
func userNumber(j *Job) string { return strconv.FormatInt(j.UserID, 10) }
