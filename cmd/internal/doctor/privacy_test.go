package doctor

import (
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/bridge/slurm/scontrol"
	"fairbridge/scripts/executable"
)

// TestPrivacyOfSlurmdbd: that it cannot be read is said where it matters.
func TestPrivacyOfSlurmdbd(t *testing.T) {
	command := func(kind, sacctmgr string) scontrol.Command {
		dir := t.TempDir()
		for name, text := range map[string]string{"scontrol": "echo AccountingStorageType = accounting_storage/" + kind, "sacctmgr": sacctmgr} {
			if err := executable.Write(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n")); err != nil {
				t.Fatal(err)
			}
		}
		return scontrol.Command{filepath.Join(dir, "scontrol")}
	}
	const good = "printf '\\nSlurmDBD configuration:\\nPrivateData = jobs\\nSLURMDBD_VERSION = 26.05.5\\n'"
	for name, r := range map[string]Report{
		"read": checkPrivacy(t.Context(), command("slurmdbd", good), nil), "configured": checkPrivacy(t.Context(), command("slurmdbd", "exit 1"), []string{"none"}),
		"no slurmdbd": checkPrivacy(t.Context(), command("none", "exit 1"), nil), "no scontrol": checkPrivacy(t.Context(), scontrol.Command{"/nowhere/scontrol"}, nil),
	} {
		if len(r) != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	r := checkPrivacy(t.Context(), command("slurmdbd", "exit 1"), nil)
	if len(r) != 1 || r[0].Level != LevelWarn || !strings.Contains(r[0].Fix, "api.private") {
		t.Errorf("%+v", r)
	}
}
