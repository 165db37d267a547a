package sim

import (
	"strings"
	"time"
)

// Operator is a user who may do everything an Operator of Slurm may.
const Operator = "slurm"

// operator reports whether the user may change the jobs of others; "" is the
// cluster itself.
func (w *World) operator(by string) bool {
	if by == "" || by == Operator || by == "root" {
		return true
	}
	for _, u := range w.cfg.Users {
		if u.Name == by {
			return u.Operator
		}
	}
	return false
}

// IsOperator reports whether the user may change the jobs of others.
func (w *World) IsOperator(user string) bool { return w.operator(user) }

func (w *World) may(by string, j *job) bool { return by == j.spec.User || w.operator(by) }

// Update changes a job as the user by. It addresses the record with the id:
// for an array, the tasks that are not split off.
func (w *World) Update(by string, id int64, u Update) error {
	j, err := w.job(id)
	if err != nil {
		return err
	}
	return w.audited(by, "update", j, u, func() error { return w.update(by, j, u) })
}

func (w *World) update(by string, j *job, u Update) error {
	switch {
	case u.SLUID != "" && u.SLUID != j.sluid:
		return problem(NoSuchJob, "Invalid job id specified")
	case !w.may(by, j):
		return problem(InvalidUser, "Invalid user id")
	case j.done():
		return problem(Finished, "Job/step already completing or completed")
	}
	for _, change := range []func(string, *job, Update) error{
		w.changeQueue, w.changeLimit, w.changeBegin, w.changeNodes, w.changeGPUs, w.changeTexts, w.changeOrder,
	} {
		if err := change(by, j, u); err != nil {
			w.logf("update %d by %s refused: %v", j.id, by, err)
			return err
		}
	}
	w.weigh(j)
	w.logf("update %d by %s priority=%d nice=%d site=%d begin=%s hold=%s", j.id, by, j.priority, j.spec.Nice, j.site, stamp(j.begin), j.hold)
	w.touch()
	w.wake()
	return nil
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.RFC3339)
}

func (w *World) changeQueue(_ string, j *job, u Update) error {
	if u.QOS == nil && u.Partition == nil && u.Account == nil && u.Features == nil {
		return nil
	}
	if j.state != pending {
		return problem(NotPending, "Job is no longer pending execution")
	}
	if u.Partition != nil {
		for _, name := range strings.Split(*u.Partition, ",") {
			if w.part(name) == nil {
				return problem(BadPartition, "Invalid partition name specified")
			}
		}
		j.spec.Partition = *u.Partition
	}
	if _, known := w.cfg.Weights.QOS[deref(u.QOS)]; u.QOS != nil && (known || *u.QOS == "normal") {
		j.spec.QOS = *u.QOS // an unknown one changes nothing, and nothing is said
	}
	set(&j.spec.Account, u.Account)
	set(&j.spec.Features, u.Features)
	return nil
}

func (w *World) changeLimit(by string, j *job, u Update) error {
	if u.Limit == nil {
		return nil
	}
	if *u.Limit > j.spec.Limit && !w.operator(by) {
		return problem(AccessDenied, "Access/permission denied")
	}
	j.spec.Limit = *u.Limit
	if j.state == running {
		w.retime(j)
	}
	return nil
}

// retime plans the end of a running job afresh.
func (w *World) retime(j *job) {
	j.turn++
	turn := j.turn
	length, state := j.course()
	w.At(j.began.Add(length), func() {
		if j.turn == turn {
			w.stop(j, state, false)
		}
	})
}

func (w *World) changeBegin(_ string, j *job, u Update) error {
	switch {
	case u.Begin == nil || u.Begin.IsZero():
		return nil
	case j.state != pending:
		return problem(NotPending, "Job is no longer pending execution")
	}
	at := u.Begin.UTC().Truncate(time.Second)
	if at.Before(w.sec()) {
		at = w.sec()
	}
	j.begin = at
	if w.cfg.EnforceLimits && at.After(w.Now()) {
		j.accrue = at
	}
	return nil
}

func (w *World) changeTexts(by string, j *job, u Update) error {
	if u.Admin != nil && by != "" && by != Operator && by != "root" {
		return problem(AccessDenied, "Access/permission denied")
	}
	set(&j.admin, u.Admin)
	set(&j.spec.Comment, u.Comment)
	set(&j.spec.Extra, u.Extra)
	if !w.cfg.old() {
		set(&j.spec.Name, u.Name)
	}
	if u.Requeue != nil && (*u.Requeue || !w.cfg.old()) {
		j.spec.NoRequeue = !*u.Requeue
	}
	if u.NoRequeue {
		j.spec.NoRequeue = true
	}
	return nil
}

func set[T any](to *T, v *T) {
	if v != nil {
		*to = *v
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
