package door

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
)

// siteNeutral is the site factor that does nothing: Slurm subtracts it.
const siteNeutral = int64(1) << 31

// bounds say which edits may be sent at all.
type bounds struct {
	leaseMax      time.Duration
	allowHardHold bool
	now           func() time.Time
}

// fieldFor returns the one field by which this version does the edit.
func (b *bounds) fieldFor(api rest.API, e slurm.Edit) (field, error) {
	switch e.Kind {
	case slurm.SiteFactor:
		if !api.SiteFactor {
			return field{}, fmt.Errorf("%s cannot set a site factor: order by priority or nice there", api.Name())
		}
		return field{"site_factor", siteNeutral + e.Value}, nil
	case slurm.Nice:
		return field{"nice", e.Value}, nil
	case slurm.Priority:
		if api.Plain {
			return field{"priority", e.Value}, nil
		}
		return field{"priority", number(e.Value)}, nil
	case slurm.HardHold:
		if !b.allowHardHold {
			return field{}, fmt.Errorf("hard holds are not allowed: they stay if we die")
		}
		return field{"hold", true}, nil
	case slurm.Lease, slurm.Unlease:
		return b.begin(api, e)
	case slurm.Require:
		return nodeList(api, e.Nodes, "required_nodes", "nodelist"), nil
	case slurm.Exclude:
		return nodeList(api, e.Nodes, "excluded_nodes", "exclude_nodes"), nil
	}
	return field{}, fmt.Errorf("edit %q is not an update of one field", e.Kind)
}

// begin writes a begin time. A lease must lie ahead and not too far; the end
// of one is any time, of which the past means now.
func (b *bounds) begin(api rest.API, e slurm.Edit) (field, error) {
	now := b.now()
	ahead := e.Until.Sub(now)
	if e.Kind == slurm.Lease && (ahead <= 0 || ahead > b.leaseMax) {
		return field{}, fmt.Errorf("a lease until %s is not within the next %v", e.Until.UTC().Format(time.RFC3339), b.leaseMax)
	}
	at := e.Until.Unix()
	if e.Kind == slurm.Unlease && ahead <= 0 {
		at = now.Add(-time.Minute).Unix() // surely past by Slurm's clock too
	}
	if api.Plain {
		return field{"begin_time", "uts" + strconv.FormatInt(at, 10)}, nil
	}
	return field{"begin_time", number(at)}, nil
}

// nodeList writes a node list; none clears it. An empty list would be ignored
// in silence.
func nodeList(api rest.API, nodes []string, name, plain string) field {
	if api.Plain {
		return field{plain, strings.Join(nodes, ",")}
	}
	if len(nodes) == 0 {
		nodes = []string{""}
	}
	return field{name, nodes}
}
