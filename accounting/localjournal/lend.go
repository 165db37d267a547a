package localjournal

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// LendFile lets other processes write the file, until TakeFileBack. What is noted
// meanwhile is an error.
func (j *Journal) LendFile() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.isLent = true
	return j.Close()
}

// TakeFileBack takes a lent file again and reads what others wrote. back is false
// when it was not lent; the error is ErrInUse while another process has it.
func (j *Journal) TakeFileBack() (back bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.isLent {
		return false, nil
	}
	clear(j.intentByID)
	j.damageErrors = nil
	if err := j.openFile(); err != nil {
		return false, errors.Join(fmt.Errorf("taking the local journal back: %w", err), j.Close())
	}
	j.isLent = false
	return true, nil
}

// NoteDatabaseReached is told after each cycle whether the database could be asked who
// leads. When it could not for longer than after, which must be longer than a
// leadership lasts, the file is lent, so that fairbridge expire can work from
// it: nothing is sent from here then.
func (t *Tee) NoteDatabaseReached(ok bool, now time.Time, after time.Duration) error {
	switch {
	case ok:
		t.databaseLostAt = time.Time{}
	case t.databaseLostAt.IsZero():
		t.databaseLostAt = now
	case now.Sub(t.databaseLostAt) > after:
		return t.Local.LendFile()
	}
	return nil
}

// endLoan ends a loan, and tells the database what was done in it.
func (t *Tee) endLoan(ctx context.Context, cluster string) error {
	back, err := t.Local.TakeFileBack()
	if err != nil || !back {
		return err
	}
	if _, err := t.UpdateDatabase(ctx, cluster); err != nil {
		return errors.Join(err, t.Local.LendFile()) // tried again by the next cycle
	}
	return nil
}
