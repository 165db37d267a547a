package answers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge"
	"fairbridge/bridge/estimate"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/whatif"
	"fairbridge/policy"
)

// whenKey is a request in a cycle.
type whenKey struct {
	partition string
	seq       uint64
	gpuType   string
	gpus      int
	nodes     int
	limit     time.Duration
	user      string
	account   string
	deadline  time.Time
	instead   policy.JobID // which job of the cycle it takes the place of; 0: none
}

// newWhenKey is the key of a query in a cycle.
func newWhenKey(c *lastcycle.Cycle, q *api.WhenQuery) whenKey {
	return whenKey{partition: c.Partition, seq: c.Seq, gpuType: q.GPUType, gpus: q.GPUs, nodes: q.Nodes, limit: q.Limit, user: q.User, account: q.Account, deadline: q.Deadline.UTC()}
}

// limitsFreshFor is how long the limits of partitions are believed without asking Slurm again, and
// limitsTimeout how long it may take to say them.
const (
	limitsFreshFor = time.Minute
	limitsTimeout  = 10 * time.Second
)

// The bounds of what is asked for.
const (
	maxWhenGPUs  = 1_000_000
	maxWhenNodes = 100_000
	minWhenLimit = time.Minute
	maxWhenLimit = 366 * 24 * time.Hour
	maxNameBytes = 256
)

// When says when a job would start if it were submitted at the moment of the last cycle.
func (s *Service) When(ctx context.Context, v api.Viewer, q api.WhenQuery) (*api.When, error) {
	p, err := s.checkWhen(&q)
	if err != nil {
		return nil, err
	}
	w := whenRequest{s.newRequest(ctx, &v)}
	q.User = cmp.Or(q.User, v.User)
	c, err := w.lastCycle(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	if err := w.checkMayAskFor(&q); err != nil {
		return nil, err
	}
	unknown := w.unknownAccountText(q.Account)
	q.Account = cmp.Or(q.Account, lastcycle.ChooseAccount(c.Snapshot, q.User))
	j := whatif.NewRequest(c.Snapshot, p.Name, policy.GPUs{Type: q.GPUType, Count: q.GPUs}, q.Nodes, q.Limit)
	j.User, j.Account, j.Deadline = q.User, q.Account, q.Deadline
	if err := whatif.CheckRequest(c.Snapshot, &j); err != nil {
		return nil, badRequest("%v", err)
	}
	refusal, limitErr := w.readRefusal(ctx, &j)
	if refusal != "" {
		return nil, badRequest("%s", refusal)
	}
	a, err := w.estimate(ctx, p, c, newWhenKey(c, &q), j)
	if err != nil {
		return nil, toldError(&v, "working out when it would start", err)
	}
	if a.Unknown = unknown; !q.Deadline.IsZero() {
		w.addChances(ctx, a, &q)
	}
	if limitErr != nil {
		if a.LimitError = "Slurm could not be asked"; v.IsOperator() {
			a.LimitError = limitErr.Error()
		}
	}
	return a, nil
}

// whenRequest is a request for when a job would start.
type whenRequest struct{ *request }

// checkWhen checks what needs no site, and returns the partition.
func (s *Service) checkWhen(q *api.WhenQuery) (*bridge.Partition, error) {
	switch {
	case q.GPUs < 1 || q.GPUs > maxWhenGPUs:
		return nil, badRequest("gpus: want 1 to %d", maxWhenGPUs)
	case q.Nodes < 0 || q.Nodes > maxWhenNodes:
		return nil, badRequest("nodes: want 0 to %d; 0 is any", maxWhenNodes)
	case q.Limit < minWhenLimit || q.Limit > maxWhenLimit:
		return nil, badRequest("time_limit: want a time limit from 1 minute to 366 days, like 4h, 1h30m, 4:00:00 or 1-12")
	case !q.Deadline.IsZero() && (q.Deadline.Before(s.parts.Now()) || q.Deadline.Sub(s.parts.Now()) > maxWhenLimit):
		return nil, badRequest("deadline: want a time from now on, at most 366 days ahead, like 2026-12-01T09:00:00Z")
	case max(len(q.User), len(q.Account), len(q.GPUType)) > maxNameBytes:
		return nil, badRequest("a name has more than %d bytes", maxNameBytes)
	case q.Partition == "" && len(s.Partitions) == 1:
		return &s.Partitions[0], nil
	case q.Partition == "":
		return nil, badRequest("which partition? Want one of %s", strings.Join(s.partitionNames(), ", "))
	}
	if err := s.checkPartitions([]string{q.Partition}); err != nil {
		return nil, err
	}
	return s.partition(q.Partition), nil
}

// lastCycle returns the last cycle of a partition, unless it is too long ago to say anything.
func (w whenRequest) lastCycle(ctx context.Context, name string) (*lastcycle.Cycle, error) {
	c := w.cycle(name)
	switch {
	case c == nil && w.cyclesErr != nil:
		return nil, toldError(w.Viewer, "reading the last cycle of partition "+name, w.cyclesErr)
	case c == nil || c.Snapshot == nil:
		return nil, &api.Error{Code: api.CodeUnavailable, Message: "no cycle of partition " + name + " is stored yet", Try: w.whyNoCycle(ctx)}
	case w.isStale(c):
		return nil, &api.Error{
			Code: api.CodeUnavailable, Message: fmt.Sprintf("the last cycle of partition %s was %s ago, too long to say when a job would start", name, policy.FormatDuration(c.Age(w.now).Round(time.Second))),
			Try: w.whyNoCycle(ctx),
		}
	}
	return c, nil
}

// whyNoCycle says why there is no newer cycle, as far as the viewer may know: where a daemon answers, one runs.
func (w whenRequest) whyNoCycle(ctx context.Context) string {
	if w.Viewer.Origin == api.OriginLocal {
		return "is the daemon running? systemctl status fairbridge"
	}
	switch d := w.daemonState(ctx); {
	case len(d.Doubts) > 0:
		return "fairbridge is in doubt, because " + d.Doubts[0].Why
	case d.RecordError == "" && (d.Leader == nil || !d.Leader.Leads):
		return "no daemon leads; tell your administrators"
	}
	return "try again in a while, or tell your administrators"
}

// checkMayAskFor checks that the viewer may ask for the user and account: when a job would start tells
// what they used.
func (w whenRequest) checkMayAskFor(q *api.WhenQuery) error {
	if w.SeesUse(q.User, q.Account) && (q.Account == "" || w.mayUse(q.Account)) {
		return nil
	}
	return forbidden("usage is private here: it can be asked when a job of yours would start, in an account of yours", "ask without the user and the account")
}

// mayUse reports whether an account is one of those in which the viewer is known, or may see what it used.
func (w whenRequest) mayUse(account string) bool {
	return w.SeesAccountUse(account) || slices.Contains(w.UserAccounts(w.Viewer.User), account)
}

// unknownAccountText says that nobody knows an account; "": somebody does, or none was asked for.
func (w whenRequest) unknownAccountText(name string) string {
	if name == "" || w.IsAccount(name) {
		return ""
	}
	return fmt.Sprintf("account %s is not known here: no job of it is listed, and no shares; it is planned as one that has used nothing", name)
}

// readRefusal says why the job's partition would not take it; "": it would. An account that is not
// known is not checked, nor is the QOS.
func (w whenRequest) readRefusal(ctx context.Context, j *policy.Job) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limitsTimeout)
	defer cancel()
	list, err := w.limits.Get(ctx)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(list, func(p slurm.Partition) bool { return p.Name == j.Partition })
	if i < 0 {
		return "Slurm shows no partition " + j.Partition, nil
	}
	p := list[i]
	p.AllowedQOS, p.DeniedQOS = nil, nil
	if j.Account == "" {
		p.AllowedAccounts, p.DeniedAccounts = nil, nil
	}
	return p.RefusalReason(&slurm.Job{TimeLimit: j.Limit, Account: j.Account}), nil
}

// estimate says when the job would start and what would start sooner, once for each cycle and request.
func (w whenRequest) estimate(ctx context.Context, p *bridge.Partition, c *lastcycle.Cycle, key whenKey, j policy.Job) (*api.When, error) {
	if known, ok := w.whens.Get(key); ok {
		a := *known
		return &a, nil
	}
	done, err := w.heavy.Take(ctx, w.Viewer.User)
	if err != nil {
		return nil, err
	}
	defer done()
	if known, ok := w.whens.Get(key); ok { // others asked for the same meanwhile
		a := *known
		return &a, nil
	}
	a := &api.When{Partition: c.Partition, AsOf: c.At, Mode: c.Mode, Policy: c.Policy, Sooner: []whatif.JobStart{}}
	submission, err := w.newSubmission(ctx, p, c)
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	submission.Snapshot = whatif.WithoutJob(submission.Snapshot, key.instead)
	var sooner []whatif.JobStart
	if a.JobStart, sooner, err = submission.EstimateTogether(j, effortFor(len(c.Snapshot.Jobs), key.instead != 0)); err != nil {
		return nil, err
	}
	a.Sooner = append(a.Sooner, sooner...)
	a.Score, err = w.parts.Record.Score(ctx, w.Cluster, c.Partition, c.Snapshot.Now, a.Start)
	switch {
	case err == nil:
		w.whens.Put(key, a)
	case !isUnavailable(err):
		return nil, err
	default: // not kept: the next who asks may be told how good estimates were
		a.ScoreError = "the database could not be asked"
	}
	copied := *a
	return &copied, nil
}

// addDeadline adds how likely the job is done by its deadline, as the last cycle and estimate have it, and what it was told first.
func (e jobRequest) addDeadline(ctx context.Context, c *lastcycle.Cycle, j *policy.Job) {
	if j.Deadline.IsZero() {
		return
	}
	e.Deadline = &api.Deadline{At: j.Deadline, IsSoft: j.SoftDeadline}
	switch s := e.Estimate; {
	case j.HoldsGPUs():
		e.Deadline.Chance, e.Deadline.LikelyBy = estimate.ChanceOfRun(c.Snapshot, j, j.Deadline, api.LikelyChance)
	case s != nil && e.Daemon.RecordError == "":
		_ = askBriefly(ctx, func(ctx context.Context) error {
			known, err := e.learnt.of(e.Service, c.Partition).Get(ctx)
			if known.calibration != nil {
				chances := known.calibration.Chances(s.MadeAt, s.End, estimate.NewRunTimes(c.Snapshot)(j))
				e.Deadline.Chance, e.Deadline.LikelyBy = chances.By(j.Deadline), chances.TimeOf(api.LikelyChance)
			}
			return err
		})
	}
	if e.Daemon.RecordError == "" { // what it was told is an addition, and no reason to say nothing else
		_ = askBriefly(ctx, func(ctx context.Context) (err error) {
			e.Deadline.Promise, err = e.parts.Record.Promise(ctx, e.Cluster, j.ID, j.Arrive)
			return err
		})
		e.addJobOffers(ctx, c, j)
	}
}

// addChances adds how likely a request is done by a deadline, and other requests that are likelier.
func (w whenRequest) addChances(ctx context.Context, a *api.When, q *api.WhenQuery) {
	a.Deadline = &api.Deadline{At: q.Deadline, Chance: a.Chances.By(q.Deadline), LikelyBy: a.Chances.TimeOf(api.LikelyChance)}
	w.addOffers(ctx, a.Deadline, a, func(c *lastcycle.Cycle) (whenKey, policy.Job) {
		j := whatif.NewRequest(c.Snapshot, c.Partition, policy.GPUs{Type: q.GPUType, Count: q.GPUs}, q.Nodes, q.Limit)
		j.User, j.Account, j.Deadline = q.User, q.Account, q.Deadline
		return newWhenKey(c, q), j
	})
}
