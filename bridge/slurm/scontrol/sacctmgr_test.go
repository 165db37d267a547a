package scontrol

import (
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/scripts/executable"
)

// slurmdbdShown is what sacctmgr of Slurm 24.11 shows, shortened.
const slurmdbdShown = `Configuration data as of 2026-11-23T18:52:55
AccountingStorageType  = accounting_storage/slurmdbd
PrivateData            = nodes
SLURM_VERSION          = 24.11.5

SlurmDBD configuration:
PluginDir              = /usr/lib/x86_64-linux-gnu/slurm-wlm
PrivateData            = jobs,usage
SLURMDBD_CONF          = /etc/slurm/slurmdbd.conf
SLURMDBD_VERSION       = 24.11.5
StorageType            = accounting_storage/mysql
`

// sacctmgrBeside makes a scontrol with a sacctmgr beside it that prints a text.
func sacctmgrBeside(t *testing.T, text string) Command {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\n[ \"$*\" = '-n show configuration' ] || exit 1\ncat <<'E'\n" + text + "E\n"
	if err := executable.Write(filepath.Join(dir, "sacctmgr"), []byte(script)); err != nil {
		t.Fatal(err)
	}
	return Command{filepath.Join(dir, "scontrol")}
}

func TestSlurmdbdConfig(t *testing.T) {
	conf := map[string]string{"AccountingStorageType": "accounting_storage/slurmdbd"}
	values, err := sacctmgrBeside(t, slurmdbdShown).ReadSlurmdbdConfig(t.Context(), conf)
	if err != nil || values["PrivateData"] != "jobs,usage" {
		t.Errorf("%v %v", values, err)
	}
	own, _, _ := strings.Cut(slurmdbdShown, "SLURMDBD_VERSION")
	for name, text := range map[string]string{
		"nothing": "", "slurm.conf only": strings.Split(slurmdbdShown, "SlurmDBD")[0], "no more than a heading": strings.Split(slurmdbdShown, "PluginDir")[0], "cut": own,
		"of slurm.conf, as in 26.05": strings.Replace(slurmdbdShown, "/mysql", "/slurmdbd", 1),
	} {
		if values, err := sacctmgrBeside(t, text).ReadSlurmdbdConfig(t.Context(), conf); err == nil {
			t.Errorf("%s: %v", name, values)
		}
	}
	if _, err := (Command{"/nowhere/scontrol"}).ReadSlurmdbdConfig(t.Context(), conf); err == nil {
		t.Error("a sacctmgr that is not there is asked")
	}
	for _, other := range []string{"", "(null)", "accounting_storage/none"} {
		if values, err := (Command{"/nowhere/scontrol"}).ReadSlurmdbdConfig(t.Context(), map[string]string{"AccountingStorageType": other}); err != nil || len(values) != 0 {
			t.Errorf("without slurmdbd (%q): %v %v", other, values, err)
		}
	}
}
