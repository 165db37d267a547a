package writer

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/rest"
)

// neutralSiteFactor is the site factor that does nothing: Slurm subtracts it.
const neutralSiteFactor = int64(1) << 31

// fieldEncoder turns edits into fields, and says which may be sent at all.
type fieldEncoder struct {
	leaseMax      time.Duration
	allowHardHold bool
	now           func() time.Time
}

// encodeEdit returns the one field by which this version does the edit.
func (b *fieldEncoder) encodeEdit(api rest.API, e slurm.Edit) (updateField, error) {
	form, ok := e.Kind.Form()
	if !ok || form.Encoding == slurm.EncodingOwnCall {
		return updateField{}, fmt.Errorf("edit %q is not an update of one field", e.Kind)
	}
	name := form.RESTName
	if api.TakesPlainBodies && form.PlainRESTName != "" {
		name = form.PlainRESTName
	}
	value, err := valueEncoderByEncoding[form.Encoding](b, api, e)
	return updateField{name, value}, err
}

// valueEncoderByEncoding has the functions that write what an edit carries.
var valueEncoderByEncoding = map[slurm.EditEncoding]func(b *fieldEncoder, api rest.API, e slurm.Edit) (any, error){
	slurm.EncodingInteger:       func(_ *fieldEncoder, _ rest.API, e slurm.Edit) (any, error) { return e.Value, nil },
	slurm.EncodingWrappedNumber: func(_ *fieldEncoder, api rest.API, e slurm.Edit) (any, error) { return encodeNumber(api, e.Value), nil },
	slurm.EncodingSiteFactor: func(_ *fieldEncoder, api rest.API, e slurm.Edit) (any, error) {
		if !api.WritesSiteFactor {
			return nil, fmt.Errorf("%s cannot set a site factor: order by priority or nice there", api.Name())
		}
		return neutralSiteFactor + e.Value, nil
	},
	slurm.EncodingTime:  (*fieldEncoder).encodeBeginTime,
	slurm.EncodingNodes: func(_ *fieldEncoder, api rest.API, e slurm.Edit) (any, error) { return encodeNodes(api, e.Nodes), nil },
	slurm.EncodingText: func(_ *fieldEncoder, api rest.API, e slurm.Edit) (any, error) {
		if !api.WritesAdminComment {
			return nil, fmt.Errorf("%s cannot write an admin_comment: Slurm 23.11 and later can", api.Name())
		}
		return e.Text, nil
	},
	slurm.EncodingHold: func(b *fieldEncoder, _ rest.API, _ slurm.Edit) (any, error) {
		if !b.allowHardHold {
			return nil, fmt.Errorf("hard holds are not allowed: they stay if we die")
		}
		return true, nil
	},
}

// encodeNumber writes a number that can be absent.
func encodeNumber(api rest.API, v int64) any {
	if api.TakesPlainBodies {
		return v
	}
	return wrappedNumber(v)
}

// encodeBeginTime writes a time. A lease must lie ahead and not too far; others may be any
// time, of which the past means now.
func (b *fieldEncoder) encodeBeginTime(api rest.API, e slurm.Edit) (any, error) {
	form, _ := e.Kind.Form()
	now := b.now()
	ahead := e.Until.Sub(now)
	at := e.Until.Unix()
	switch {
	case form.NeedsFutureUntil && (ahead <= 0 || ahead > b.leaseMax):
		return nil, fmt.Errorf("a lease until %s is not within the next %v", e.Until.UTC().Format(time.RFC3339), b.leaseMax)
	case ahead <= 0:
		at = now.Add(-time.Minute).Unix() // surely past by Slurm's clock too
	}
	if api.TakesPlainBodies {
		return "uts" + strconv.FormatInt(at, 10), nil
	}
	return wrappedNumber(at), nil
}

// encodeNodes writes a node list; none clears it. An empty list would be ignored
// in silence.
func encodeNodes(api rest.API, nodes []string) any {
	if api.TakesPlainBodies {
		return strings.Join(nodes, ",")
	}
	if len(nodes) == 0 {
		nodes = []string{""}
	}
	return nodes
}
