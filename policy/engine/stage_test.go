package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fairbridge/policy"
	"fairbridge/policy/backfill"
	"fairbridge/policy/engine"
	"fairbridge/policy/preempt"
)

// stages is every stage at once, as functions; nil ones are not used.
type stages struct {
	share func(*engine.Round) ([]float64, error)
	order func(*engine.Round) ([]*engine.Entry, error)
	size  func(*engine.Round, []*engine.Entry) ([]int, error)
	place func(*engine.Round, *engine.Entry) (policy.Alloc, error)
	admit func(*engine.Round, *engine.Entry) error
	pack  func(*engine.Round, *engine.Entry) (policy.Alloc, error)
}

func (s stages) Share(r *engine.Round) ([]float64, error) { return s.share(r) }

func (s stages) Order(r *engine.Round) ([]*engine.Entry, error) { return s.order(r) }

func (s stages) Size(r *engine.Round, l []*engine.Entry) ([]int, error) { return s.size(r, l) }

func (s stages) Place(r *engine.Round, e *engine.Entry) (policy.Alloc, error) { return s.place(r, e) }

func (s stages) Admit(r *engine.Round, e *engine.Entry) error { return s.admit(r, e) }

func (s stages) Pack(r *engine.Round, e *engine.Entry) (policy.Alloc, error) { return s.pack(r, e) }

func (s stages) Predict(*engine.Round, *engine.Entry) (e engine.TimeLeftEstimate) {
	e.TimeLeft = time.Minute
	return e
}

func (s stages) NewPassCheck(*engine.Round, *engine.Entry) func(*engine.Entry, policy.Alloc) error {
	return nil
}

// TestStageErrors wants the error of a stage, or a broken contract, to end the
// round with the policy and the stage named.
func TestStageErrors(t *testing.T) {
	oops := errors.New("oops")
	for _, c := range []struct {
		name, want string
		p          engine.Pipeline
	}{
		{"share", "policy x: sharing: oops", engine.Pipeline{Share: stages{share: func(*engine.Round) ([]float64, error) { return nil, oops }}}},
		{"few shares", "policy x: sharing: 1 shares for 2 jobs", engine.Pipeline{Share: stages{share: func(*engine.Round) ([]float64, error) { return []float64{1}, nil }}}},
		{"order", "policy x: ordering: oops", engine.Pipeline{Order: stages{order: func(*engine.Round) ([]*engine.Entry, error) { return nil, oops }}}},
		{"one missing in line", "policy x: ordering: the line of 1", engine.Pipeline{Order: stages{order: func(r *engine.Round) ([]*engine.Entry, error) { return r.Entries[:1], nil }}}},
		{"one twice in line", "must hold each of the 2 jobs once; job 2", engine.Pipeline{Order: stages{order: func(r *engine.Round) ([]*engine.Entry, error) {
			return []*engine.Entry{r.Entries[0], r.Entries[0]}, nil
		}}}},
		{"size", "policy x: sizing: oops", engine.Pipeline{Size: stages{size: func(*engine.Round, []*engine.Entry) ([]int, error) { return nil, oops }}}},
		{"few sizes", "sizing: 1 sizes for 2 jobs", engine.Pipeline{Size: stages{size: func(*engine.Round, []*engine.Entry) ([]int, error) { return []int{4}, nil }}}},
		{"rigid resized", "job 1 asks for 4 GPUs and cannot run on 3", engine.Pipeline{Size: stages{size: func(*engine.Round, []*engine.Entry) ([]int, error) { return []int{3, 4}, nil }}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.p.Name = "x"
			plan, err := c.p.Decide(with(with(cluster(1), 4), 4))
			if err == nil || !strings.Contains(err.Error(), c.want) || plan != nil {
				t.Errorf("Decide = %v, %v; want %q", plan, err, c.want)
			}
		})
	}
}

// TestWhy pins the sentences people read.
func TestWhy(t *testing.T) {
	urgent := engine.Pipeline{Preempt: preempt.ByQOS("urgent"), Backfill: backfill.EASY{}}
	note := stages{order: func(r *engine.Round) ([]*engine.Entry, error) {
		for _, e := range r.Entries {
			e.Note = "its account is first"
		}
		return r.Entries, nil
	}}
	oneNode := func(j *policy.Job) { j.Ask.MaxNodes = 1 }
	busy := func() *policy.Snapshot {
		return with(with(cluster(1), 5, running("n1", time.Hour, 2*time.Hour)), 8, oneNode)
	}
	for _, c := range []struct {
		name string
		p    engine.Pipeline
		s    *policy.Snapshot
		job  int
		want string
	}{
		{"keep", engine.Pipeline{}, busy(), 1, "keeps n1:5×a100; it has run 1h"},
		{"start, with the order's note", engine.Pipeline{Order: note}, with(cluster(1), 4), 1, "starts on n1:4×a100: they are free; its rank: its account is first"},
		{"blocked", engine.Pipeline{}, busy(), 2, "waits as 1st: needs 8 a100 on one node, 3 free on the best node n1, 3 in all it may use; no job waits ahead"},
		{"behind in strict order", engine.Pipeline{}, with(busy(), 1), 3,
			"is held back as 2nd, although it has room: job 2 is ahead, blocked, and may not be passed: it needs 8 a100 on one node, 3 free on the best node n1, 3 in all it may use; 1 job of account vision waits ahead"},
		{"behind a reservation", urgent, with(busy(), 1), 3,
			"is held back as 2nd, although it has room: would delay job 2, which starts on n1:8×a100 in 1h at the latest: these nodes are reserved; 1 job of account vision waits ahead"},
		{"third", engine.Pipeline{}, with(with(busy(), 8), 9, oneNode), 4,
			"waits as 3rd: can never start as it is: needs 9 a100 on one node, 8 free on the best node n1, 8 in all it may use, even if nothing ran; 2 jobs wait ahead, 2 of them of account vision"},
		{"passes", urgent, with(busy(), 1, limit(time.Hour)), 3, "starts on n1:1×a100: they are free, and it delays no job that may not be delayed; 1 job of account vision waits ahead"},
		{"stopped", urgent, with(with(cluster(1), 8, running("n1", 90*time.Minute, 0)), 4, qos("urgent"), waited(9*time.Hour)), 1,
			"gives way on n1:8×a100 to job 2 of account vision, of tier 0 before its own 1; it has run 1h30m"},
		{"in its place", urgent, with(with(cluster(1), 8, running("n1", 90*time.Minute, 0)), 4, qos("urgent"), waited(9*time.Hour)), 2,
			"starts on n1:4×a100: job 1 gives way"},
		{"refused", engine.Pipeline{Admit: stages{admit: func(*engine.Round, *engine.Entry) error { return errors.New("account at its cap") }}},
			with(cluster(1), 4), 1, "is held back: account at its cap"},
		{"held", engine.Pipeline{}, with(cluster(1), 4, func(j *policy.Job) { j.HeldReason = "dependency" }), 1, "cannot start: dependency"},
		{"unplaced", engine.Pipeline{}, with(cluster(1), 4, func(j *policy.Job) { j.UnplaceableReason = "constraint [a|b]" }), 1,
			"starts where Slurm finds 4 a100 for it: constraint [a|b]"},
		{"aged", engine.Pipeline{}, with(busy(), 1, waited(25*time.Hour)), 3, "starts on n1:1×a100: they are free; it waited longer than a job should, and goes before all that did not"},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan, _ := decide(t, c.p, c.s)
			if got := plan.Decisions[c.job-1].Why; got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestGrowsOverNodes wants an elastic job to grow where a pending one of that
// size just found no room: it brings its own devices along. Where jobs may not wait for ever it would not, see sizeTurns.
func TestGrowsOverNodes(t *testing.T) {
	s := with(cluster(2), 6, waited(9*time.Hour))
	with(s, 3, running("n1", time.Hour, 0), func(j *policy.Job) { j.MinGPUs, j.MaxGPUs = 1, 6 })
	with(with(s, 5, running("n1", time.Hour, 0)), 5, running("n2", time.Hour, 0))
	size := stages{size: func(_ *engine.Round, line []*engine.Entry) ([]int, error) {
		want := make([]int, len(line))
		for i, e := range line {
			want[i] = e.DeviceCount()
			if e.IsElastic() {
				want[i] = 6
			}
		}
		return want, nil
	}}
	if _, got := decide(t, engine.Pipeline{Size: size, Backfill: backfill.Greedy{}, Rules: engine.Rules{MaxWait: -1}}, s); got !=
		"1 wait; 2 resize n1:3×a100,n2:3×a100; 3 keep n1:5×a100; 4 keep n2:5×a100" {
		t.Error(got)
	}
}

// TestAgedGoToTheFront wants those that waited too long first, longest wait
// first, but not one that can never run.
func TestAgedGoToTheFront(t *testing.T) {
	day := 24 * time.Hour
	s := with(with(with(with(cluster(1), 1), 1, waited(2*day)), 1, waited(3*day)), 99, waited(4*day))
	asListed := stages{order: func(r *engine.Round) ([]*engine.Entry, error) { return r.Entries, nil }}
	plan, _ := decide(t, engine.Pipeline{Order: asListed}, s)
	for i, want := range []int{3, 2, 1, 4} {
		if d := plan.Decisions[i]; d.Rank != want {
			t.Errorf("job %d has rank %d, want %d", d.Job, d.Rank, want)
		}
	}
	plan, _ = decide(t, engine.Pipeline{Order: asListed, Rules: engine.Rules{MaxWait: -1}}, s)
	if d := plan.Decisions[0]; d.Rank != 1 {
		t.Errorf("job 1 has rank %d where nobody ages, want 1", d.Rank)
	}
}
