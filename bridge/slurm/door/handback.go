package door

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fairbridge/bridge/slurm"
)

// releaseTries is how often the second half of a hand-back is sent.
const releaseTries = 4

// handBack gives a direct priority back to multifactor: hold, then release,
// which keeps nice. A job that is held already is somebody else's and left
// alone. A direct priority has wiped the user's nice: Value puts it back, 0
// leaves it.
func (d *Door) handBack(ctx context.Context, e slurm.Edit) error {
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
	if err := d.release(ctx, e.Run, address); err != nil {
		return err
	}
	if e.Value == 0 {
		return nil
	}
	return d.update(ctx, e.Run, field{"nice", e.Value})
}

// holdTook reports whether a hold with an unclear answer was placed.
func (d *Door) holdTook(ctx context.Context, run slurm.Run, err error) bool {
	if OutcomeOf(err) != Unclear {
		return false
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	j, err := d.look(ctx, run)
	return err == nil && j.Held && j.Reason == "JobHeldAdmin"
}

// release ends our own hold of a moment ago. It is sent whatever has happened
// since, also under a STOP file and when the caller gave up: what would stay
// otherwise is a job held for ever. Sending it again is harmless, since the
// job is ours until it succeeds.
func (d *Door) release(ctx context.Context, run slurm.Run, address string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	var err error
	for try := range releaseTries {
		if try > 0 {
			time.Sleep(time.Duration(try) * 500 * time.Millisecond)
		}
		if err = d.post(ctx, run, address, field{"hold", false}); err == nil || settled(err) {
			d.owe(run, false)
			return err
		}
	}
	d.owe(run, true)
	return &slurm.Error{Class: slurm.Unclear, Text: fmt.Sprintf(
		"job %d may be left held; it is tried again before the next write, or: scontrol release %d", run.Job, run.Job), Err: err}
}

// settled reports whether the job has moved on, so that no hold of ours stays.
func settled(err error) bool {
	var e *slurm.Error
	return errors.As(err, &e) && (e.Class == slurm.Gone || e.Class == slurm.Changed)
}

func (d *Door) owe(run slurm.Run, owing bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if owing {
		d.owed[run.Job] = run
	} else {
		delete(d.owed, run.Job)
	}
}

// Owed returns the runs whose hold by us could not be released yet.
func (d *Door) Owed() []slurm.Run {
	d.mu.Lock()
	defer d.mu.Unlock()
	var runs []slurm.Run
	for _, r := range d.owed {
		runs = append(runs, r)
	}
	return runs
}

// Owe tells the door of a hold that an earlier process placed to hand a job
// back and did not live to release.
func (d *Door) Owe(run slurm.Run) { d.owe(run, true) }

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
// is written. A job that is no longer held, or another run, is none of ours.
func (d *Door) payOwed(ctx context.Context) error {
	for _, run := range d.Owed() {
		j, err := d.look(ctx, run)
		if settled(err) || err == nil && (!j.Held || j.Reason != "JobHeldAdmin") {
			d.owe(run, false)
			continue
		}
		if err != nil {
			return err
		}
		address, err := d.find(ctx, run)
		if err != nil {
			return err
		}
		if err := d.release(ctx, run, address); err != nil && !settled(err) {
			return err
		}
	}
	return nil
}
