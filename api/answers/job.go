package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"fairbridge/accounting"
	"fairbridge/accounting/journal"
	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/whatif"
	"fairbridge/policy"
)

// Job tells a job's story: from the record, its last cycle, and Slurm's own record of it. While the
// database is away the story is that of the last cycle.
func (s *Service) Job(ctx context.Context, v api.Viewer, text string) (*api.Job, error) {
	w, id, o, err := s.openJob(ctx, &v, text)
	if err != nil {
		return nil, err
	}
	e := jobRequest{w, &api.Job{Daemon: w.daemonState(ctx)}}
	if err := e.addStory(ctx, id); err != nil {
		if errors.Is(err, journal.ErrUnknownJob) {
			return nil, unknownJob(w, text)
		}
		return nil, toldError(&v, "reading the story of job "+text, err)
	}
	e.addLastCycle(ctx)
	e.addLive(ctx)
	w.hideInJob(e.Job, o)
	return e.Job, nil
}

// jobRequest is a job's story in the making.
type jobRequest struct {
	*request
	*api.Job
}

// openJob finds a job that the viewer may see. Whatever keeps them from it, the answer is the same.
func (s *Service) openJob(ctx context.Context, v *api.Viewer, text string) (w *request, id policy.JobID, o owner, err error) {
	a, err := parseAddress(text)
	if err != nil {
		return nil, 0, o, err
	}
	w = s.newRequest(ctx, v)
	doing := "looking up job " + text
	if id, err = w.findJob(ctx, a); err != nil {
		return nil, 0, o, toldError(v, doing, err)
	}
	o, err = w.ownerOf(ctx, id)
	switch {
	case errors.Is(err, journal.ErrUnknownJob), err == nil && !w.SeesJob(o.user, o.account):
		return nil, 0, o, unknownJob(w, text)
	case err != nil:
		return nil, 0, o, toldError(v, doing, err)
	}
	return w, id, o, nil
}

// addStory adds what is recorded of the job; while the database is away, what its last cycle tells.
func (e jobRequest) addStory(ctx context.Context, id policy.JobID) error {
	c, row := lastcycle.FindJob(e.cycles, id)
	if c == nil {
		return e.addRecord(ctx, id)
	}
	err := errRecordAway
	if e.Daemon.RecordError == "" {
		err = askBriefly(ctx, func(ctx context.Context) error { return e.addRecord(ctx, id) })
	}
	if !isUnavailable(err) {
		return err
	}
	e.JobHistory, e.Daemon.RecordError = storyOfCycle(c, &c.Rows[row]), cmp.Or(e.Daemon.RecordError, "the database cannot be asked now")
	return nil
}

// errRecordAway says that the database did not answer a moment ago.
var errRecordAway = fmt.Errorf("it did not answer a moment ago: %w", accounting.ErrUnreachable)

// addRecord adds what the database has of the job.
func (e jobRequest) addRecord(ctx context.Context, id policy.JobID) error {
	db, cluster := e.parts.Record, e.Cluster
	story, err := db.JobHistory(ctx, cluster, id)
	if err != nil {
		return err
	}
	last := story.Runs[len(story.Runs)-1]
	e.JobHistory, e.GPUs = story, last.GPUs
	if e.Estimate, err = db.LastEstimate(ctx, cluster, id, last.Arrive); err != nil {
		return err
	}
	if e.Estimate != nil {
		if e.EstimateScore, err = db.Score(ctx, cluster, last.Partition, e.Estimate.MadeAt, e.Estimate.Start); err != nil {
			return err
		}
	}
	e.Address, err = db.JobAddress(ctx, cluster, id)
	return err
}

// storyOfCycle is what the last cycle alone tells of a job.
func storyOfCycle(c *lastcycle.Cycle, r *api.QueueJob) *journal.JobHistory {
	return &journal.JobHistory{
		JobID: r.JobID, Intents: []bridge.Intent{},
		Runs: []journal.JobRun{{
			Submit: r.Arrive, Arrive: r.Arrive, Start: r.Start, Name: r.Name, User: r.User, Account: r.Account, Partition: r.Partition, State: r.State, Reason: r.Reason, GPUs: r.GPUs,
		}},
		Decisions: []journal.StoredDecision{{Partition: c.Partition, Seq: c.Seq, IsCurrent: true, Verb: r.Verb, Rank: r.Rank, GPUs: r.GPUs, Placement: r.Placement, Why: r.Why}},
	}
}

// addLastCycle says when the job was last decided about, who is ahead of it, and which smaller
// requests would have started in that cycle unless it is long ago. Nothing is said of a job about
// which the last cycle says nothing.
func (e jobRequest) addLastCycle(ctx context.Context) {
	if len(e.Decisions) == 0 || !e.Decisions[0].IsCurrent {
		return
	}
	c := e.cycle(e.Decisions[0].Partition)
	if c == nil || c.Snapshot == nil {
		return
	}
	e.NotPushed = e.withheldReasons(c)
	for _, r := range c.RefusalsOf(e.JobID, e.Decisions[0].Why) {
		e.NotPushed = append(e.NotPushed, refusalText(r))
	}
	if r := c.Row(e.JobID); r != nil {
		e.Address, e.GPUs, e.Tasks = r.Address, r.GPUs, r.Tasks
	}
	e.LastCycleAt, e.IsStale = c.At, e.isStale(c)
	e.addAhead(c)
	if j := c.Snapshot.Job(e.JobID); j != nil && !e.IsStale {
		e.Directive, e.Size = j.IgnoredReason, newJobSize(c.Snapshot, j)
		e.addDeadline(ctx, c, j)
		if e.Daemon.RecordError == "" && e.mayAskInsteadOf(j) {
			_ = askBriefly(ctx, func(ctx context.Context) (err error) { // an addition, and no reason to say nothing else
				e.Earlier, err = e.parts.Record.EarlierRuns(ctx, e.Cluster, j, c.At, func(account string) bool {
					return e.SeesJob(j.User, account) && e.SeesUse(j.User, account)
				})
				return err
			})
		}
	}
	if isOffered := e.Deadline != nil && len(e.Deadline.Offers) > 0; !e.IsStale && !isOffered { // which are smaller requests, with their times
		e.SmallerRequests = e.smallerRequests(ctx, c, e.JobID)
	}
}

// refusalText says what was turned down, and for which sentence.
func refusalText(r bridge.Refusal) string {
	if sentence := r.Invariant.Text(); sentence != "" {
		return r.Why + ". " + sentence
	}
	return r.Why
}

// addAhead adds who waits ahead of the job in its partition.
func (e jobRequest) addAhead(c *lastcycle.Cycle) {
	all := c.Ahead(e.JobID)
	e.AheadCount = len(all)
	for _, r := range slices.Backward(all) {
		if !e.SeesJob(r.User, r.Account) {
			e.HiddenAhead++
		} else if len(e.Ahead) < api.MaxAhead {
			e.Ahead = append(e.Ahead, api.JobAhead{Address: r.Address, Rank: r.Rank, User: r.User, Account: r.Account, GPUs: r.GPUs})
		}
	}
	slices.Reverse(e.Ahead)
}

// addLive adds what Slurm shows now.
func (e jobRequest) addLive(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, liveTimeout)
	defer cancel()
	j, err := e.parts.Slurm.PeekJob(ctx, int64(e.JobID))
	var gone *slurm.Error
	switch {
	case err == nil && !e.isThisJob(&j):
		e.LiveError = forgottenText
	case err == nil:
		e.Live, e.Directive, e.Address = newLiveJob(&j), cmp.Or(e.Directive, j.Directive.UnreadReason), cmp.Or(j.Address(), e.Address)
	case errors.As(err, &gone) && gone.Class == slurm.ErrorJobGone:
		e.LiveError = forgottenText
	case e.Viewer.IsOperator():
		e.LiveError = "Slurm could not be asked: " + err.Error()
	default:
		e.LiveError = "Slurm could not be asked"
	}
}

const forgottenText = "Slurm has forgotten it: it ended a while ago"

// isThisJob reports whether what Slurm shows is the job of the story, and not a later one that has its number
// after Slurm began to count anew. A requeue changes the submission and counts a restart.
func (e jobRequest) isThisJob(j *slurm.Job) bool {
	last := &e.Runs[len(e.Runs)-1]
	if j.User != last.User || !e.SeesJob(j.User, j.Account) {
		return false
	}
	isKnown := func(r journal.JobRun) bool { return r.Submit.Unix() == j.Submit.Unix() }
	return last.End.IsZero() || j.Restarts > last.Restarts || slices.ContainsFunc(e.Runs, isKnown)
}

func newLiveJob(j *slurm.Job) *api.LiveJob {
	return &api.LiveJob{
		State: j.State, Reason: j.Reason, Priority: j.Priority, IsHeld: j.IsHeld, Eligible: j.EligibleTime, Start: j.Start,
		Nodes: j.Nodes.Text, RequiredNodes: j.RequiredNodes.Text, ExcludedNodes: j.ExcludedNodes.Text,
	}
}

// newOfferFunc makes the request that is offered in a cycle, and its key.
type newOfferFunc func(*lastcycle.Cycle) (whenKey, policy.Job)

// addJobOffers adds to a waiting job that is not likely done by its deadline what would be likelier, submitted in its
// stead. None are said of the tasks of an array, of what something holds, or where others keep us from working them out in time.
func (e jobRequest) addJobOffers(ctx context.Context, c *lastcycle.Cycle, j *policy.Job) {
	p, d := e.partition(c.Partition), e.Deadline
	if p == nil || j.State != policy.Pending || j.HeldReason != "" || j.TaskCount() > 1 || d.Chance == 0 || d.Chance >= api.LikelyChance || !e.mayAskInsteadOf(j) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, maxSmallerWait)
	defer cancel()
	w := whenRequest{e.request}
	newOffer := func(c *lastcycle.Cycle) (whenKey, policy.Job) {
		request := *j
		request.Partition = c.Partition
		return whenKey{partition: c.Partition, seq: c.Seq, instead: j.ID}, request
	}
	key, request := newOffer(c)
	a, err := w.estimate(ctx, p, c, key, request)
	if err != nil { // an addition, and no reason to say nothing else
		return
	}
	w.addOffers(ctx, d, a, newOffer)
	for i := range d.Offers {
		d.Offers[i].Job = toldRequest(&d.Offers[i].Job)
	}
}

// mayAskInsteadOf reports whether the viewer may ask when a job of the same user and account would start.
func (e jobRequest) mayAskInsteadOf(j *policy.Job) bool {
	return whenRequest{e.request}.checkMayAskFor(&api.WhenQuery{User: j.User, Account: j.Account}) == nil
}

// toldRequest is what of a request is told: not which nodes its owner named, nor what keeps it.
func toldRequest(j *policy.Job) policy.Job {
	ask := policy.Ask{GPUs: j.Ask.GPUs, CPUs: j.Ask.CPUs, MemMB: j.Ask.MemMB, MinNodes: j.Ask.MinNodes, MaxNodes: j.Ask.MaxNodes, PerNode: j.Ask.PerNode}
	return policy.Job{User: j.User, Account: j.Account, Partition: j.Partition, State: j.State, Limit: j.Limit, Deadline: j.Deadline, Ask: ask}
}

// addOffers adds what is likelier than a chance: requests that start sooner than one that was estimated, and the same in other
// partitions where it is not likely.
func (w whenRequest) addOffers(ctx context.Context, d *api.Deadline, a *api.When, newOffer newOfferFunc) {
	for i := range a.Sooner {
		addOffer(d, &a.Sooner[i])
	}
	if d.Chance < api.LikelyChance {
		w.addOtherPartitions(ctx, d, a.Partition, newOffer)
	}
	slices.SortStableFunc(d.Offers, func(x, y api.DeadlineOffer) int { return cmp.Compare(y.Chance, x.Chance) })
}

// addOtherPartitions adds what other partitions offer that have the GPUs, take the account and were planned of late.
func (w whenRequest) addOtherPartitions(ctx context.Context, d *api.Deadline, partition string, newOffer newOfferFunc) {
	for i := range w.Partitions {
		p := &w.Partitions[i]
		if p.Name == partition {
			continue
		}
		c, err := w.lastCycle(ctx, p.Name)
		if err != nil {
			continue
		}
		key, j := newOffer(c)
		if whatif.CheckRequest(c.Snapshot, &j) != nil {
			continue
		}
		if refusal, err := w.readRefusal(ctx, &j); refusal != "" || err != nil {
			continue
		}
		if other, err := w.estimate(ctx, p, c, key, j); err == nil {
			addOffer(d, &other.JobStart)
		}
	}
}

// addOffer adds a request if it is likelier than what was asked about.
func addOffer(d *api.Deadline, r *whatif.JobStart) {
	if chance := r.Chances.By(d.At); chance > d.Chance {
		d.Offers = append(d.Offers, api.DeadlineOffer{Job: r.Job, Chance: chance, LikelyBy: r.Chances.TimeOf(api.LikelyChance)})
	}
}
