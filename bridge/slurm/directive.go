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

// setShareable reads whether a job may share its GPUs, and whether with jobs of other users.
func setShareable(d *Directive, v string) error {
	d.SharesWithAll = v == "others"
	if d.SharesWithAll {
		v = ""
	}
	if err := setFlag(&d.Shareable, v); err != nil {
		return errors.New("shareable is given alone, as yes or no, or as shareable=others")
	}
	return nil
}

// maxGPUMemMB is more memory than any GPU has.
const maxGPUMemMB = 1 << 20

// setGPUMemory reads an amount of memory such as 12G or 800M.
func setGPUMemory(toMB *int64, v string) error {
	bytes, ok := parseQuantity(v, 1<<20) // a number alone is megabytes
	if n := len(v); n > 0 && v[n-1] > '9' {
		bytes, ok = parseQuantity(v, 1)
	}
	mb := bytes >> 20
	if !ok || mb < 1 || mb > maxGPUMemMB {
		return errors.New("the memory of a GPU looks like 12G or 800M")
	}
	*toMB = mb
	return nil
}

// setGPUBusy reads a percentage such as 30%.
func setGPUBusy(to *int, v string) error {
	n, err := strconv.Atoi(strings.TrimSuffix(v, "%"))
	if err != nil || n < 1 || n > 100 {
		return errors.New("the share of time in which a GPU computes looks like 30%")
	}
	*to = n
	return nil
}

// maxTimeSpan is the longest time span that is believed.
const maxTimeSpan = 100 * 366 * 24 * time.Hour

// ParseTimeSpan reads time spans as Slurm writes them: minutes, m:s, h:m:s, d-h, d-h:m and
// d-h:m:s. Words like UNLIMITED mean none: 0.
func ParseTimeSpan(s string) (time.Duration, error) {
	switch strings.ToUpper(s) {
	case "", "UNLIMITED", "PARTITION_LIMIT", "INVALID", "NOT_SET", "N/A", "INFINITE", "UNKNOWN":
		return 0, nil
	}
	days, rest, dashed := strings.Cut(s, "-")
	if !dashed {
		days, rest = "0", s
	}
	parts := strings.Split(rest, ":")
	units := map[int][]float64{1: {60}, 2: {60, 1}, 3: {3600, 60, 1}}[len(parts)]
	if dashed {
		units = []float64{3600, 60, 1}[:min(len(parts), 3)]
	}
	d, err := strconv.ParseFloat(days, 64)
	sum := 86_400 * d
	for i, p := range parts {
		if err != nil || i >= len(units) {
			break
		}
		var v float64
		v, err = strconv.ParseFloat(p, 64)
		sum += v * units[i]
	}
	if err != nil || len(parts) > 3 || !(sum >= 0 && sum <= maxTimeSpan.Seconds()) {
		return 0, fmt.Errorf("%.61q is no time span, want like 1-12:30:00", s)
	}
	return time.Duration(sum * float64(time.Second)), nil
}

// Signal is a signal that a job's script can be warned with. The list is
// closed: to Slurm a name that it does not know, and none at all, mean kill.
type Signal string

// The signals. A script that does not trap one is ended by it, except by CONT.
const (
	USR1 Signal = "USR1"
	USR2 Signal = "USR2"
	HUP  Signal = "HUP"
	INT  Signal = "INT"
	TERM Signal = "TERM"
	CONT Signal = "CONT"
)

// Signals are all of them.
var Signals = []Signal{USR1, USR2, HUP, INT, TERM, CONT}

// ParseSignal reads the name of a signal, with or without SIG.
func ParseSignal(name string) (Signal, error) {
	s := Signal(strings.TrimPrefix(name, "SIG"))
	if !s.IsKnown() {
		return "", fmt.Errorf("%.20q is not one of the signals %v", name, Signals)
	}
	return s, nil
}

// IsKnown reports whether the signal is on the list.
func (s Signal) IsKnown() bool { return slices.Contains(Signals, s) }
