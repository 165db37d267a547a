package records

import (
	"testing"

	"fairbridge/bridge/slurm"
)

// TestEachKeyIsWrittenOnce: no version has a key in two lines of a table.
func TestEachKeyIsWrittenOnce(t *testing.T) {
	once(t, "job", jobTable)
	once(t, "node", nodeTable)
	once(t, "partition", partitionTable)
	once(t, "reservation", reservationTable)
}

func once[R any](t *testing.T, kind string, table recordTable[R]) {
	t.Helper()
	for v := Version(38); v < 100; v++ {
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
			note(f.name, f.fromVersion, f.toVersion)
		}
		for _, f := range table.fields {
			note(f.name, f.fromVersion, f.toVersion)
		}
	}
}

// TestListsOfNamesAreText: Slurm writes some lists as one text, "" when empty.
func TestListsOfNamesAreText(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{{nil, ""}, {[]string{"a"}, "a"}, {[]string{"a", "b"}, "a,b"}} {
		p := []slurm.Partition{{AllowedAccounts: c.names, AllowedQOS: c.names}}
		old := (&Encoder{Version: 38}).EncodePartitions(p, nil)[0].(map[string]any)
		now := (&Encoder{Version: 45}).EncodePartitions(p, nil)[0].(map[string]any)
		for key, got := range map[string]any{
			"allowed_accounts": old["allowed_accounts"], "allowed_qos": old["allowed_qos"],
			"accounts": now["accounts"].(map[string]any)["allowed"], "qos": now["qos"].(map[string]any)["allowed"],
		} {
			if got != c.want {
				t.Errorf("%s of %v: %#v, want %q", key, c.names, got, c.want)
			}
		}
	}
}
