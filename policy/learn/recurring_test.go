package learn_test

import (
	"slices"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/learn"
)

// TestRecurring: runs of a user's names that differ in their numbers are one job's, others are not; the last are kept.
func TestRecurring(t *testing.T) {
	c := learn.Recurring{Most: 3}
	end := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	add := func(user, name string, gpus int) bool {
		end = end.Add(time.Hour)
		return c.AddRun(&learn.Run{Job: learn.Job{User: user, Name: name, GPUs: gpus, Limit: 2 * time.Hour}, End: end, Ran: time.Duration(gpus) * time.Minute})
	}
	for i, name := range []string{"train-1", "train-2", "train-17", "train-3"} {
		add("ann", name, 1<<i)
	}
	add("bob", "train-1", 64)
	if !add("ann", "123", 1) || add("ann", "", 1) {
		t.Error("a job without a name is recognised, or one of the very name is not")
	}
	got := c.EarlierRuns(&policy.Job{User: "ann", Name: "train-99"})
	sizes := []int{}
	for _, r := range got {
		sizes = append(sizes, r.GPUs)
	}
	if !slices.Equal(sizes, []int{2, 4, 8}) || got[1].Ran != 4*time.Minute || got[1].Limit != 2*time.Hour {
		t.Errorf("%+v", got)
	}
	if other := c.EarlierRuns(&policy.Job{User: "cid", Name: "train-1"}); other != nil {
		t.Errorf("of another user: %+v", other)
	}
	if same := c.EarlierRuns(&policy.Job{User: "ann", Name: "train-17"}); len(same) != 1 || same[0].GPUs != 4 {
		t.Errorf("of the very name: %+v", same)
	}
	if unnamed := c.EarlierRuns(&policy.Job{User: "ann", Name: "5"}); unnamed != nil {
		t.Errorf("without a name: %+v", unnamed)
	}
}
