package actions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fairbridge/api"
	"fairbridge/bridge"
	"fairbridge/bridge/ledger"
	"fairbridge/bridge/push"
	"fairbridge/bridge/slurm"
	"fairbridge/policy"
)

var errSlurmAway = errors.New("asking Slurm")

// sight is Slurm and the ledger as of now.
type sight struct {
	view    *slurm.View
	intents []bridge.Intent
	book    *ledger.IntentBook
}

// look reads Slurm and the ledger.
func (s *Service) look(ctx context.Context) (*sight, error) {
	v, err := s.Cluster.Observe(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSlurmAway, err)
	}
	if err := v.CheckCluster(s.Config.ClusterName); err != nil {
		return nil, fmt.Errorf("%w: %w", errSlurmAway, err)
	}
	intents, err := push.ReadRecentIntents(ctx, s.Ledger, s.Config.ClusterName, v.At)
	if err != nil {
		return nil, err
	}
	intents, _ = push.ReconcileIntents(intents, v)
	return &sight{v, intents, ledger.NewIntentBook(intents)}, nil
}

// proposeLeavingAlone gives back all of ours in a job, or one change, and leaves the job alone.
func (s *Service) proposeLeavingAlone(ctx context.Context, p *proposal, r *api.ActionRequest, standing []bridge.OperatorAction) error {
	target := bridge.JobTarget{}
	var err error
	if r.Kind == api.ActionReleaseJob {
		if target, err = parseTarget(r.Job); err != nil {
			return err
		}
	}
	x, err := s.look(ctx)
	if err != nil {
		return err
	}
	if r.Kind == api.ActionUndo {
		if target, err = x.targetOfChange(r.Change); err != nil {
			return err
		}
	}
	jobs, err := x.findJobs(&target)
	if err != nil {
		return err
	}
	p.action.Jobs, p.lasts = target, s.Config.Budgets.YieldFor
	for i := range standing {
		if a := &standing[i]; a.Kind == p.action.Kind && a.Change == r.Change && isSameTarget(&a.Jobs, &target) {
			p.ends = append(p.ends, a.ID) // it is replaced, with another end
		}
	}
	what := x.describeRelease(p, jobs)
	if r.Kind == api.ActionUndo {
		what = x.describeUndo(p, r.Change)
	}
	until := "for " + policy.FormatDuration(p.lasts)
	if !r.Until.IsZero() {
		until = "until " + bridge.FormatUTC(r.Until)
	}
	p.effect = fmt.Sprintf("%s Then job %s is left alone %s: no order number, lease, node list, requeue or warning.", what, target.Address, until)
	p.state += fmt.Sprint(target)
	return nil
}

// parseTarget reads a job as people write it: 4711, 4711_3 or 4711_[1-9], which is the whole array.
func parseTarget(text string) (t bridge.JobTarget, err error) {
	head, tail, hasTask := strings.Cut(text, "_")
	t = bridge.JobTarget{Address: head}
	if t.Job, err = strconv.ParseInt(head, 10, 64); err != nil || t.Job <= 0 || head[0] == '+' {
		return t, badRequest("job: %q is not a job such as 4711, or 4711_3 for a task of an array", limited(text))
	}
	if !hasTask || strings.HasPrefix(tail, "[") && strings.HasSuffix(tail, "]") {
		return t, nil
	}
	t.IsTask, t.Address = true, text
	if t.Task, err = strconv.ParseInt(tail, 10, 64); err != nil || t.Task < 0 || tail[0] == '+' {
		return t, badRequest("job: %q is not a task of an array such as 4711_3", limited(text))
	}
	return t, nil
}

// findJobs returns the records that are meant, and notes in the target which they are now. A task that waits in
// one record with others of its array means all of these: Slurm has one value for them.
func (x *sight) findJobs(t *bridge.JobTarget) ([]*slurm.Job, error) {
	t.Submit, t.Restarts = 1<<62, 1<<30 // whichever there are
	if t.IsTask && !slices.ContainsFunc(x.view.Jobs, func(j slurm.Job) bool { return t.Has(&j) && !j.IsDone() }) {
		if slices.ContainsFunc(x.view.Jobs, func(j slurm.Job) bool {
			return j.ArrayJobID == t.Job && j.IsUnsplitArray() && j.ArrayTasks.HasTask(int(t.Task))
		}) {
			t.IsTask, t.Task, t.Address = false, 0, strconv.FormatInt(t.Job, 10)
		}
	}
	var jobs []*slurm.Job
	var submit int64
	restarts := 1 << 30
	for i := range x.view.Jobs {
		if j := &x.view.Jobs[i]; t.Has(j) && !j.IsDone() {
			jobs = append(jobs, j)
			submit, restarts = max(submit, j.CurrentRun().Submit), min(restarts, j.Restarts)
		}
	}
	if t.Submit, t.Restarts = submit, restarts; len(jobs) == 0 {
		return nil, &api.Error{Code: api.CodeNotFound, Message: "job " + t.Address + " is not in the queue", Try: "squeue shows which jobs are"}
	}
	return jobs, nil
}

// describeRelease says what of ours stands in the jobs.
func (x *sight) describeRelease(p *proposal, jobs []*slurm.Job) string {
	isMeant := func(e slurm.Edit) bool {
		return slices.ContainsFunc(jobs, func(j *slurm.Job) bool { return j.ID == e.Run.Job })
	}
	edits := slices.DeleteFunc(ledger.UndoEdits(x.intents, x.view, x.view.At), func(e slurm.Edit) bool { return !isMeant(e) })
	blocked := slices.DeleteFunc(ledger.BlockedUndoEdits(x.intents, x.view, x.view.At), func(e slurm.Edit) bool { return !isMeant(e) })
	p.state = fmt.Sprint(fieldsOf(edits), fieldsOf(blocked))
	text := "Nothing of ours stands in job " + p.action.Jobs.Address
	if len(edits) > 0 {
		text = fmt.Sprintf("%s of ours in job %s (%s) %s given back in the next cycles", policy.FormatCount(len(edits), "value"), p.action.Jobs.Address,
			strings.Join(fieldsOf(edits), ", "), isOrAre(len(edits)))
	}
	if len(jobs) > 1 {
		text += fmt.Sprintf(", in %d records of the array", len(jobs))
	}
	if len(blocked) > 0 {
		text += fmt.Sprintf("; %s (%s) cannot be written now, since the job runs or is held, and %s given back when it waits again", policy.FormatCount(len(blocked), "value"),
			strings.Join(fieldsOf(blocked), ", "), isOrAre(len(blocked)))
	}
	return text + "."
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// fieldsOf are the fields that edits write, each once, in the order of the alphabet.
func fieldsOf(edits []slurm.Edit) []string {
	var names []string
	for i := range edits {
		names = append(names, string(edits[i].Kind.Field()))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// targetOfChange is the record of the job of a change that can be given back.
func (x *sight) targetOfChange(change int64) (bridge.JobTarget, error) {
	i := slices.IndexFunc(x.intents, func(in bridge.Intent) bool { return in.ID == change })
	if i < 0 {
		return bridge.JobTarget{}, &api.Error{Code: api.CodeNotFound, Message: fmt.Sprintf("change %d is not among those of the last day", change), Try: "the changes of a job are in explain, with their ids in its JSON"}
	}
	if why := ledger.WhyNotUndone(change, x.intents, x.view); why != "" {
		return bridge.JobTarget{}, conflict("", "change %d cannot be undone: %s", change, why)
	}
	run := x.intents[i].Edit.Run
	j := x.view.Job(run.Job)
	if j.IsArrayTask {
		return bridge.JobTarget{Address: j.Address(), Job: j.ArrayJobID, IsTask: true, Task: j.ArrayTaskID}, nil
	}
	return bridge.JobTarget{Address: strconv.FormatInt(run.Job, 10), Job: run.Job}, nil
}

// describeUndo says what is given back.
func (x *sight) describeUndo(p *proposal, change int64) string {
	i := slices.IndexFunc(x.intents, func(in bridge.Intent) bool { return in.ID == change })
	p.state = fmt.Sprint(x.intents[i].Edit)
	return fmt.Sprintf("Change %d (%v) is given back in the next cycle, with a node list of ours if one stands there.", change, x.intents[i].Edit)
}

const (
	// maxWhyLength is how many characters a reason may have.
	maxWhyLength = 500
	// maxDuration is how far away the end of an action may be.
	maxDuration = 366 * 24 * time.Hour
	// maxNameLength bounds names and addresses, which are compared with what there is.
	maxNameLength = 256
)

// fieldsByKind are the fields that a request of each kind may have, besides why: those
// before the colon it must have.
var fieldsByKind = map[api.ActionKind]struct{ needed, allowed []string }{
	api.ActionStop:       {nil, []string{"until"}},
	api.ActionResume:     {nil, []string{"job"}},
	api.ActionMode:       {[]string{"partition", "mode"}, []string{"until"}},
	api.ActionReleaseJob: {[]string{"job"}, []string{"until"}},
	api.ActionUndo:       {[]string{"change"}, []string{"until"}},
}

// checkRequest says what of the request makes no sense, whatever there is to act on. It trims texts.
func checkRequest(r *api.ActionRequest, now time.Time) error {
	fields, ok := fieldsByKind[r.Kind]
	if !ok {
		return badRequest("kind: %q is not one of stop, resume, mode, release_job, undo", limited(string(r.Kind)))
	}
	given := map[string]bool{"partition": r.Partition != "", "mode": r.Mode != "", "job": r.Job != "", "change": r.Change != 0, "until": !r.Until.IsZero()}
	for _, name := range []string{"partition", "mode", "job", "change", "until"} {
		isNeeded := slices.Contains(fields.needed, name)
		switch {
		case isNeeded && !given[name]:
			return badRequest("%s is missing: %s needs it", name, r.Kind)
		case given[name] && !isNeeded && !slices.Contains(fields.allowed, name):
			return badRequest("%s means nothing with %s", name, r.Kind)
		}
	}
	return checkValues(r, now)
}

// checkValues looks at the fields one by one.
func checkValues(r *api.ActionRequest, now time.Time) error {
	r.Why, r.Job = strings.TrimSpace(r.Why), strings.TrimSpace(r.Job)
	r.Until = r.Until.UTC().Truncate(time.Second)
	switch {
	case r.Why == "":
		return badRequest("why is missing: say for whoever asks later why this is done")
	case utf8.RuneCountInString(r.Why) > maxWhyLength:
		return badRequest("why has %d characters, at most %d", utf8.RuneCountInString(r.Why), maxWhyLength)
	case !isPlainText(r.Why) || !isPlainText(r.Partition) || !isPlainText(r.Job):
		return badRequest("why, partition and job are one line of printable text each")
	case len(r.Partition) > maxNameLength || len(r.Job) > maxNameLength:
		return badRequest("no partition and no job has a name that long")
	case r.Mode != "" && !slices.Contains(bridge.Modes, r.Mode):
		return badRequest("mode: %q is not one of observe, rank, steer, preempt, elastic", limited(string(r.Mode)))
	case r.Mode == bridge.ModeOff:
		return badRequest("mode: off is for the configuration; observe sends nothing either, and still says what would be done")
	case r.Change < 0:
		return badRequest("change: %d is not the id of a change", r.Change)
	case !r.Until.IsZero() && !r.Until.After(now):
		return badRequest("until: %s has passed; it is %s now", bridge.FormatUTC(r.Until), bridge.FormatUTC(now))
	case r.Until.Sub(now) > maxDuration:
		return badRequest("until: %s is more than a year away; left out, a stop and a mode stand until somebody ends them", bridge.FormatUTC(r.Until))
	}
	return nil
}

func isPlainText(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(c rune) bool { return !unicode.IsPrint(c) })
}

// limited is a text of somebody's as far as an error shows it.
func limited(s string) string {
	if len(s) > 40 {
		s = s[:40] + "..."
	}
	return strings.ToValidUTF8(s, "?")
}
