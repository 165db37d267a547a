package scontrol

import (
	"fmt"
	"strings"
	"testing"
)

// TestParseTopology: two leaves below a root and one that stands alone, as topology.conf of Slurm's guide is printed; comments,
// other kinds and a second topology are passed over.
func TestParseTopology(t *testing.T) {
	paths, err := ParseTopology([]byte(`SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-1]
SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[2-3],gpu07
SwitchName=s4 Level=1 LinkSpeed=1 Nodes=n[0-3],gpu07 Switches=s[0-1]
SwitchName=s9 Level=0 LinkSpeed=1 Nodes=n9 Switches=(null)
BlockName=b1 BlockIndex=0 Nodes=n[0-3] BlockSize=4
SwitchName=s0 Level=0 LinkSpeed=1 Nodes=other[0-1]
`))
	if err != nil {
		t.Fatal(err)
	}
	for node, want := range map[string]string{"n0": "[s0 s4]", "n3": "[s1 s4]", "gpu07": "[s1 s4]", "n9": "[s9]", "other0": "[]"} {
		if got := fmt.Sprint(paths[node]); got != want {
			t.Errorf("node %s: %s, want %s", node, got, want)
		}
	}
	for _, flat := range []string{"", "No topology information available\n", "BlockName=b1 Nodes=n[0-3]\n"} {
		if paths, err := ParseTopology([]byte(flat)); err != nil || len(paths) > 0 {
			t.Errorf("of %q: %v, %v", flat, paths, err)
		}
	}
}

// TestParseTopologyRefuses: what is no tree, and lists that cannot be read.
func TestParseTopologyRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"SwitchName=a Switches=c\nSwitchName=b Switches=c\nSwitchName=c Nodes=n1": "switch c is below a and b",
		"SwitchName=a Nodes=n[1-": "switch a: Nodes",
	} {
		if _, err := ParseTopology([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := ParseTopology([]byte("SwitchName=a Switches=b\nSwitchName=b Switches=a\nSwitchName=c Nodes=n1")); err != nil {
		t.Errorf("switches in a circle that no node is below: %v", err)
	}
}
