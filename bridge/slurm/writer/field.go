// Package writer is the only one that writes to Slurm. It knows the form of
// every kind of edit and its body for every API version, and nothing else.
//
// Bodies are built from an allow-list of fields, never from a struct: a field
// that is sent without being meant releases, resets or clears. There is no way
// to kill a job from here, none to release a job that somebody else holds, and
// no requeue without the Incomplete flag, which keeps a job that has finished
// from being run again. Only the script of a running batch job can be signalled,
// by a signal of a closed list: to Slurm an unknown or empty one means kill.
//
// Right before each write the STOP file and the permission of the leader are
// looked at. Writes are sent once and never retried.
package writer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// updateField is one field of an update.
type updateField struct {
	name  string
	value any // of the forms below only
}

// wrappedNumber is how v0.0.39 and later write a number that can be absent. Without
// set, Slurm ignores it in silence.
type wrappedNumber int64

// MarshalJSON writes {"set":true,"infinite":false,"number":N}.
func (n wrappedNumber) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `{"set":true,"infinite":false,"number":%d}`, int64(n)), nil
}

// allowedFields are all the fields this program can ever send in an update: those of the
// forms, and those by which the GPUs of a job are counted.
var allowedFields = func() []string {
	names := []string{"tres_per_node", "tres_per_job", "gres", "gpus"}
	for _, f := range slurm.EditForms {
		for _, name := range []string{f.RESTName, f.PlainRESTName} {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}()

// encodeUpdate writes the body of an update of one field, bound to the run where
// the release can do that.
func encodeUpdate(f updateField, fence string) ([]byte, error) {
	if !slices.Contains(allowedFields, f.name) {
		return nil, fmt.Errorf("field %q is not one of those that may be sent", f.name)
	}
	value, err := json.Marshal(f.value)
	if err != nil {
		return nil, fmt.Errorf("writing field %s: %w", f.name, err)
	}
	var b strings.Builder
	b.WriteString(`{"` + f.name + `":` + string(value))
	if fence != "" {
		b.WriteString(`,"step_id":{"sluid":"` + fence + `"}`)
	}
	b.WriteString("}")
	return []byte(b.String()), nil
}

// encodeRequeue writes the body of POST jobs/requeue for one job. The flag is
// a constant: Slurm requeues without protection when it is misspelt.
func encodeRequeue(address string) []byte {
	return []byte(`{"jobs":["` + address + `"],"flags":["Incomplete"]}`)
}

// sluidToBind returns the SLUID to bind an update to; "" where there is none.
func sluidToBind(run slurm.Run, offered bool) string {
	if !offered {
		return ""
	}
	return run.SLUID
}

// buildGPUField returns the field for a total of count GPUs of a type, "": the one asked for.
func buildGPUField(api rest.API, j *slurm.Job, count int64, wantedType string) (updateField, error) {
	if j.GresPerJob.Text != "" {
		typ, err := chooseGPUType(j.GresPerJob, wantedType)
		if err != nil {
			return updateField{}, err
		}
		if api.TakesPlainBodies {
			return updateField{"gpus", formatGPUCount(typ, count)}, nil
		}
		return updateField{"tres_per_job", "gres/gpu:" + formatGPUCount(typ, count)}, nil
	}
	typ, err := chooseGPUType(j.GresPerNode, wantedType)
	if asksShardsAlone(j) { // in place of its GPU: the type of that is only in what is wanted
		typ, err = wantedType, nil
	}
	if err != nil {
		return updateField{}, err
	}
	nodes := int64(max(j.NodeCount, 1))
	if count%nodes != 0 {
		return updateField{}, fmt.Errorf("%d GPUs cannot be spread evenly over the %d nodes of job %s", count, nodes, j.Label())
	}
	if api.TakesPlainBodies {
		return updateField{"gres", "gpu:" + formatGPUCount(typ, count/nodes)}, nil
	}
	return updateField{"tres_per_node", "gres/gpu:" + formatGPUCount(typ, count/nodes)}, nil
}

// chooseGPUType returns the wanted type of GPU, "": that of the request. A request for any type is given none: it
// could not be taken away again on every release.
func chooseGPUType(request slurm.GRESList, wanted string) (string, error) {
	asked, err := soleGPUType(request)
	if err == nil && asked == "" && wanted != "" {
		err = fmt.Errorf("the request %q is for GPUs of any type: it is not made one for %s", request.Text, wanted)
	}
	return cmp.Or(wanted, asked), err
}

// soleGPUType returns the type of GPU of a request that asks for GPUs of one kind
// and nothing else.
func soleGPUType(request slurm.GRESList) (string, error) {
	if request.UnreadReason != "" {
		return "", errors.New(request.UnreadReason)
	}
	if list := request.List; len(list) == 1 && list[0].Name == "gpu" && !strings.Contains(request.Text, ",") {
		return list[0].Type, nil
	}
	return "", fmt.Errorf("the request %q is not for GPUs alone, per job or per node", request.Text)
}

func formatGPUCount(typ string, count int64) string {
	if typ == "" {
		return strconv.FormatInt(count, 10)
	}
	return typ + ":" + strconv.FormatInt(count, 10)
}
