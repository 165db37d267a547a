// Package push carries out what was decided and written down: one call after
// another, each job read again right before, while nothing forbids it. It also
// gives everything back, and what a dead daemon left.
package push

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/actuator"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/slurm"
)

// knownJob is what a decision about a job was made from.
type knownJob struct {
	view          *slurm.View
	viewedJob     *slurm.Job // as the view showed it
	intentBook    *ledger.IntentBook
	clusterTime   time.Time              // of the view
	isWrittenByUs func(slurm.Field) bool // written by us since
}

// compareJob compares a job read just before the push with what the decision was
// made from. gone says that the edit has lost its object, or that its decision
// was made for a job that asks for something else by now; changed says that
// somebody else wrote a value of ours, or the very field, or holds the job. A
// value of ours is given back whatever became of the other fields.
func (k *knownJob) compareJob(e slurm.Edit, j *slurm.Job) (gone, changed string) {
	switch {
	case k.viewedJob == nil || !e.Run.IsSameRun(j.CurrentRun()):
		return "it is another run now", ""
	case j.IsHeld:
		return "", "it is held"
	case j.State != k.viewedJob.State:
		return "it is " + j.State + " now", ""
	}
	field := e.Kind.Field()
	if why := k.boundReason(e, j); why != "" {
		return why, ""
	}
	standing := k.standingIntent(field)
	if standing != nil && actuator.GivesBack(e, &standing.Before) {
		return k.standingChange(standing, j)
	}
	if j.HasFlag("COMPLETING") {
		return "it cleans up", ""
	}
	if lost := k.overwrittenIntents(j, field); len(lost) > 0 {
		return k.standingChange(&lost[0], j)
	}
	noted := actuator.BeforeFromJob(k.viewedJob)
	if what := actuator.SlurmChangeSince(e.Kind, &noted, j); what != "" {
		return what, ""
	}
	if standing == nil && !k.isWrittenByUs(field) {
		if what := actuator.ChangeSince(e.Kind, &noted, j); what != "" {
			return "", what
		}
	}
	return k.demandChange(j), ""
}

// boundReason says why the node list of a job, or shards, must not be written, by what it shows of the other of the two.
func (k *knownJob) boundReason(e slurm.Edit, j *slurm.Job) string {
	switch {
	case e.Kind == slurm.EditSetShards && !j.RequiredNodes.SameAs(e.Nodes):
		return fmt.Sprintf("it is not bound to %v: what binds it was not carried out", e.Nodes)
	case e.Kind.Field() == slurm.FieldRequiredNodes:
		return actuator.BoundReason(k.standingIntent(slurm.FieldGPUs), j)
	}
	return ""
}

// shownFields are the fields in which a record shows a value of ours, tellingFields those of them
// that nothing in Slurm reads.
var (
	shownFields   = actuator.FieldsWhere(func(r *actuator.EditKindRow) bool { return r.Field.ValueOwnerOf != nil })
	tellingFields = actuator.FieldsWhere(func(r *actuator.EditKindRow) bool { return r.OnlyTells })
)

// overwrittenIntents returns the values of ours that the job shows to be somebody else's now. One
// that only tells counts for a write to its own field alone.
func (k *knownJob) overwrittenIntents(j *slurm.Job, written slurm.Field) []bridge.Intent {
	if k.viewedJob == nil || !k.viewedJob.CurrentRun().IsSameRun(j.CurrentRun()) || j.IsHeld || j.State != k.viewedJob.State {
		return nil
	}
	var lost []bridge.Intent
	for _, f := range shownFields {
		if f != written && slices.Contains(tellingFields, f) {
			continue
		}
		in := k.standingIntent(f)
		if in != nil && !k.isWrittenByUs(f) && k.intentBook.OpenIntent(j.ID, f) == nil && k.intentBook.ValueOwnerOf(in, j, k.view) == actuator.OwnerOther {
			lost = append(lost, *in)
		}
	}
	return lost
}

func (k *knownJob) standingIntent(f slurm.Field) *bridge.Intent {
	return k.intentBook.StandingIntent(k.viewedJob.CurrentRun(), f, k.clusterTime)
}

// standingChange says what became of a value of ours that stood in the job: gone when slurmctld
// was started without it, changed when somebody wrote another; neither when it stands.
func (k *knownJob) standingChange(in *bridge.Intent, j *slurm.Job) (gone, changed string) {
	switch {
	case k.intentBook.ValueOwnerOf(in, j, k.view) != actuator.OwnerOther:
		return "", ""
	case ledger.WasLost(in, j, k.view):
		return ledger.StateLossReason, ""
	}
	return "", actuator.ForeignChange(in, j)
}

// demandChange says what else of the job, that decisions are made from, was
// changed since the view, not by us; "" when nothing was.
func (k *knownJob) demandChange(j *slurm.Job) string {
	was := *k.viewedJob
	if k.isWrittenByUs(slurm.FieldGPUs) {
		was.RequestedTRES = j.RequestedTRES
	}
	what, before, now := changedDemandField(&was, j)
	if what == "" {
		return ""
	}
	return fmt.Sprintf("its %s was %q and is %q now: it is planned anew", what, before, now)
}

// changedDemandField returns the first field, of those that decisions are made from, in which
// the records differ; what is "" when none does.
func changedDemandField(was, j *slurm.Job) (what, before, now string) {
	for _, f := range []struct{ what, was, is string }{
		{"time limit", was.TimeLimit.String(), j.TimeLimit.String()}, {"partition", was.PartitionText(), j.PartitionText()},
		{"account", was.Account, j.Account}, {"QOS", was.QOS, j.QOS}, {"request", was.RequestedTRES.Text, j.RequestedTRES.Text},
		{"number of nodes", strconv.Itoa(was.NodeCount), strconv.Itoa(j.NodeCount)}, {"constraint", was.Features.Text, j.Features.Text},
		{"reservation", was.Reservation, j.Reservation}, {"deadline", was.Deadline.String(), j.Deadline.String()},
		{"comment", was.Comment, j.Comment}, {"leave to be requeued", strconv.FormatBool(was.Requeue), strconv.FormatBool(j.Requeue)},
	} {
		if f.was != f.is {
			return f.what, f.was, f.is
		}
	}
	return "", "", ""
}

// uselessStopReason says why a job must not be stopped, or warned, after all: the other job for which it
// was to be is read again, too, and is not what it was. "": it is, or the edit stops nobody for another.
func (p *Pusher) uselessStopReason(ctx context.Context, in *bridge.Intent) string {
	stop := in.Before.Stop
	if actuator.EditKindRowOf(in.Edit.Kind).StopTiming == actuator.NoStop || stop == nil || stop.Beneficiary == in.Edit.Run.Job {
		return ""
	}
	if other := p.runsOnFor[stop.Beneficiary]; other != 0 {
		return fmt.Sprintf("job %d, which was to be stopped with it for job %d, runs on", other, stop.Beneficiary)
	}
	j, err := p.Cluster.RereadJob(ctx, stop.Beneficiary)
	if err != nil {
		return fmt.Sprintf("reading job %d, for which it was to be, again: %v", stop.Beneficiary, err)
	}
	if why := p.newKnownJob(stop.Beneficiary).compareBeneficiary(&j); why != "" {
		return fmt.Sprintf("job %d, for which it was to be: %s", stop.Beneficiary, why)
	}
	return ""
}

// noteUnstopped notes a stop that was not carried out, so that no other is for the same job: it would not fit.
func (p *Pusher) noteUnstopped(in *bridge.Intent) {
	unsent := []bridge.IntentState{bridge.IntentVoid, bridge.IntentYielded, bridge.IntentFailed}
	isStop := actuator.EditKindRowOf(in.Edit.Kind).StopTiming == actuator.StopsNow && in.Before.Stop != nil
	if isStop && slices.Contains(unsent, in.State) {
		p.runsOnFor[in.Before.Stop.Beneficiary] = in.Edit.Run.Job
	}
}

// compareBeneficiary says what became of a job since the view that another is to be stopped for.
func (k *knownJob) compareBeneficiary(j *slurm.Job) string {
	switch {
	case k.viewedJob == nil || !k.viewedJob.CurrentRun().IsSameRun(j.CurrentRun()):
		return "it is another run now"
	case j.State != k.viewedJob.State:
		return "it is " + j.State + " now"
	case j.IsHeld:
		return "it is held"
	case j.IsPending() && !j.WaitsForItsTurn():
		return fmt.Sprintf("it waits for something else than room now (%s)", j.Reason)
	}
	return k.demandChange(j)
}

// StopSwitch ends writing at once in the process in which an operator stopped us; what stands in the
// record ends it everywhere with the next cycle. The nil switch is never on.
type StopSwitch struct {
	setting atomic.Int64 // the id of the stop; 0: off
}

// Stop turns it on for a stop that stands in the record.
func (s *StopSwitch) Stop(action int64) {
	if s != nil {
		s.setting.Store(action)
	}
}

// Setting is what Clear takes to turn off what was on then, and nothing later.
func (s *StopSwitch) Setting() int64 {
	if s == nil {
		return 0
	}
	return s.setting.Load()
}

// Clear turns the switch off if it is as it was.
func (s *StopSwitch) Clear(setting int64) {
	if s != nil {
		s.setting.CompareAndSwap(setting, 0)
	}
}

// Check returns the error ErrPushHalted while the switch is on.
func (s *StopSwitch) Check() error {
	if id := s.Setting(); id != 0 {
		return fmt.Errorf("%w: an operator stopped us (action %d): fairbridge operate resume ends that", ErrPushHalted, id)
	}
	return nil
}
