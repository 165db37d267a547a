package doctor

import (
	"context"
	"strings"

	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
	"fairbridge/bridge/slurm/scontrol"
)

// checkSlurmConf looks at the settings of slurmctld that fight us or that we rely on, as
// scontrol shows them, and at whether scontrol, slurmrestd and the configuration
// mean the same cluster. v is nil when Slurm could not be read.
func (r *Report) checkSlurmConf(ctx context.Context, command []string, order bridge.Order, cluster string, v *slurm.View) {
	values, err := scontrol.Command(command).ReadConfig(ctx)
	if err != nil {
		if v != nil && isNiceInvisible(order.Lever, v) {
			r.addFinding("settings", LevelFail, "install slurm-client here, or set slurm.scontrol", "API %s shows a job's nice only above 0, and scontrol cannot be asked: no order is pushed", v.APIVersion)
		}
		r.addFinding("settings", LevelSkip, "install slurm-client here, or set slurm.scontrol", "%v", err)
	} else {
		c := slurmSettings{valueByKey: values, orderLever: order.Lever, orderStrength: order.Strength}
		if v != nil {
			c.slurmRelease, c.apiVersion, c.hasSiteFactor = v.Release, v.APIVersion, v.CanWriteSiteFactor
		}
		r.checkSettings(c)
		if name := c.value("ClusterName"); name != "" && name != cluster {
			r.addFinding("cluster", LevelFail, "correct slurm.scontrol or cluster", "scontrol speaks for cluster %q, the configuration for %q", name, cluster)
		}
	}
	r.checkClusterName(ctx, command, v)
}

// isNiceInvisible reports whether the order is carried by nice where only scontrol
// shows it whatever it is.
func isNiceInvisible(lever bridge.Lever, v *slurm.View) bool {
	api, _ := rest.APIFromName(v.APIVersion)
	return !api.ShowsNice && (lever == bridge.LeverNice || lever == bridge.LeverAuto && !v.CanWriteSiteFactor)
}

// checkClusterName looks for a proof of which cluster slurmrestd speaks for, where REST does
// not tell.
func (r *Report) checkClusterName(ctx context.Context, command []string, v *slurm.View) {
	if v == nil || v.Cluster != "" {
		return
	}
	name, proven, err := scontrol.Command(command).ProveClusterName(ctx, v)
	switch {
	case err != nil:
		r.addFinding("cluster", LevelFail, "set slurm.scontrol to a scontrol of this cluster: until then nothing is pushed", "REST of Slurm %s does not tell which cluster it is, and scontrol does not prove it: %v", v.Release, err)
	case !proven:
		r.addFinding("cluster", LevelWarn, "look again when a job is there", "scontrol speaks for cluster %s; there is no job to prove by that slurmrestd does too", name)
	default:
		r.addOK("cluster", "slurmrestd speaks for cluster %s: it knows the same jobs as scontrol", name)
	}
}

// slurmSettings is what slurmctld is told, and what we want of it.
type slurmSettings struct {
	valueByKey    map[string]string
	orderLever    bridge.Lever
	orderStrength bridge.OrderStrength
	slurmRelease  string // "" when unknown, as is all below
	apiVersion    string
	hasSiteFactor bool // site_factor can be written
}

// value returns a setting, "" when it is not set.
func (c *slurmSettings) value(key string) string {
	if v := c.valueByKey[key]; v != "(null)" {
		return v
	}
	return ""
}

// hasWord reports whether a comma list holds a word.
func (c *slurmSettings) hasWord(key, word string) bool {
	for _, w := range strings.Split(c.value(key), ",") {
		if strings.EqualFold(strings.TrimSpace(w), word) {
			return true
		}
	}
	return false
}

// subvalue returns the value of "name=value" in a comma list.
func (c *slurmSettings) subvalue(key, name string) string {
	for _, w := range strings.Split(c.value(key), ",") {
		if k, v, ok := strings.Cut(strings.TrimSpace(w), "="); ok && k == name {
			return v
		}
	}
	return ""
}
