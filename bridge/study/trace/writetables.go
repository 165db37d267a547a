package trace

import (
	"encoding/json"
	"fmt"
	"io"

	"fairbridge/bridge/study/workload"
)

// writeTables writes tables as decodeTables reads them.
func writeTables(w io.Writer, t *workload.Tables) error {
	file := map[string]map[string]map[string]any{}
	for _, typ := range t.Types() {
		file[typ] = map[string]map[string]any{}
		for _, k := range t.Classes(typ) {
			steps, _ := t.Alone(typ, k.Class, k.GPUs)
			speeds := map[string]any{alone: steps}
			for _, other := range t.Neighbours(typ, k.Class, k.GPUs) {
				mine, _ := t.Beside(typ, k.Class, k.GPUs, other)
				its, _ := t.Beside(typ, other, k.GPUs, k.Class)
				speeds[formKey(other, k.GPUs)] = [2]float64{mine, its}
			}
			file[typ][formKey(k.Class, k.GPUs)] = speeds
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(file)
}

// formKey is the opposite of tableKey.
func formKey(class string, gpus int) string { return fmt.Sprintf("('%s', %d)", class, gpus) }
