package trace

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"

	"fairbridge/bridge/study/workload"
)

// alone is the key under which the tables keep the speed without a neighbour.
const alone = "null"

// ReadTables reads measured speeds in the format of Shockwave's and Gavel's
// throughput tables, packed by gzip or not: a JSON object of GPU types, in them
// "('Model (batch size N)', GPUs)", in them "null" for the steps per second
// alone or a neighbour of that key with both speeds. A speed of zero says that
// it does not fit there; such entries are kept, as zero.
func ReadTables(path string) (*workload.Tables, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading throughput tables: %w", err)
	}
	defer f.Close()
	in, err := unpacked(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	t, err := DecodeTables(in)
	if err != nil {
		return nil, fmt.Errorf("reading throughput tables of %s: %w", path, err)
	}
	return t, nil
}

// DecodeTables is ReadTables for what is open already.
func DecodeTables(in io.Reader) (*workload.Tables, error) {
	var file map[string]map[string]map[string]json.RawMessage
	if err := json.NewDecoder(in).Decode(&file); err != nil {
		return nil, fmt.Errorf("want JSON of GPU type, job type and speed: %w", err)
	}
	var rows []workload.Speed
	for _, typ := range slices.Sorted(maps.Keys(file)) {
		for _, k := range slices.Sorted(maps.Keys(file[typ])) {
			more, err := speeds(typ, k, file[typ][k])
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", typ, k, err)
			}
			rows = append(rows, more...)
		}
	}
	if len(file) == 0 {
		return nil, fmt.Errorf("no GPU types in it")
	}
	return workload.NewTables(rows), nil
}

// speeds reads what stands under one key of a GPU type.
func speeds(typ, k string, entries map[string]json.RawMessage) ([]workload.Speed, error) {
	class, gpus, err := tableKey(k)
	if err != nil {
		return nil, err
	}
	var rows []workload.Speed
	for _, other := range slices.Sorted(maps.Keys(entries)) {
		s := workload.Speed{Type: typ, Class: class, GPUs: gpus}
		if other == alone {
			err = readSpeeds(entries[other], &s.Steps)
		} else if beside, n, wrong := tableKey(other); wrong != nil || n != gpus {
			err = cmp.Or(wrong, fmt.Errorf("a neighbour of %d GPUs cannot share %d", n, gpus))
		} else {
			s.Other = beside
			err = readSpeeds(entries[other], &s.Steps, &s.OtherSteps)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", other, err)
		}
		rows = append(rows, s)
	}
	return rows, nil
}

// readSpeeds reads one speed, or a list of several.
func readSpeeds(raw json.RawMessage, into ...*float64) error {
	v := make([]float64, 1)
	var err error
	if len(into) == 1 {
		err = json.Unmarshal(raw, &v[0])
	} else {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil || len(v) != len(into) {
		return fmt.Errorf("want %d speeds in steps per second, got %s", len(into), clip(string(raw)))
	}
	for i, x := range v {
		if x < 0 {
			return fmt.Errorf("a speed of %g steps per second is negative", x)
		}
		*into[i] = x
	}
	return nil
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
