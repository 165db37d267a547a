package writer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"fairbridge/bridge/slurm"
)

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
