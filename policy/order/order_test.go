package order_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/engine"
	"fairbridge/policy/order"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// round makes a round of jobs named by single letters, in that arrangement.
func round(jobs ...policy.Job) *engine.Round {
	r := &engine.Round{Snapshot: &policy.Snapshot{Now: now}}
	for i := range jobs {
		r.Entries = append(r.Entries, &engine.Entry{Job: &jobs[i], Index: i})
	}
	return r
}

func line(t *testing.T, o engine.Orderer, r *engine.Round) string {
	t.Helper()
	entries, err := o.Order(r)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return strings.Join(names, " ")
}

func pending(id policy.JobID, name, account string, ago time.Duration) policy.Job {
	return policy.Job{ID: id, Name: name, Account: account, State: policy.Pending, Arrive: now.Add(-ago),
		Ask: policy.Ask{GPUs: policy.GPUs{Count: 1}}}
}

func running(id policy.JobID, name, account string, ago time.Duration) policy.Job {
	j := pending(id, name, account, ago)
	j.State, j.Start, j.FirstStart = policy.Running, now.Add(-ago), now.Add(-ago)
	return j
}

func TestByArrival(t *testing.T) {
	r := round(pending(3, "c", "", time.Hour), pending(2, "b", "", time.Hour), running(4, "d", "", time.Minute), pending(1, "a", "", 2*time.Hour))
	if got := line(t, order.ByArrival{}, r); got != "d a b c" {
		t.Error(got)
	}
}

func TestLevels(t *testing.T) {
	served := func(j policy.Job, hours float64) policy.Job { j.Attained = policy.GPUSeconds(hours * 3600); return j }
	jobs := []policy.Job{
		served(running(1, "demoted", "", 9*time.Hour), 4),
		served(running(2, "young", "", time.Hour), 1),
		served(running(3, "older", "", 2*time.Hour), 3.9),
		pending(4, "new", "", time.Hour),
		served(pending(5, "stopped", "", 20*time.Hour), 5),
	}
	l := order.ByLeastAttained{QueueBounds: []policy.GPUSeconds{4 * 3600}}
	r := round(jobs...)
	if got := line(t, l, r); got != "older young new demoted stopped" {
		t.Error(got)
	}
	if got, want := r.Entries[2].Note, "queue 1 of 2, 3.90 GPU-h of its 4.00 GPU-h received"; got != want {
		t.Errorf("note %q, want %q", got, want)
	}
	if got := line(t, order.ByLeastAttained{}, round(jobs...)); got != "demoted older young stopped new" {
		t.Errorf("one queue is first come, first served: %s", got)
	}
	if _, err := (order.ByLeastAttained{QueueBounds: []policy.GPUSeconds{2, 1}}).Order(r); err == nil {
		t.Error("descending bounds pass")
	}
}

// meter charges every job the same and knows two weights.
type meter struct{}

func (meter) Costs(r *engine.Round) [][]float64 {
	costs := make([][]float64, len(r.Entries))
	for i := range costs {
		costs[i] = []float64{1. / 9}
	}
	return costs
}

func (meter) Weights(*engine.Round) map[string]float64 {
	return map[string]float64{"A": 2. / 3, "B": 1. / 3}
}

func TestByShare(t *testing.T) {
	held := pending(9, "h", "B", 9*time.Hour)
	held.HeldReason = "by its user"
	fixed := running(8, "f", "A", time.Minute)
	fixed.UnstoppableReason = "not marked as requeueable"
	r := round(
		pending(1, "a1", "A", 4*time.Hour), pending(2, "a2", "A", 3*time.Hour), running(3, "a0", "A", 2*time.Hour), fixed,
		pending(4, "b1", "B", time.Hour), pending(5, "b2", "B", time.Minute), held,
	)
	// B was served longer ago (never), so it goes first on equal shares.
	if got, want := line(t, order.BySmallestShare{Meter: meter{}}, r), "b1 f a0 b2 a1 a2 h"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
