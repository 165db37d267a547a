package cycle_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim"
)

// chaos is a rig on which everything goes wrong now and then, by one seed:
// calls fail before or after they took effect, or take effect late; polls fail;
// people hold, release, cancel and delay their jobs; the daemon is killed.
type chaos struct {
	*rig
	dice  *rand.Rand
	late  []slurm.Edit
	runs  map[slurm.Run]int   // requeues sent, by run
	begin map[int64]time.Time // begin times people chose
	holds map[int64]bool      // jobs people hold
	ids   []int64
}

// policies are taken in turn; fifo, strict, is the one that holds jobs.
var policies = []string{"tiresias", "fifo", "astraea", "drf"}

func newChaos(t *testing.T, seed uint64) *chaos {
	c := &chaos{
		rig: newRig(t, bridge.ModePreempt, policies[seed%4], nil), dice: rand.New(rand.NewPCG(seed, 7)),
		runs: map[slurm.Run]int{}, begin: map[int64]time.Time{}, holds: map[int64]bool{},
	}
	c.wire.answer = c.before
	c.wire.lost = c.after
	return c
}

func (c *chaos) once(in int) bool { return c.dice.IntN(in) == 0 }

// before judges every edit at the moment it arrives, then may lose it.
func (c *chaos) before(e slurm.Edit) error {
	j, err := c.w.Job(e.Run.Job)
	if err != nil {
		return err
	}
	switch {
	case j.IsHeld:
		c.t.Errorf("%v was sent to a job that is held (%s)", e, j.Reason)
	case e.Kind == slurm.EditLease && e.Until.Sub(c.w.Now()) > c.conf.Budgets.LeaseMax:
		c.t.Errorf("%v is longer than any lease may be", e)
	case e.Kind == slurm.EditLease && e.Until.Before(c.begin[e.Run.Job]):
		c.t.Errorf("%v is before its owner's begin time %v", e, c.begin[e.Run.Job])
	case e.Kind == slurm.EditHardHold:
		c.t.Errorf("%v is a hard hold", e)
	}
	if e.Kind == slurm.EditRequeue {
		c.runs[e.Run]++
		if c.runs[e.Run] > 1 || j.State != "RUNNING" || j.Comment == "" {
			c.t.Errorf("%v: sent %d times, to a job that is %s with comment %q", e, c.runs[e.Run], j.State, j.Comment)
		}
	}
	switch c.dice.IntN(20) {
	case 0:
		return &slurm.Error{Class: slurm.ErrorUnreachable, Text: "connection refused"}
	case 1:
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: "connection reset"}
	case 2:
		c.late = append(c.late, e)
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: "no answer"}
	case 3:
		return &slurm.Error{Class: slurm.ErrorBusy, Text: "try again"}
	}
	return nil
}

// after may lose the answer.
func (c *chaos) after(slurm.Edit) error {
	if c.once(15) {
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, Text: "answer lost"}
	}
	return nil
}

// people do what people do.
func (c *chaos) people() {
	if c.once(2) {
		c.enter()
	}
	if len(c.ids) == 0 {
		return
	}
	id := c.ids[c.dice.IntN(len(c.ids))]
	j, err := c.w.Job(id)
	if err != nil || !j.IsPending() {
		return
	}
	switch c.dice.IntN(12) {
	case 0:
		if c.w.Hold("u", id) == nil {
			c.holds[id] = true
		}
	case 1:
		if c.w.Hold(sim.OperatorUser, id) == nil {
			c.holds[id] = true
		}
	case 2:
		if c.holds[id] && c.w.Release(sim.OperatorUser, id) == nil {
			delete(c.holds, id)
		}
	case 3:
		at := c.w.Now().Add(time.Duration(5+c.dice.IntN(60)) * time.Minute)
		if c.w.Update("u", id, sim.JobUpdate{BeginTime: &at}) == nil {
			c.begin[id] = at
		}
	case 4:
		_ = c.w.Cancel("u", fmt.Sprint(id))
	}
}

func (c *chaos) spec() sim.JobSpec {
	s := sim.JobSpec{
		User: "u", Account: fmt.Sprint("a", c.dice.IntN(3)), GPUs: 1 << c.dice.IntN(4), Checkpoints: true,
		WorkTime: time.Duration(2+c.dice.IntN(90)) * time.Minute, TimeLimit: 3 * time.Hour,
	}
	if c.once(2) {
		s.Comment = "fairbridge:preemptible,ckpt=5s"
	}
	return s
}

func (c *chaos) enter() { c.ids = append(c.ids, c.rig.submit(c.spec())) }

// weather is what goes wrong between two cycles.
func (c *chaos) weather() {
	for _, e := range c.late { // what was given up is carried out after all
		if c.once(2) {
			_ = sim.DirectCluster{World: c.w}.ApplyEdit(c.t.Context(), e)
		}
	}
	c.late = nil
	c.wire.observe = nil
	if c.once(8) {
		c.wire.observe = &slurm.Error{Class: slurm.ErrorBusy, Text: "slurmctld does not answer"}
	}
	if c.once(25) {
		c.restart() // killed, and started again with the same name
	}
}

// TestChaos plays 60 cycles for each of some seeds (FAIRBRIDGE_CHAOS_SEEDS).
func TestChaos(t *testing.T) {
	seeds := uint64(16)
	if n, err := strconv.ParseUint(os.Getenv("FAIRBRIDGE_CHAOS_SEEDS"), 10, 32); err == nil {
		seeds = n
	}
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			c := newChaos(t, seed)
			for range 12 {
				c.enter()
			}
			for range 60 {
				c.weather()
				c.people()
				c.cycles(1)
				c.holdsStand()
			}
			c.ends()
			t.Logf("sent %v", c.kinds())
		})
	}
}

// holdsStand checks that no hold of a person was broken.
func (c *chaos) holdsStand() {
	for id := range c.holds {
		if j, err := c.w.Job(id); err == nil && j.IsPending() && !j.IsHeld {
			c.t.Fatalf("the hold of job %d was broken", id)
		}
	}
}

// ends lets the weather clear, kills the daemon for good, and checks that Slurm
// alone brings every job to its end; before that, that releasing leaves
// nothing of ours.
func (c *chaos) ends() {
	c.wire.answer, c.wire.lost, c.wire.observe, c.late = nil, nil, nil, nil
	c.w.Advance(c.w.Now().Add(5 * time.Minute)) // unknown outcomes settle
	c.cycles(4)
	c.leasesEnd()
	rel := c.releaser()
	for range 3 {
		if _, err := rel.Release(c.t.Context()); err != nil {
			c.t.Fatal(err)
		}
		c.w.Advance(c.w.Now().Add(time.Minute))
	}
	if left, err := rel.FindReleasable(c.t.Context()); err != nil || len(left.Edits) > 0 || left.OpenIntentCount > 0 {
		c.t.Errorf("after releasing %d fields and %d open outcomes are left: %v %v", len(left.Edits), left.OpenIntentCount, left.Edits, err)
	}
	c.everyJobEndsOnce()
}

// leasesEnd checks that what a dead daemon leaves holds nobody longer than a
// lease: only people's own begin times are later.
func (c *chaos) leasesEnd() {
	limit := c.w.Now().Add(c.conf.Lease.Length)
	for _, j := range c.w.Jobs() {
		if j.IsPending() && j.EligibleTime.After(limit) && !j.EligibleTime.Equal(c.begin[j.ID]) {
			c.t.Errorf("job %d is kept until %v, its owner's begin time is %v", j.ID, j.EligibleTime, c.begin[j.ID])
		}
	}
}

func (c *chaos) everyJobEndsOnce() {
	for id := range c.holds {
		_ = c.w.Release(sim.OperatorUser, id)
	}
	if !c.w.RunUntilIdle(c.w.Now().Add(30 * 24 * time.Hour)) {
		c.t.Error("not every job ended")
	}
	ends := map[int64]int{}
	for _, s := range c.w.EndedRuns() {
		if s.EndState == "COMPLETED" {
			ends[s.JobID]++
		}
	}
	for id, n := range ends {
		if n > 1 {
			c.t.Errorf("job %d completed %d times", id, n)
		}
	}
}
