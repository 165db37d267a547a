package demo

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"fairbridge/bridge"
	"fairbridge/cmd/fairbridge-demo/workday"
	"fairbridge/policy/catalogue"
	"fairbridge/policy/paper"
)

//go:embed fairbridge.yaml.tmpl
var configTemplateText string

var configTemplate = template.Must(template.New("fairbridge.yaml").Funcs(template.FuncMap{"q": strconv.Quote, "list": yamlList}).Parse(configTemplateText))

// yamlList writes words as a YAML list.
func yamlList(words []string) string {
	q := make([]string, len(words))
	for i, w := range words {
		q[i] = strconv.Quote(w)
	}
	return "[" + strings.Join(q, ", ") + "]"
}

// daemonConfig is what the template is filled with.
type daemonConfig struct {
	Access   clusterAccess
	DSNFile  string
	Dir      string // of the journal and the STOP file
	Probes   string // URL of the node probes; "": none
	Policy   string
	Params   string
	Weights  map[string]float64
	Interval time.Duration
	Budgets  bridge.Budgets
	Lease    time.Duration
}

// text is the configuration file's.
func (c *daemonConfig) text() (string, error) {
	var text strings.Builder
	err := configTemplate.Execute(&text, c)
	return text.String(), err
}

// newDaemonConfig configures fairbridge for the day: its defaults, as many times faster
// as the day is, and budgets that suit 32 GPUs.
func newDaemonConfig(o *Options, p pace) *daemonConfig {
	c := &daemonConfig{Policy: o.Policy, Params: o.Params, Weights: workday.WeightsByAccount, Interval: p.interval}
	if c.Params == "" {
		c.Params = formatDayParams(o.Policy, p)
	}
	standard := bridge.DefaultConfig()
	c.Lease = max(workday.CompressTime(standard.Lease.Length, p.speed), time.Duration(float64(p.interval)*standard.Lease.Length.Seconds()/standard.Interval.Seconds()))
	c.Budgets = dayBudgets(standard.Budgets, standard.Interval, p)
	return c
}

// dayBudgets are the default budgets on the day. Times pass as fast as the day does, but
// for those that follow the interval. A percentage of 32 GPUs is less than a job, so stops are counted instead. An
// hour of the day is no hour of the clock: what may be done in an hour is what the day's
// hours may.
func dayBudgets(b bridge.Budgets, standardInterval time.Duration, p pace) bridge.Budgets {
	slower := float64(p.interval) / float64(standardInterval)
	b.EditCooldown = time.Duration(float64(b.EditCooldown) * slower)
	if p.speed > 1 {
		b.Skew = 3 * time.Second // so that leases may be short: both clocks are this machine's
	}
	b.LeaseMin = max(time.Duration(float64(b.LeaseMin)*slower), 2*b.Skew)
	b.SnapshotAge = 1
	b.Quantum, b.Cooldown = workday.CompressTime(b.Quantum, p.speed), workday.CompressTime(b.Cooldown, p.speed)
	b.RestartCost, b.DeadlineMargin = workday.CompressTime(b.RestartCost, p.speed), workday.CompressTime(b.DeadlineMargin, p.speed)
	b.StopPause = max(workday.CompressTime(b.StopPause, p.speed), time.Minute) // no less is allowed
	hours := int(min(p.speed, workday.Hours))
	b.JobStops4h = max(b.JobStops4h*hours/4, 1)
	b.UserStops1h, b.AccountStops1h = 10*hours, 10*hours
	b.StopPercent, b.StopFloor = 100, 2
	b.StopPercent1h, b.StopFloor1h, b.LostPercent1h = 100*float64(hours), 10*hours, 100
	return b
}

// formatDayParams writes a policy's own parameters that are times, or GPU time, as many
// times shorter as the day is faster. The rest, and all on a day in real time, stay at
// their defaults.
func formatDayParams(policyName string, p pace) string {
	system, err := catalogue.FindSystem(policyName)
	if err != nil || p.speed == 1 {
		return ""
	}
	var parts []string
	for i := range system.Params {
		if value := dayParam(&system.Params[i], p); value != "" {
			parts = append(parts, fmt.Sprintf("%s: %s", system.Params[i].Name, value))
		}
	}
	return strings.Join(parts, ", ")
}

// dayParam returns the value of a parameter on the day; "": its default.
func dayParam(param *paper.Param, p pace) string {
	switch param.Kind {
	case paper.KindDuration:
		text, _ := param.Default.(string)
		standard, err := time.ParseDuration(text)
		if err != nil || standard == 0 {
			return ""
		}
		return max(workday.CompressTime(standard, p.speed).Round(time.Second), time.Duration(param.Min*float64(time.Second)), time.Second).String()
	case paper.KindService:
		standard, _ := param.Default.(float64)
		return fmt.Sprint(max(math.Round(standard/p.speed), param.Min))
	}
	return ""
}

// Policies lists the policies that may act.
func Policies() []string {
	var names []string
	for _, s := range catalogue.Systems() {
		if s.ObserveOnly == "" { // it would change nothing to look at
			names = append(names, s.Name)
		}
	}
	return slices.Sorted(slices.Values(names))
}
