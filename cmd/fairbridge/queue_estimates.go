package main

import (
	"context"
	"io"
	"time"

	"fairbridge/accounting/estimates"
	"fairbridge/accounting/stores"
	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
	"fairbridge/policy"
)

// maxEstimateAge is how old estimates may be that the queue shows. There is one an hour, later on
// large clusters.
const maxEstimateAge = 24 * time.Hour

// addEstimates adds to the rows when their jobs are thought to start.
func addEstimates(ctx context.Context, db *stores.Stores, cluster, partition string, rows []queueRow) error {
	list, err := db.LastEstimates(ctx, cluster, partition, time.Now().Add(-maxEstimateAge))
	if err != nil {
		return err
	}
	estimateByJob := map[policy.JobID]*estimates.JobEstimate{}
	for i := range list {
		estimateByJob[list[i].Job] = &list[i]
	}
	for i := range rows {
		r := &rows[i]
		if e := estimateByJob[r.JobID]; e != nil && e.Arrive.Equal(r.Arrive) && r.Start.IsZero() {
			r.Estimate = &e.StoredEstimate
		}
	}
	return nil
}

// printQueueEstimates prints when the jobs of the queue are thought to start.
func printQueueEstimates(w io.Writer, rows []queueRow, now time.Time) {
	t := output.NewTable(w, "PARTITION", "RANK", "JOB", "USER", "GPUS", "STATE", "EARLY", "MIDDLE", "LATE", "ESTIMATED")
	for _, r := range rows {
		early, middle, late, age := "–", "–", "–", "–"
		if e := r.Estimate; e != nil {
			early, middle, late = untilText(e.Start.Early, now), untilText(e.Start.Middle, now), untilText(e.Start.Late, now)
			age = output.FormatAge(now, e.MadeAt)
		}
		t.AddRow(r.Partition, r.Rank, r.Address, printable.Truncate(r.User, 12), gpusText(r.GPUs, r.Tasks), r.State, early, middle, late, age)
	}
	t.Print()
}

// untilText says how far ahead a moment is, in minutes: "2h10m", or "now" when it is past.
func untilText(t, now time.Time) string {
	if d := t.Sub(now).Round(time.Minute); d > 0 {
		return policy.FormatDuration(d)
	}
	return "now"
}
