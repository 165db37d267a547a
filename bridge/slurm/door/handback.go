package door

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// releaseTries is how often the second half of a hand-back is sent.
const releaseTries = 4

// HandBack carries out a hand-back and calls held between its two calls, when
// the hold was accepted. The release is sent whatever held answers.
func (d *Door) HandBack(ctx context.Context, e slurm.Edit, held func(context.Context) error) error {
	if err := d.payOwed(ctx); err != nil {
		return err
	}
	if err := check(e); err != nil || e.Kind != slurm.HandBack {
		return &slurm.Error{Class: slurm.Rejected, Text: fmt.Sprintf("%s is no hand-back", e), Err: err}
	}
	return d.handBack(ctx, e, held)
}

// handBack gives a direct priority back to multifactor: hold, then release,
// which keeps nice. A job that is held already is somebody else's and left
// alone. A direct priority has wiped the user's nice: Value puts it back, 0
// leaves it.
func (d *Door) handBack(ctx context.Context, e slurm.Edit, held func(context.Context) error) error {
	j, err := d.look(ctx, e.Run)
	if err != nil {
		return err
	}
	if !j.Pending() || j.Held {
		return changed("job %v is %s and held=%v: only a pending job that nobody holds is handed back", e.Run, j.State, j.Held)
	}
	address, err := d.find(ctx, e.Run)
	if err != nil {
		return err
	}
	if err := d.enter(ctx); err != nil {
		return err
	}
	if err := d.post(ctx, e.Run, address, field{"hold", true}); err != nil && !d.holdTook(ctx, e.Run, err) {
		return err
	}
	_ = held(ctx) // what was not written down is released all the same
	if err := d.release(ctx, debt{e.Run, e.Value}, address); err != nil {
		return err
	}
	return d.niceBack(ctx, debt{e.Run, e.Value})
}

// debt is a hold of ours that is to be released, and the owner's nice that is to
// be put back then, 0 for none.
type debt struct {
	run  slurm.Run
	nice int64
}

// niceBack puts back the nice that the direct priority wiped.
func (d *Door) niceBack(ctx context.Context, owed debt) error {
	if owed.nice == 0 {
		return nil
	}
	return d.update(ctx, owed.run, field{"nice", owed.nice})
}

// holdTook reports whether a hold with an unclear answer was placed.
func (d *Door) holdTook(ctx context.Context, run slurm.Run, err error) bool {
	if slurm.OutcomeOf(err) != slurm.MaybeDone {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	j, err := d.look(ctx, run)
	return err == nil && j.HeldByAdmin()
}

// release ends our own hold of a moment ago. It is sent whatever has happened
// since, also under a STOP file and when the caller gave up: what would stay
// otherwise is a job held for ever. Sending it again is harmless, since the
// job is ours until it succeeds.
func (d *Door) release(ctx context.Context, owed debt, address string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var err error
	for try := range releaseTries {
		if try > 0 {
			time.Sleep(time.Duration(try) * 500 * time.Millisecond)
		}
		if err = d.post(ctx, owed.run, address, field{"hold", false}); err == nil || slurm.OutcomeOf(err) == slurm.MovedOn {
			d.owe(owed, false)
			return err
		}
	}
	d.owe(owed, true)
	return &slurm.Error{Class: slurm.Unclear, Text: fmt.Sprintf(
		"job %d may be left held; it is tried again before the next write, or: scontrol release %d", owed.run.Job, owed.run.Job), Err: err}
}

func (d *Door) owe(owed debt, owing bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if owing {
		d.owed[owed.run.Job] = owed
	} else {
		delete(d.owed, owed.run.Job)
	}
}

// Owed returns the runs whose hold by us could not be released yet.
func (d *Door) Owed() []slurm.Run {
	var runs []slurm.Run
	for _, o := range d.debts() {
		runs = append(runs, o.run)
	}
	return runs
}

func (d *Door) debts() []debt {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.SortedFunc(maps.Values(d.owed), func(a, b debt) int { return cmp.Compare(a.run.Job, b.run.Job) })
}

// Owe tells the door of a hold that an earlier process placed to hand a job
// back and did not live to release, and of the nice to put back, 0 for none.
func (d *Door) Owe(run slurm.Run, nice int64) { d.owe(debt{run, nice}, true) }

// Pay releases the holds that are owed. It is also done before every write.
func (d *Door) Pay(ctx context.Context) error {
	if len(d.Owed()) == 0 {
		return nil
	}
	if err := d.enter(ctx); err != nil {
		return err
	}
	return d.payOwed(ctx)
}

// payOwed releases what an earlier hand-back left held, before anything else
// is written.
func (d *Door) payOwed(ctx context.Context) error {
	for _, owed := range d.debts() {
		if err := d.payOne(ctx, owed); err != nil {
			return err
		}
	}
	return nil
}

// payOne releases one job. One that is no longer held, or another run, is none
// of ours. A nice that somebody set meanwhile is his.
func (d *Door) payOne(ctx context.Context, owed debt) error {
	j, err := d.look(ctx, owed.run)
	if slurm.OutcomeOf(err) == slurm.MovedOn || err == nil && !j.HeldByAdmin() {
		d.owe(owed, false)
		return nil
	}
	if err != nil {
		return err
	}
	address, err := d.find(ctx, owed.run)
	if err != nil {
		return err
	}
	if err := d.release(ctx, owed, address); err != nil {
		if slurm.OutcomeOf(err) == slurm.MovedOn {
			return nil
		}
		return err
	}
	if j.Nice != 0 {
		return nil
	}
	return d.niceBack(ctx, owed)
}
