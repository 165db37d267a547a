package slurm

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Directive is what a job's owner says to us in its --comment or --extra, as
// "fairbridge:key=value,flag,…". It is untrusted and bounded, and never gains
// its job priority by itself.
type Directive struct {
	Class          string
	Deadline       time.Time // by when its result is wanted; Slurm's own, which kills, is Job.Deadline
	DeadlineValue  float64   `json:",omitempty"` // what being done by then is worth, beside other jobs of its account; 0: not said
	SoftDeadline   bool      `json:",omitempty"` // its result is worth something after its deadline, too
	MinGPUs        int
	MaxGPUs        int
	GPUTypes       []string // it may run on besides the one asked for, sorted; DeclaredSize says which count
	CheckpointCost time.Duration
	Preemptible    bool
	Shareable      bool
	SharesWithAll  bool           `json:",omitempty"` // also with jobs of other users: shareable=others
	GPUMemMB       int64          `json:",omitempty"` // most memory it uses of each GPU, megabytes; 0: not said
	GPUBusyPercent int            `json:",omitempty"` // of the time in which it computes, alone on its GPUs; 0: not said
	Opportunistic  bool           `json:",omitempty"` // it runs on what others leave: counted to no quota, and the first to be stopped
	Quiet          bool           `json:",omitempty"` // its owner wants no reminders of its idle GPUs
	RequeueIdle    bool           `json:",omitempty"` // it may be requeued when its GPUs do no work and another job waits for them
	Service        string         `json:",omitempty"` // the inference service that it answers requests for
	Grace          *time.Duration // between a warning and a requeue; 0: no warning; nil: not said
	Signal         Signal         // to be warned by; "": not said

	UnreadReason string // what could not be read; the rest counts
}

// Bounds of what a user may claim.
const (
	maxDirectiveGPUs  = 65_536
	maxCheckpointCost = 6 * time.Hour
	maxGrace          = 10 * time.Minute
	maxDeadlineValue  = 1000
)

// ReadDirective reads the directives in the texts, later ones winning.
func ReadDirective(texts ...string) Directive {
	if !slices.ContainsFunc(texts, HasDirective) {
		return Directive{}
	}
	var d Directive
	var errs []error
	for _, text := range texts {
		for _, word := range strings.Fields(text) {
			body, ok := strings.CutPrefix(word, "fairbridge:")
			if !ok {
				continue
			}
			for _, item := range strings.Split(body, ",") {
				if err := d.setItem(item); err != nil {
					errs = append(errs, fmt.Errorf("fairbridge:%s: %w", item, err))
				}
			}
		}
	}
	if d.MinGPUs > 0 && d.MaxGPUs > 0 && d.MinGPUs > d.MaxGPUs {
		errs = append(errs, fmt.Errorf("fairbridge:min=%d is above max=%d; both are ignored", d.MinGPUs, d.MaxGPUs))
		d.MinGPUs, d.MaxGPUs = 0, 0
	}
	d.UnreadReason = errorText(errors.Join(append(errs, d.dropDeadlineWords())...))
	return d
}

// HasDirective reports whether there may be a directive in the text.
func HasDirective(text string) bool { return strings.Contains(text, "fairbridge:") }

// directiveSetters maps each key to what it sets. Flags take no value.
var directiveSetters = map[string]func(d *Directive, v string) error{
	"class":         func(d *Directive, v string) error { return setName(&d.Class, v) },
	"service":       func(d *Directive, v string) error { return setName(&d.Service, v) },
	"deadline":      func(d *Directive, v string) error { return setDeadline(&d.Deadline, v) },
	"value":         func(d *Directive, v string) error { return setDeadlineValue(&d.DeadlineValue, v) },
	"soft":          func(d *Directive, v string) error { return setFlag(&d.SoftDeadline, v) },
	"min":           func(d *Directive, v string) error { return setGPUs(&d.MinGPUs, v) },
	"max":           func(d *Directive, v string) error { return setGPUs(&d.MaxGPUs, v) },
	"types":         func(d *Directive, v string) error { return setGPUTypes(&d.GPUTypes, v) },
	"ckpt":          func(d *Directive, v string) error { return setCheckpointCost(&d.CheckpointCost, v) },
	"grace":         func(d *Directive, v string) error { return setGrace(d, v) },
	"signal":        func(d *Directive, v string) error { return setSignal(&d.Signal, v) },
	"preemptible":   func(d *Directive, v string) error { return setFlag(&d.Preemptible, v) },
	"shareable":     setShareable,
	"gpu_mem":       func(d *Directive, v string) error { return setGPUMemory(&d.GPUMemMB, v) },
	"gpu_busy":      func(d *Directive, v string) error { return setGPUBusy(&d.GPUBusyPercent, v) },
	"opportunistic": func(d *Directive, v string) error { return setFlag(&d.Opportunistic, v) },
	"quiet":         func(d *Directive, v string) error { return setFlag(&d.Quiet, v) },
	"idle":          setIdle,
}

func (d *Directive) setItem(item string) error {
	key, value, _ := strings.Cut(item, "=")
	f, ok := directiveSetters[key]
	if !ok {
		return fmt.Errorf("unknown key %q; known are %s", key, strings.Join(slices.Sorted(maps.Keys(directiveSetters)), ", "))
	}
	return f(d, value)
}

// setIdle reads what may be done with the job when its GPUs do no work.
func setIdle(d *Directive, v string) error {
	if d.RequeueIdle = v == "requeue"; !d.RequeueIdle && v != "no" {
		return errors.New("want idle=requeue or idle=no")
	}
	return nil
}

func setName(to *string, v string) error {
	if v == "" || len(v) > 64 {
		return errors.New("a name has 1 to 64 characters")
	}
	*to = v
	return nil
}

func setGPUs(to *int, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > maxDirectiveGPUs {
		return fmt.Errorf("want a GPU count from 1 to %d", maxDirectiveGPUs)
	}
	*to = n
	return nil
}

func setCheckpointCost(to *time.Duration, v string) error {
	t, err := time.ParseDuration(v)
	if err != nil || t <= 0 || t > maxCheckpointCost {
		return fmt.Errorf("a checkpoint cost looks like 90s or 5m, at most %v", maxCheckpointCost)
	}
	*to = t
	return nil
}

func setGrace(d *Directive, v string) error {
	t, err := time.ParseDuration(v)
	if err != nil || t < 0 || t > maxGrace || t%time.Second != 0 {
		return fmt.Errorf("a grace looks like 90s or 2m, at most %v", maxGrace)
	}
	d.Grace = &t
	return nil
}

func setSignal(to *Signal, v string) error {
	s, err := ParseSignal(v)
	if err == nil {
		*to = s
	}
	return err
}

func setFlag(to *bool, v string) error {
	switch v {
	case "", "yes", "true", "1":
		*to = true
	case "no", "false", "0":
		*to = false
	default:
		return errors.New("a flag is given alone, or as yes or no")
	}
	return nil
}

// setDeadline reads a time with its zone, or one without, which is of the zone that the daemon's host keeps.
func setDeadline(to *time.Time, v string) error {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if t, err := time.ParseInLocation(layout, v, time.Local); err == nil {
			*to = t.UTC()
			return nil
		}
	}
	return errors.New("a deadline looks like 2026-12-31T18:00, or 2026-12-31T18:00:00+01:00")
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
