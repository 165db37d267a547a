package doctor

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
)

// patience bounds one run of scontrol.
const patience = 15 * time.Second

// Conf looks at the settings of slurmctld that fight us or that we rely on, as
// scontrol shows them. v is nil when Slurm could not be read.
func (r *Report) Conf(ctx context.Context, scontrol []string, order bridge.Order, v *slurm.View) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	argv := append(append([]string{}, scontrol...), "show", "config")
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	if err != nil {
		if v != nil && readsNice(order.Lever, v) {
			r.add("settings", Fail, "install slurm-client here, or set slurm.scontrol", "API %s shows a job's nice only above 0, and scontrol cannot be asked: no order is pushed", v.API)
		}
		r.add("settings", Skip, "install slurm-client here, or set slurm.scontrol", "running %s: %v%s", strings.Join(argv, " "), err, said(err))
		return
	}
	c := conf{value: parseConf(out), lever: order.Lever, strength: order.Strength}
	if v != nil {
		c.release, c.api, c.site = v.Release, v.API, v.SiteFactor
	}
	r.settings(c)
}

// readsNice reports whether the order is carried by nice where only scontrol
// shows it whatever it is.
func readsNice(lever bridge.Lever, v *slurm.View) bool {
	api, _ := rest.ParseName(v.API)
	return !api.Nice && (lever == bridge.LeverNice || lever == bridge.LeverAuto && !v.SiteFactor)
}

// said returns the first line that a failed program wrote to its standard
// error.
func said(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) || len(exit.Stderr) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
	return " (" + line + ")"
}

// conf is what slurmctld is told, and what we want of it.
type conf struct {
	value    map[string]string
	lever    bridge.Lever
	strength bridge.Strength
	release  string // "" when unknown, as is all below
	api      string
	site     bool // site_factor can be written
}

// get returns a setting, "" when it is not set.
func (c *conf) get(key string) string {
	if v := c.value[key]; v != "(null)" {
		return v
	}
	return ""
}

// has reports whether a comma list holds a word.
func (c *conf) has(key, word string) bool {
	for _, w := range strings.Split(c.get(key), ",") {
		if strings.EqualFold(strings.TrimSpace(w), word) {
			return true
		}
	}
	return false
}

// part returns the value of "name=value" in a comma list.
func (c *conf) part(key, name string) string {
	for _, w := range strings.Split(c.get(key), ",") {
		if k, v, ok := strings.Cut(strings.TrimSpace(w), "="); ok && k == name {
			return v
		}
	}
	return ""
}

// parseConf reads the lines "Key = value" of scontrol show config.
func parseConf(text []byte) map[string]string {
	values := map[string]string{}
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), "="); ok {
			values[strings.TrimSpace(k)] = strings.TrimSpace(v)
		}
	}
	return values
}
