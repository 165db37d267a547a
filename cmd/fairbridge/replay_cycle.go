package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"fairbridge/accounting/journal"
	"fairbridge/accounting/stores"
	"fairbridge/bridge"
	"fairbridge/bridge/study/policyset"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

// again is a cycle that was decided again, as --json prints it.
type again struct {
	Partition string      `json:"partition"`
	Cycle     uint64      `json:"cycle"`
	At        time.Time   `json:"at"`
	Mode      bridge.Mode `json:"mode"`
	Policy    string      `json:"policy"`
	Params    string      `json:"params,omitempty"`
	Jobs      int         `json:"jobs"`
	Same      bool        `json:"same"`
	Exactly   bool        `json:"exactly"` // every byte was compared; else only what the record keeps
	Then      string      `json:"then"`    // SHA-256 of the plan
	Now       string      `json:"now"`
	Gate      int         `json:"gate"` // decisions the gate turned down then
	Differing []departure `json:"differing"`
}

// departure is a job about which another decision is made now.
type departure struct {
	Job  policy.JobID      `json:"job"`
	Then *journal.Recorded `json:"then"` // null: it is not in the record
	Now  *journal.Recorded `json:"now"`
}

func (o *options) replayCycle(c *cobra.Command, partition string, seq uint64) error {
	f, err := o.load()
	if err != nil {
		return err
	}
	if partition, err = onlyPartition(f, partition); err != nil {
		return usageError{err}
	}
	db, err := openDB(c.Context(), f)
	if err != nil {
		return err
	}
	defer db.Close()
	a, err := decideAgain(c.Context(), db, f.Cluster, partition, seq)
	if err != nil {
		return err
	}
	if o.json {
		err = printJSON(c.OutOrStdout(), a)
	} else {
		a.print(c.OutOrStdout())
	}
	if err == nil && !a.Same {
		return errFinding
	}
	return err
}

// onlyPartition is the one that was named, or the only one there is.
func onlyPartition(f *settings.File, name string) (string, error) {
	var names []string
	for i := range f.Partitions {
		if names = append(names, f.Partitions[i].Name); f.Partitions[i].Name == name {
			return name, nil
		}
	}
	switch {
	case name != "": // one that was configured once
		return name, nil
	case len(names) == 1:
		return names[0], nil
	}
	return "", fmt.Errorf("which partition? Name one of %s by --partition", strings.Join(names, ", "))
}

// decideAgain decides a stored cycle as it was decided then.
func decideAgain(ctx context.Context, db *stores.Stores, cluster, partition string, seq uint64) (*again, error) {
	c, err := db.Cycle(ctx, cluster, partition, seq)
	if err != nil {
		return nil, err
	}
	var s policy.Snapshot
	if err := json.Unmarshal(c.Snapshot, &s); err != nil {
		return nil, fmt.Errorf("reading the snapshot of cycle %d: %w", c.Seq, err)
	}
	pick, err := policyset.Recorded(c.Policy, c.Params)
	if err != nil {
		return nil, fmt.Errorf("cycle %d was decided by what this release does not know: %w", c.Seq, err)
	}
	decide, err := pick.New()
	if err != nil {
		return nil, err
	}
	plan, err := decide.Decide(&s)
	if err == nil && plan == nil {
		err = errors.New("it gave no plan")
	}
	if err != nil {
		return nil, fmt.Errorf("deciding cycle %d again by %s: %w", c.Seq, pick.Label, err)
	}
	a := &again{Partition: partition, Cycle: c.Seq, At: c.At, Mode: c.Mode, Policy: c.Policy, Params: c.Params, Jobs: len(s.Jobs), Gate: len(c.Refused), Differing: []departure{}}
	return a, a.compare(ctx, db, cluster, c, plan)
}

// compare says whether the plan is the one of then. The record has the plan as
// the gate let it through: where that turned something down, the record is no
// witness.
func (a *again) compare(ctx context.Context, db *stores.Stores, cluster string, c *journal.StoredCycle, plan *policy.Plan) error {
	var err error
	if a.Now, err = journal.DigestPlan(plan); err != nil {
		return err
	}
	a.Then, a.Exactly = c.OwnDigest, c.OwnDigest != ""
	if !a.Exactly {
		a.Then = c.PlanDigest
	}
	if a.Same = a.Now == a.Then; a.Same {
		a.Exactly = true
		return nil
	}
	jobs := make([]policy.JobID, len(plan.Decisions))
	for i := range plan.Decisions {
		jobs[i] = plan.Decisions[i].Job
	}
	then, err := db.Decided(ctx, cluster, a.Partition, c.Seq, jobs)
	if err != nil {
		return err
	}
	a.Differing = departures(plan, then, c.Refused)
	a.Same = !a.Exactly && len(a.Differing) == 0
	return nil
}

// departures lists the jobs about which the plan says something else than the
// record, but for those the gate had a word about.
func departures(plan *policy.Plan, then []journal.Recorded, refused []bridge.Refusal) []departure {
	out := []departure{}
	was, gates := map[policy.JobID]*journal.Recorded{}, map[policy.JobID]bool{}
	for i := range then {
		was[then[i].Job] = &then[i]
	}
	for _, r := range refused {
		gates[r.Job] = true
	}
	for i := range plan.Decisions {
		d := &plan.Decisions[i]
		now := journal.RecordedOf(d)
		if old := was[d.Job]; !gates[d.Job] && (old == nil || *old != now) {
			out = append(out, departure{d.Job, old, &now})
		}
	}
	return out
}
