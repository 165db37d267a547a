package replay

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/replica/sim"
)

// ParseSlurmConf reads the settings of Slurm that a simulation follows from slurm.conf, or
// from what "scontrol show config" prints of it. The rest is passed over. The
// error names every setting that makes no sense.
func ParseSlurmConf(text string) (sim.Config, error) {
	r := slurmConfParser{valuesByKey: map[string]string{}}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		key, v, ok := strings.Cut(line, "=")
		if v = strings.TrimSpace(v); ok && v != "" && v != "(null)" {
			r.valuesByKey[strings.ToLower(strings.TrimSpace(key))] = v
		}
	}
	for _, list := range []string{"schedulerparameters", "authinfo"} {
		for _, word := range strings.FieldsFunc(r.valuesByKey[list], func(c rune) bool { return c == ',' || c == ';' }) {
			key, v, _ := strings.Cut(strings.TrimSpace(word), "=")
			r.valuesByKey[list+" "+strings.ToLower(key)] = v
		}
	}
	c := r.newSimConfig()
	return c, errors.Join(r.errs...)
}

// slurmConfParser turns texts into numbers.
type slurmConfParser struct {
	valuesByKey map[string]string
	errs        []error
}

func (r *slurmConfParser) newSimConfig() sim.Config {
	const params = "schedulerparameters "
	c := sim.Config{
		MinJobAge: r.parseTime("minjobage", time.Second), PriorityCalcPeriod: r.parseTime("prioritycalcperiod", time.Minute),
		UsageHalfLife: r.parseTime("prioritydecayhalflife", time.Minute), PriorityMaxAge: r.parseTime("prioritymaxage", time.Minute),
		RequeueDelay: r.parseTime("authinfo cred_expire", time.Second), FullPassInterval: r.parseTime(params+"sched_interval", time.Second),
		BackfillInterval: r.parseTime(params+"bf_interval", time.Second), BackfillWindow: r.parseTime(params+"bf_window", time.Minute),
		BackfillResolution: r.parseTime(params+"bf_resolution", time.Second),
		BackfillDepth:      int(r.parseNumber(params + "bf_max_job_test")), EventPassDepth: int(r.parseNumber(params + "default_queue_depth")),
		MinPassInterval: r.parseTime(params+"batch_sched_delay", time.Second),
		PriorityWeights: sim.PriorityWeights{
			Age: r.parseNumber("priorityweightage"), FairShare: r.parseNumber("priorityweightfairshare"),
			JobSize: r.parseNumber("priorityweightjobsize"), Partition: r.parseNumber("priorityweightpartition"),
		},
		IsFairTree:    !strings.Contains(strings.ToUpper(r.valuesByKey["priorityflags"]), "NO_FAIR_TREE"),
		EnforceLimits: strings.Contains(r.valuesByKey["accountingstorageenforce"], "limits"),
	}
	if d := r.parseTime(params+"requeue_delay", time.Second); d > 0 {
		c.RequeueDelay = d
	}
	if r.valuesByKey["schedulertype"] == "sched/builtin" {
		c.BackfillInterval = -1
	}
	return c
}

func (r *slurmConfParser) parseNumber(key string) float64 {
	text, ok := r.valuesByKey[key]
	if !ok {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < 0 {
		r.errs = append(r.errs, fmt.Errorf("%s: want a number, not %q", key, text))
	}
	return v
}

// parseTime reads a time as Slurm writes it: a number of the unit, or D-HH:MM:SS.
func (r *slurmConfParser) parseTime(key string, unit time.Duration) time.Duration {
	text, ok := r.valuesByKey[key]
	if !ok {
		return 0
	}
	d, err := parseSlurmTime(strings.TrimSuffix(text, " sec"), unit)
	if err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s: want a time, not %q", key, text))
	}
	return d
}

func parseSlurmTime(text string, unit time.Duration) (time.Duration, error) {
	days, clock, dated := strings.Cut(text, "-")
	if !dated {
		days, clock = "0", text
	}
	parts := strings.Split(clock, ":")
	units := []time.Duration{unit}
	switch {
	case dated:
		units = []time.Duration{time.Hour, time.Minute, time.Second}
	case len(parts) == 2:
		units = []time.Duration{time.Minute, time.Second}
	case len(parts) == 3:
		units = []time.Duration{time.Hour, time.Minute, time.Second}
	}
	if len(parts) > len(units) {
		return 0, strconv.ErrSyntax
	}
	sum := time.Duration(0)
	for i, p := range slices.Concat([]string{days}, parts) {
		n, err := strconv.ParseUint(p, 10, 31)
		if err != nil {
			return 0, err
		}
		if i == 0 {
			sum = time.Duration(n) * 24 * time.Hour
			continue
		}
		sum += time.Duration(n) * units[i-1]
	}
	return sum, nil
}
