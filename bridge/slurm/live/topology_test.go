package live

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/scontrol"
	"fairbridge/scripts/executable"
)

// TestTopologyIsKept: it is asked for once in ten minutes, and what was read stays where scontrol fails.
func TestTopologyIsKept(t *testing.T) {
	dir := t.TempDir()
	write := func(script string) {
		if err := executable.Write(filepath.Join(dir, "scontrol"), []byte("#!/bin/sh\n"+script)); err != nil {
			t.Fatal(err)
		}
	}
	var kept topology
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	look := func(after time.Duration) string {
		v := &slurm.View{At: at.Add(after), Nodes: []slurm.Node{{Name: "n1"}, {Name: "n2"}}}
		kept.addToView(t.Context(), scontrol.Command{filepath.Join(dir, "scontrol")}, v)
		return fmt.Sprint(v.Nodes[0].Switches, v.Nodes[1].Switches)
	}
	write("echo 'SwitchName=s1 Level=0 Nodes=n1'; echo 'SwitchName=top Level=1 Nodes=n1 Switches=s1'")
	if got := look(0); got != "[s1 top] []" {
		t.Errorf("at first %s", got)
	}
	write("echo 'SwitchName=s2 Level=0 Nodes=n[1-2]'")
	if got := look(9 * time.Minute); got != "[s1 top] []" {
		t.Errorf("within ten minutes %s", got)
	}
	if got := look(11 * time.Minute); got != "[s2] [s2]" {
		t.Errorf("after ten minutes %s", got)
	}
	write("exit 1")
	if got := look(30 * time.Minute); got != "[s2] [s2]" {
		t.Errorf("where scontrol fails %s", got)
	}
}
