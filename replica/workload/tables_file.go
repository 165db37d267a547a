package workload

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

	"fairbridge/bridge/datafile"
	"fairbridge/bridge/printable"
)

// aloneEntryKey is the key under which the tables keep the speed without a neighbour.
const aloneEntryKey = "null"

// ReadSpeedTables reads measured speeds in the format of Shockwave's and Gavel's
// throughput tables, packed by gzip or not: a JSON object of GPU types, in them
// "('Model (batch size N)', GPUs)", in them "null" for the steps per second
// alone or a neighbour of that key with both speeds. A speed of zero says that
// it does not fit there; such entries are kept, as zero. A folder is read as readSpeedFolder says.
func ReadSpeedTables(path string) (*SpeedTables, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading throughput tables: %w", err)
	}
	defer f.Close()
	if is, err := f.Stat(); err == nil && is.IsDir() {
		return readSpeedFolder(path)
	}
	in, err := datafile.NewGunzipReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	t, err := DecodeSpeedTables(in)
	if err != nil {
		return nil, fmt.Errorf("reading throughput tables of %s: %w", path, err)
	}
	return t, nil
}

// DecodeSpeedTables is ReadSpeedTables for what is open already.
func DecodeSpeedTables(in io.Reader) (*SpeedTables, error) {
	var file map[string]map[string]map[string]json.RawMessage
	if err := json.NewDecoder(in).Decode(&file); err != nil {
		return nil, fmt.Errorf("want JSON of GPU type, job type and speed: %w", err)
	}
	var rows []SpeedRow
	for _, typ := range slices.Sorted(maps.Keys(file)) {
		for _, k := range slices.Sorted(maps.Keys(file[typ])) {
			more, err := parseSpeeds(typ, k, file[typ][k])
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", typ, k, err)
			}
			rows = append(rows, more...)
		}
	}
	if len(file) == 0 {
		return nil, fmt.Errorf("no GPU types in it")
	}
	return NewSpeedTables(rows), nil
}

// parseSpeeds reads what stands under one key of a GPU type.
func parseSpeeds(typ, k string, entries map[string]json.RawMessage) ([]SpeedRow, error) {
	class, gpus, err := parseTableKey(k)
	if err != nil {
		return nil, err
	}
	var rows []SpeedRow
	for _, other := range slices.Sorted(maps.Keys(entries)) {
		s := SpeedRow{GPUType: typ, Class: class, GPUCount: gpus}
		if other == aloneEntryKey {
			err = decodeSteps(entries[other], &s.StepsPerSecond)
		} else if beside, n, wrong := parseTableKey(other); wrong != nil || n != gpus {
			err = cmp.Or(wrong, fmt.Errorf("a neighbour of %d GPUs cannot share %d", n, gpus))
		} else {
			s.NeighbourClass = beside
			err = decodeSteps(entries[other], &s.StepsPerSecond, &s.NeighbourStepsPerSecond)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", other, err)
		}
		rows = append(rows, s)
	}
	return rows, nil
}

// decodeSteps reads one speed, or a list of several.
func decodeSteps(raw json.RawMessage, into ...*float64) error {
	v := make([]float64, 1)
	var err error
	if len(into) == 1 {
		err = json.Unmarshal(raw, &v[0])
	} else {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil || len(v) != len(into) {
		return fmt.Errorf("want %d speeds in steps per second, got %s", len(into), printable.Truncate(string(raw), 61))
	}
	for i, x := range v {
		if x < 0 {
			return fmt.Errorf("a speed of %g steps per second is negative", x)
		}
		*into[i] = x
	}
	return nil
}

var tableKeyPattern = regexp.MustCompile(`^\(['"](.+)['"], ?([0-9]+)\)$`)

// parseTableKey splits "('ResNet-18 (batch size 32)', 2)".
func parseTableKey(s string) (class string, gpus int, err error) {
	if m := tableKeyPattern.FindStringSubmatch(s); m != nil {
		if gpus, err = strconv.Atoi(m[2]); err == nil && gpus > 0 {
			return m[1], gpus, nil
		}
	}
	return "", 0, fmt.Errorf("want a key like \"('ResNet-18 (batch size 32)', 2)\", got %q", printable.Truncate(s, 61))
}

// SaveSpeedTables writes tables as ReadSpeedTables reads them, in the way of datafile.SaveFile.
func SaveSpeedTables(path string, t *SpeedTables, replace bool) error {
	return datafile.SaveFile(path, replace, t.writeJSON)
}

// writeJSON writes the tables as DecodeSpeedTables reads them.
func (t *SpeedTables) writeJSON(w io.Writer) error {
	file := map[string]map[string]map[string]any{}
	for _, typ := range t.GPUTypes() {
		file[typ] = map[string]map[string]any{}
		for _, k := range t.ClassSizes(typ) {
			steps, _ := t.StepsAlone(typ, k.Class, k.GPUs)
			speeds := map[string]any{aloneEntryKey: steps}
			for _, other := range t.Neighbours(typ, k.Class, k.GPUs) {
				mine, _ := t.StepsBeside(typ, k.Class, k.GPUs, other)
				its, _ := t.StepsBeside(typ, other, k.GPUs, k.Class)
				speeds[formatTableKey(other, k.GPUs)] = [2]float64{mine, its}
			}
			file[typ][formatTableKey(k.Class, k.GPUs)] = speeds
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(file)
}

// formatTableKey is the opposite of parseTableKey.
func formatTableKey(class string, gpus int) string { return fmt.Sprintf("('%s', %d)", class, gpus) }
