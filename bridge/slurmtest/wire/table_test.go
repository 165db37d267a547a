package wire

import "testing"

// TestEachKeyIsWrittenOnce: no version has a key in two lines of a table.
func TestEachKeyIsWrittenOnce(t *testing.T) {
	once(t, "job", jobTable)
	once(t, "node", nodeTable)
	once(t, "partition", partitionTable)
	once(t, "reservation", reservationTable)
}

func once[R any](t *testing.T, kind string, table table[R]) {
	t.Helper()
	for v := Version(38); v <= last; v++ {
		seen := map[string]bool{}
		note := func(key string, from, to Version) {
			if v < from || v > to {
				return
			}
			if seen[key] {
				t.Errorf("%s, v0.0.%d: %s stands twice", kind, v, key)
			}
			seen[key] = true
		}
		for _, f := range table.constants {
			note(f.name, f.from, f.to)
		}
		for _, f := range table.fields {
			note(f.name, f.from, f.to)
		}
	}
}
