package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/journal"
	"fairbridge/bridge"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/study/whatif"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/system"
	"fairbridge/policy"
)

// explanation is the answer of `fairbridge explain --json`.
type explanation struct {
	*journal.JobHistory
	Address     string      `json:"address"`              // the job as squeue writes it: 4711, 47_3, 47_[0-9]
	GPUs        int         `json:"gpus"`                 // of all its tasks
	Tasks       int         `json:"tasks,omitempty"`      // of an array that waits unsplit
	NotPushed   []string    `json:"not_pushed,omitempty"` // why what was decided in the last cycle was not sent to Slurm
	Daemon      daemonState `json:"daemon"`               // who leads, and what keeps everything from being sent
	Live        *liveJob    `json:"live,omitempty"`       // as Slurm shows it now
	LiveError   string      `json:"unread,omitempty"`     // why Slurm could not be asked
	Directive   string      `json:"directive,omitempty"`  // what in the job's comment could not be read
	LastCycleAt time.Time   `json:"as_of,omitzero"`       // the last cycle of its partition
	IsStale     bool        `json:"stale,omitempty"`      // that is long ago
	// Estimate is when it is thought to start and end; nil: it ran already, or nothing is stored.
	Estimate *estimates.StoredEstimate `json:"estimate,omitempty"`
	// EstimateScore is how good such estimates were; nil: none is known.
	EstimateScore   *estimates.Score `json:"estimate_score,omitempty"`
	SmallerRequests []string         `json:"sooner,omitempty"` // smaller requests that would have started in it
}

// liveJob is a job as Slurm shows it now.
type liveJob struct {
	State         string    `json:"state"`
	Reason        string    `json:"reason"`
	Priority      int64     `json:"priority"`
	IsHeld        bool      `json:"held"`
	Eligible      time.Time `json:"eligible,omitzero"`
	Start         time.Time `json:"start,omitzero"` // of a pending job: Slurm's estimate
	Nodes         string    `json:"nodes,omitempty"`
	RequiredNodes string    `json:"required,omitempty"`
	ExcludedNodes string    `json:"excluded,omitempty"`
}

func newLiveJob(j *slurm.Job) *liveJob {
	return &liveJob{
		State: j.State, Reason: j.Reason, Priority: j.Priority, IsHeld: j.IsHeld, Eligible: j.EligibleTime, Start: j.Start,
		Nodes: j.Nodes.Text, RequiredNodes: j.RequiredNodes.Text, ExcludedNodes: j.ExcludedNodes.Text,
	}
}

const explainHelp = `Tell a job's story: what the policy decided and why, what was changed in Slurm
for it, and where its runs went. A decision is listed when it changed, not in each
cycle that repeats it. Exit status 3 when the job was never seen.

STATE of a change: PLANNED, SENT, then ACKED (Slurm said yes) or UNKNOWN (no answer);
OBSERVED when a poll shows it; EXPIRED when it ran out as meant, YIELDED when it gave
way to what somebody else set, FAILED when it was refused or never seen, VOID when it
was not sent after all.`

func newExplainCommand(o *cli.Options) *cobra.Command {
	return o.AddJSONFlag(&cobra.Command{
		Use:   "explain JOB",
		Short: "Why a job waits, runs or was requeued",
		Long:  explainHelp,
		Example: `  fairbridge explain 4711
  fairbridge explain 4711_3        a task of an array
  fairbridge explain 4711 --json`,
		Args: cli.CheckArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, a []string) error {
			name, err := system.ParseJobAddress(a[0])
			if err != nil {
				return cli.NewUsageError(err)
			}
			s, err := o.OpenSystem(c.Context(), slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer s.DB.Close()
			e, err := explainJob(c.Context(), s, name)
			if errors.Is(err, journal.ErrUnknownJob) {
				err = journal.ErrUnknownJob // without what was being done
			}
			if errors.Is(err, journal.ErrUnknownJob) || errors.Is(err, system.ErrNoTask) {
				printable.Fprintf(c.ErrOrStderr(), "job %s: %v\n", a[0], err)
				return cli.ErrFinding
			}
			if err != nil {
				return err
			}
			if o.JSON {
				return output.WriteJSON(c.OutOrStdout(), e)
			}
			printExplanation(c.OutOrStdout(), e, time.Now())
			return nil
		},
	})
}

// explainJob reads the story from the database, and the present state from Slurm
// where that answers.
func explainJob(ctx context.Context, s *system.System, name system.JobAddress) (*explanation, error) {
	id, err := s.FindJobID(ctx, name)
	if err != nil {
		return nil, err
	}
	story, err := s.DB.JobHistory(ctx, s.File.Cluster, policy.JobID(id))
	if err != nil {
		return nil, err
	}
	last := story.Runs[len(story.Runs)-1]
	e := &explanation{JobHistory: story, GPUs: last.GPUs}
	if err := e.addEstimate(ctx, s, &last); err != nil {
		return nil, err
	}
	if e.Address, err = s.DB.JobAddress(ctx, s.File.Cluster, e.JobID); err != nil {
		return nil, err
	}
	if e.Daemon, err = readDaemonState(ctx, s.DB, s.File); err != nil {
		return nil, err
	}
	e.addLastCycle(ctx, s)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	j, err := s.Cluster.RereadJob(ctx, id)
	var gone *slurm.Error
	switch {
	case err == nil:
		e.Live, e.Directive, e.Address = newLiveJob(&j), j.Directive.UnreadReason, cmp.Or(j.Address(), e.Address)
	case errors.As(err, &gone) && gone.Class == slurm.ErrorJobGone:
		e.LiveError = "Slurm has forgotten it: it ended a while ago"
	default:
		e.LiveError = "Slurm could not be asked: " + err.Error()
	}
	return e, nil
}

// addEstimate adds when the job is thought to start, and how good such estimates were.
func (e *explanation) addEstimate(ctx context.Context, s *system.System, last *journal.JobRun) (err error) {
	if e.Estimate, err = s.DB.LastEstimate(ctx, s.File.Cluster, e.JobID, last.Arrive); err != nil || e.Estimate == nil {
		return err
	}
	e.EstimateScore, err = s.DB.Score(ctx, s.File.Cluster, last.Partition, e.Estimate.MadeAt, e.Estimate.Start)
	return err
}

// addLastCycle says when the job was last decided about, and looks for smaller
// requests in that cycle unless it is long ago. Nothing is said when its
// snapshot is no longer kept.
func (e *explanation) addLastCycle(ctx context.Context, s *system.System) {
	if len(e.Decisions) == 0 || !e.Decisions[0].IsCurrent {
		return
	}
	name := e.Decisions[0].Partition
	i := slices.IndexFunc(s.Loop.Partitions, func(p bridge.Partition) bool { return p.Name == name })
	if i < 0 {
		return
	}
	c, err := readLastCycle(ctx, s.DB, s.File.Cluster, name)
	if err != nil {
		return
	}
	e.addNotPushed(c)
	e.LastCycleAt, e.IsStale = c.At, time.Since(c.At) > s.File.MaxCycleAge()
	if e.IsStale {
		return
	}
	e.SmallerRequests = smallerRequests(c.Snapshot, e.JobID, s.Loop.Partitions[i].PolicyOf(c.Policy, c.Params))
}

// addNotPushed adds what the last cycle shows of the job: its tasks, and why what was decided
// about it was not sent.
func (e *explanation) addNotPushed(c *lastCycle) {
	e.NotPushed = c.withheldReasons()
	for _, r := range c.refusalsOf(e.JobID, e.Decisions[0].Why) {
		e.NotPushed = append(e.NotPushed, refusalText(r))
	}
	if j := c.Snapshot.Job(e.JobID); j != nil {
		e.Address, e.GPUs = j.Label(), gpuCountOf(j)
		if j.TaskCount() > 1 {
			e.Tasks = j.TaskCount()
		}
	}
}

// smallerRequests says which smaller requests of a waiting job the policy would have
// started in the cycle of the snapshot.
func smallerRequests(s *policy.Snapshot, id policy.JobID, p policy.Policy) []string {
	var requests []string
	for _, smaller := range whatif.FindSmallerRequests(s, id, p, time.Now) {
		requests = append(requests, smallerRequestText(s.Job(id), &smaller))
	}
	return requests
}

// smallerRequestText says what is smaller about a job.
func smallerRequestText(was, is *policy.Job) string {
	switch {
	case is.Ask.GPUs.Count == was.Ask.GPUs.Count:
		return "a time limit of " + policy.FormatDuration(is.Limit)
	case is.Ask.MinNodes > 1:
		return fmt.Sprintf("%s on %d nodes", is.Ask.GPUs, is.Ask.MinNodes)
	}
	return is.Ask.GPUs.String()
}
