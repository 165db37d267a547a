package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"

	"fairbridge/bridge/sim/work"
)

// alone is the key under which the tables keep the speed without a neighbour.
const alone = "null"

// ReadTables reads measured speeds in the format of Shockwave's and Gavel's
// throughput tables, packed by gzip or not: a JSON object of GPU types, in them
// "('Model (batch size N)', GPUs)", in them "null" for the steps per second
// alone or a neighbour of that key with both speeds. A speed of zero says that
// it does not fit there; such entries are kept, as zero.
func ReadTables(path string) (*work.Tables, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading throughput tables: %w", err)
	}
	defer f.Close()
	in, err := unpacked(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	t, err := decodeTables(in)
	if err != nil {
		return nil, fmt.Errorf("reading throughput tables of %s: %w", path, err)
	}
	return t, nil
}

func decodeTables(in io.Reader) (*work.Tables, error) {
	var file map[string]map[string]map[string]json.RawMessage
	if err := json.NewDecoder(in).Decode(&file); err != nil {
		return nil, fmt.Errorf("want JSON of GPU type, job type and speed: %w", err)
	}
	t := work.NewTables()
	for _, typ := range slices.Sorted(maps.Keys(file)) {
		for _, k := range slices.Sorted(maps.Keys(file[typ])) {
			if err := fill(t, typ, k, file[typ][k]); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", typ, k, err)
			}
		}
	}
	if len(file) == 0 {
		return nil, fmt.Errorf("no GPU types in it")
	}
	return t, nil
}

func fill(t *work.Tables, typ, k string, speeds map[string]json.RawMessage) error {
	class, gpus, err := tableKey(k)
	if err != nil {
		return err
	}
	for _, other := range slices.Sorted(maps.Keys(speeds)) {
		if other == alone {
			v, err := speedsOf(speeds[other], 1)
			if err != nil {
				return err
			}
			t.SetAlone(typ, class, gpus, v[0])
			continue
		}
		beside, n, err := tableKey(other)
		if err != nil {
			return err
		}
		v, err := speedsOf(speeds[other], 2)
		if err != nil {
			return fmt.Errorf("beside %s: %w", other, err)
		}
		if n == gpus { // others cannot be on the same GPUs
			t.SetBeside(typ, class, gpus, beside, v[0])
		}
	}
	return nil
}

// speedsOf reads one speed, or a list of so many.
func speedsOf(raw json.RawMessage, n int) ([]float64, error) {
	v := make([]float64, 1)
	var err error
	if n == 1 {
		err = json.Unmarshal(raw, &v[0])
	} else {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil || len(v) != n {
		return nil, fmt.Errorf("want %d speeds in steps per second, got %s", n, clip(string(raw)))
	}
	for _, x := range v {
		if x < 0 {
			return nil, fmt.Errorf("a speed of %g steps per second is negative", x)
		}
	}
	return v, nil
}

var tableKeyForm = regexp.MustCompile(`^\(['"](.+)['"], ?([0-9]+)\)$`)

// tableKey splits "('ResNet-18 (batch size 32)', 2)".
func tableKey(s string) (class string, gpus int, err error) {
	if m := tableKeyForm.FindStringSubmatch(s); m != nil {
		if gpus, err = strconv.Atoi(m[2]); err == nil && gpus > 0 {
			return m[1], gpus, nil
		}
	}
	return "", 0, fmt.Errorf("want a key like \"('ResNet-18 (batch size 32)', 2)\", got %q", clip(s))
}
