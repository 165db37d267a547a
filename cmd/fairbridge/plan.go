package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge"
	"fairbridge/bridge/cycle"
	"fairbridge/bridge/invariant"
	"fairbridge/bridge/printable"
	"fairbridge/bridge/slurm"
	"fairbridge/cmd/fairbridge/ask"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/output"
	"fairbridge/cmd/internal/system"
	"fairbridge/policy"
)

// partitionPlan is one partition of `fairbridge plan --json`.
type partitionPlan struct {
	Partition string           `json:"partition"`
	Mode      bridge.Mode      `json:"mode"`
	Policy    string           `json:"policy"`
	Params    string           `json:"params,omitempty"`
	Plan      *policy.Plan     `json:"plan"`
	Edits     []slurm.Edit     `json:"edits"`
	Refused   []bridge.Refusal `json:"refused"`
	Doubts    []bridge.Refusal `json:"doubts"`
	NotPushed []string         `json:"not_pushed,omitempty"` // why the daemon would send nothing
	Daemon    api.DaemonState  `json:"daemon"`               // who leads now, and what is in doubt there
	Error     string           `json:"error,omitempty"`
}

const planHelp = `Read Slurm and the database as they are now, decide as the daemon would, and show
the decisions by rank and the edits that would follow, and what the gate turned
down. Nothing is stored or sent. The daemon need not run; what it decided last is
in fairbridge queue.

VERB is what is decided: start, keep (runs on), wait, hold (has room, but is kept
from passing) or stop (is requeued). WHERE is nodes and GPUs. In mode observe the
edits are those of plan_as in the configuration, preempt by default.`

func newPlanCommand(o *cli.Options) *cobra.Command {
	return o.AddJSONFlag(&cobra.Command{
		Use:   "plan",
		Short: "Show what one cycle would do; changes nothing",
		Long:  planHelp,
		Example: `  fairbridge plan
  fairbridge plan --json | jq '.[].edits'`,
		Args: cli.CheckArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := o.OpenSystem(c.Context(), slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			defer s.DB.Close()
			daemon, err := readDaemonState(c.Context(), s)
			if err != nil {
				return err
			}
			facts, evaluations, err := s.Loop.Preview(c.Context())
			if err != nil {
				ask.PrintDoubts(c.ErrOrStderr(), true, &daemon, time.Now())
				return err
			}
			if o.JSON {
				return output.WriteJSON(c.OutOrStdout(), newPartitionPlans(evaluations, daemon))
			}
			output.WriteParagraph(c.OutOrStdout(), "", ask.LeaderText(&daemon, time.Now()))
			ask.PrintDoubts(c.OutOrStdout(), true, &daemon, time.Now())
			printable.Fprintf(c.OutOrStdout(), "\n")
			for i := range evaluations {
				printEvaluation(c.OutOrStdout(), facts, &evaluations[i])
			}
			return nil
		},
	})
}

// readDaemonState reads who leads now and what is in doubt there.
func readDaemonState(ctx context.Context, s *system.System) (d api.DaemonState, err error) {
	d.MaxAge = s.File.MaxCycleAge()
	if d.Leader, err = s.DB.ReadLeader(ctx, s.File.Cluster); err != nil {
		return d, err
	}
	d.Doubts, err = s.DB.Doubts(ctx, s.File.Cluster)
	return d, err
}

func newPartitionPlans(evaluations []cycle.PartitionResult, daemon api.DaemonState) []partitionPlan {
	out := []partitionPlan{}
	for i := range evaluations {
		t := &evaluations[i]
		p := partitionPlan{
			Partition: t.Partition.Name, Mode: t.Partition.Mode, Policy: t.Partition.Policy, Params: t.Partition.Params,
			Plan: t.Plan, Edits: t.Edits, Refused: t.Refusals, Doubts: t.Doubts, NotPushed: planWithheldReasons(t), Daemon: daemon,
		}
		if t.Err != nil {
			p.Error = t.Err.Error()
		}
		out = append(out, p)
	}
	return out
}

func printEvaluation(w io.Writer, f *bridge.Facts, t *cycle.PartitionResult) {
	printable.Fprintf(w, "Partition %s, policy %s, mode %s", t.Partition.Name, t.Partition.Policy, t.Partition.Mode)
	if t.Err != nil {
		printable.Fprintf(w, ": no plan: %v\n\n", t.Err)
		return
	}
	printable.Fprintf(w, ": %s on %s\n", policy.FormatCount(len(t.Snapshot.Jobs), "job"), policy.FormatCount(len(t.Snapshot.Nodes), "node"))
	for _, why := range planWithheldReasons(t) {
		output.WriteParagraph(w, "  ", "nothing would be sent: "+why)
	}
	printDecisions(w, t)
	if len(t.Edits) == 0 {
		printable.Fprintf(w, "\nNo edit would follow in mode %s.\n", t.Partition.PlanMode())
	} else {
		printable.Fprintf(w, "\n%s would follow in mode %s:\n", policy.FormatCount(len(t.Edits), "edit"), t.Partition.PlanMode())
	}
	for _, e := range t.Edits {
		printable.Fprintf(w, "  %s\n", output.FormatEdit(e, t.Snapshot.JobLabel(policy.JobID(e.Run.Job)), f.View.At))
	}
	printRefused(w, t.Snapshot, t.Refusals)
	printable.Fprintf(w, "\n")
}

// printRefused tells what the gate turned down, under the sentence that it would
// have broken.
func printRefused(w io.Writer, s *policy.Snapshot, refused []bridge.Refusal) {
	by := map[invariant.ID][]bridge.Refusal{}
	for _, r := range refused {
		by[r.Invariant] = append(by[r.Invariant], r)
	}
	for _, i := range invariant.All {
		if len(by[i.ID]) == 0 {
			continue
		}
		printable.Fprintf(w, "\n")
		output.WriteParagraph(w, "", "Turned down, because: "+i.Text)
		for _, r := range by[i.ID] {
			output.WriteParagraph(w, "  ", fmt.Sprintf("job %s: %s", s.JobLabel(r.Job), r.Why))
		}
	}
}

func printDecisions(w io.Writer, t *cycle.PartitionResult) {
	line := slices.Clone(t.Plan.Decisions)
	if len(line) == 0 {
		return
	}
	slices.SortFunc(line, func(a, b policy.Decision) int { return a.Rank - b.Rank })
	table := output.NewTable(w, "RANK", "JOB", "USER", "ACCOUNT", "GPUS", "STATE", "VERB", "WHERE", "WAITED", "WHY")
	for _, d := range line {
		j := t.Snapshot.Job(d.Job)
		table.AddRow(
			d.Rank, j.Label(), printable.Truncate(j.User, 12), printable.Truncate(j.Account, 14), ask.GPUsText(lastcycle.GPUCount(j), j.TaskCount()), strings.ToUpper(fmt.Sprint(j.State)), d.Verb,
			printable.Truncate(d.On.String(), 28), waitText(j, t.Snapshot.Now), d.Why,
		)
	}
	table.Print()
}

// planWithheldReasons says why the daemon would send nothing of the plan.
func planWithheldReasons(t *cycle.PartitionResult) []string {
	reasons := append(lastcycle.ModeReasons(t.Partition.Mode), t.WithheldReasons...)
	for _, d := range t.Doubts {
		if !slices.Contains(reasons, d.Why) {
			reasons = append(reasons, d.Why)
		}
	}
	return reasons
}

func waitText(j *policy.Job, now time.Time) string {
	if j.HoldsGPUs() {
		return "–"
	}
	return policy.FormatDuration(j.Waited(now))
}
