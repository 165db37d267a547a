package push

import (
	"fmt"
	"strconv"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// knownJob is what a decision about a job was made from.
type knownJob struct {
	planned     *slurm.Job // as the view showed it
	book        *ledger.Book
	clusterTime time.Time              // of the view
	ours        func(slurm.Field) bool // written by us since
}

// compare compares a job read just before the push with what the decision was
// made from. gone says that the edit has lost its object, or that its decision
// was made for a job that asks for something else by now; changed says that
// somebody else wrote a value of ours, or the very field, or holds the job. A
// value of ours is given back whatever became of the other fields.
func (k *knownJob) compare(e slurm.Edit, j *slurm.Job) (gone, changed string) {
	switch {
	case k.planned == nil || !e.Run.IsSameRun(j.CurrentRun()):
		return "it is another run now", ""
	case j.IsHeld:
		return "", "it is held"
	case j.State != k.planned.State:
		return "it is " + j.State + " now", ""
	}
	field := e.Kind.Field()
	standing := k.standing(field)
	if standing != nil && actuator.GivesBack(e, &standing.Before) {
		return "", foreignChange(standing, j)
	}
	if j.HasFlag("COMPLETING") {
		return "it cleans up", ""
	}
	if lost := k.overwritten(j); len(lost) > 0 {
		return "", actuator.ForeignChange(&lost[0], j)
	}
	noted := actuator.BeforeFromJob(k.planned)
	if what := actuator.SlurmChangeSince(e.Kind, &noted, j); what != "" {
		return what, ""
	}
	if standing == nil && !k.ours(field) {
		if what := actuator.ChangeSince(e.Kind, &noted, j); what != "" {
			return "", what
		}
	}
	return changedDemand(k.planned, j), ""
}

// shownFields are the fields in which a record shows a value of ours.
var shownFields = actuator.FieldsWhere(func(r *actuator.KindRow) bool { return r.Field.OwnerOf != nil })

// overwritten returns the values of ours that the job shows to be somebody else's now.
func (k *knownJob) overwritten(j *slurm.Job) []bridge.Intent {
	if k.planned == nil || !k.planned.CurrentRun().IsSameRun(j.CurrentRun()) || j.IsHeld || j.State != k.planned.State {
		return nil
	}
	var lost []bridge.Intent
	for _, f := range shownFields {
		in := k.standing(f)
		if in != nil && !k.ours(f) && k.book.OpenIntent(j.ID, f) == nil && actuator.OwnerOf(in, j) == actuator.OwnerOther {
			lost = append(lost, *in)
		}
	}
	return lost
}

func (k *knownJob) standing(f slurm.Field) *bridge.Intent {
	return k.book.StandingIntent(k.planned.CurrentRun(), f, k.clusterTime)
}

// foreignChange says what somebody else made of a value of ours; "" when it is ours.
func foreignChange(in *bridge.Intent, j *slurm.Job) string {
	if actuator.OwnerOf(in, j) != actuator.OwnerOther {
		return ""
	}
	return actuator.ForeignChange(in, j)
}

// changedDemand says what else of the job, that decisions are made from, was
// changed since the view; "" when nothing was.
func changedDemand(was, j *slurm.Job) string {
	for _, f := range []struct{ what, was, is string }{
		{"time limit", was.TimeLimit.String(), j.TimeLimit.String()}, {"partition", was.PartitionText(), j.PartitionText()},
		{"account", was.Account, j.Account}, {"QOS", was.QOS, j.QOS}, {"request", was.RequestedTRES.Text, j.RequestedTRES.Text},
		{"number of nodes", strconv.Itoa(was.NodeCount), strconv.Itoa(j.NodeCount)}, {"constraint", was.Features.Text, j.Features.Text},
		{"reservation", was.Reservation, j.Reservation}, {"deadline", was.Deadline.String(), j.Deadline.String()},
		{"comment", was.Comment, j.Comment}, {"leave to be requeued", strconv.FormatBool(was.Requeue), strconv.FormatBool(j.Requeue)},
	} {
		if f.was != f.is {
			return fmt.Sprintf("its %s was %q and is %q now: it is planned anew", f.what, f.was, f.is)
		}
	}
	return ""
}
