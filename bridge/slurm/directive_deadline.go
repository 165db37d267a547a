package slurm

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// maxDeadlineValue is the most that a deadline may be said to be worth.
const maxDeadlineValue = 1000

// localTimeLayout is a time as sbatch --deadline takes it: of the time zone that the daemon's host keeps.
const localTimeLayout = "2006-01-02T15:04"

// setDeadline reads a time with its zone, or one without, which is local.
func setDeadline(to *time.Time, v string) error {
	t, err := time.Parse(time.RFC3339, v)
	if err != nil {
		if t, err = time.ParseInLocation(localTimeLayout, v, time.Local); err != nil {
			t, err = time.ParseInLocation(localTimeLayout+":05", v, time.Local)
		}
	}
	if err != nil {
		return errors.New("a deadline looks like 2026-12-31T18:00, or 2026-12-31T18:00:00+01:00")
	}
	*to = t.UTC()
	return nil
}

// setDeadlineValue reads what being done by the deadline is worth, beside other jobs of the account.
func setDeadlineValue(to *float64, v string) error {
	x, err := strconv.ParseFloat(v, 64)
	if err != nil || !(x >= .001 && x <= maxDeadlineValue) {
		return fmt.Errorf("want a number from 0.001 to %d", maxDeadlineValue)
	}
	*to = x
	return nil
}

// dropDeadlineWords forgets what is said of a deadline that is not there, and returns why.
func (d *Directive) dropDeadlineWords() error {
	if !d.Deadline.IsZero() || d.DeadlineValue == 0 && !d.SoftDeadline {
		return nil
	}
	d.DeadlineValue, d.SoftDeadline = 0, false
	return errors.New("fairbridge: value and soft say something of a deadline, and none is given")
}
