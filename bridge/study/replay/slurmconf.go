package replay

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/sim"
)

// ParseSlurmConf reads the settings of Slurm that a simulation follows from slurm.conf, or
// from what "scontrol show config" prints of it. The rest is passed over. The
// error names every setting that makes no sense.
func ParseSlurmConf(text string) (sim.Config, error) {
	r := slurmConf{valuesByKey: map[string]string{}}
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
	c := r.config()
	return c, errors.Join(r.errs...)
}

// slurmConf turns texts into numbers.
type slurmConf struct {
	valuesByKey map[string]string
	errs        []error
}

func (r *slurmConf) config() sim.Config {
	const params = "schedulerparameters "
	c := sim.Config{
		MinJobAge: r.time("minjobage", time.Second), PriorityCalcPeriod: r.time("prioritycalcperiod", time.Minute),
		UsageHalfLife: r.time("prioritydecayhalflife", time.Minute), PriorityMaxAge: r.time("prioritymaxage", time.Minute),
		RequeueDelay: r.time("authinfo cred_expire", time.Second), FullPassInterval: r.time(params+"sched_interval", time.Second),
		BackfillInterval: r.time(params+"bf_interval", time.Second), BackfillWindow: r.time(params+"bf_window", time.Minute),
		BackfillDepth: int(r.number(params + "bf_max_job_test")), EventPassDepth: int(r.number(params + "default_queue_depth")),
		MinPassInterval: r.time(params+"batch_sched_delay", time.Second),
		PriorityWeights: sim.PriorityWeights{
			Age: r.number("priorityweightage"), FairShare: r.number("priorityweightfairshare"),
			JobSize: r.number("priorityweightjobsize"), Partition: r.number("priorityweightpartition"),
		},
		EnforceLimits: strings.Contains(r.valuesByKey["accountingstorageenforce"], "limits"),
	}
	if d := r.time(params+"requeue_delay", time.Second); d > 0 {
		c.RequeueDelay = d
	}
	if r.valuesByKey["schedulertype"] == "sched/builtin" {
		c.BackfillInterval = -1
	}
	return c
}

func (r *slurmConf) number(key string) float64 {
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

// time reads a time as Slurm writes it: a number of the unit, or D-HH:MM:SS.
func (r *slurmConf) time(key string, unit time.Duration) time.Duration {
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
