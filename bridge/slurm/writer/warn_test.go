package writer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fairbridge/bridge/slurm"
)

// TestWarn: the one way to signal a job names the signal and the batch script,
// on every release, and nothing goes over HTTP.
func TestWarn(t *testing.T) {
	const array = `,"array_job_id":{"set":true,"infinite":false,"number":7},"array_task_id":{"set":true,"infinite":false,"number":3}`
	for _, c := range []struct {
		name    string
		version int
		record  string
		signal  slurm.Signal
		want    string
		class   slurm.ErrorClass
	}{
		{"newest", 45, record(45, "RUNNING", ""), slurm.USR1, "--batch --signal=USR1 7", ""},
		{"24.11", 42, record(42, "RUNNING", ""), slurm.TERM, "--batch --signal=TERM 7", ""},
		{"22.05", 38, record(38, "RUNNING", ""), slurm.CONT, "--batch --signal=CONT 7", ""},
		{"a task whose id is the array's", 42, record(42, "RUNNING", array), slurm.USR1, "--batch --signal=USR1 7_3", ""},
		{"no signal", 45, record(45, "RUNNING", ""), "", "", slurm.ErrorBadRequest},
		{"kill", 45, record(45, "RUNNING", ""), "KILL", "", slurm.ErrorBadRequest},
		{"a number", 45, record(45, "RUNNING", ""), "10", "", slurm.ErrorBadRequest},
		{"more than a name", 45, record(45, "RUNNING", ""), "USR1 --full", "", slurm.ErrorBadRequest},
		{"pending", 45, record(45, "PENDING", ""), slurm.USR1, "", slurm.ErrorJobChanged},
		{"ended", 45, record(45, "COMPLETED", ""), slurm.USR1, "", slurm.ErrorJobChanged},
		{"another run", 42, strings.Replace(record(42, "RUNNING", ""), `"restart_cnt":0`, `"restart_cnt":1`, 1), slurm.USR1, "", slurm.ErrorJobChanged},
	} {
		f := &fake{job: c.record}
		log := filepath.Join(t.TempDir(), "log")
		d := open(t, f, c.version, Config{Scancel: []string{"sh", "-c", `echo "$@" >>` + log, "scancel"}})
		r := run(7)
		if c.version < 44 {
			r.SLUID = ""
		}
		err := d.ApplyEdit(t.Context(), slurm.Edit{Run: r, Kind: slurm.EditWarn, Signal: c.signal, Value: 120})
		got, _ := os.ReadFile(log)
		if classOf(err) != c.class || strings.TrimSpace(string(got)) != c.want || len(f.writes) > 0 {
			t.Errorf("%s: %v, ran %q, sent %v; want %q and %q", c.name, err, got, f.writes, c.want, c.class)
		}
	}
}

func TestScancelIsFoundBesideScontrol(t *testing.T) {
	for in, want := range map[string]string{
		"scontrol": "scancel", "ssh ctl scontrol": "ssh ctl scancel", "/opt/scontrol/bin/scontrol": "/opt/scontrol/bin/scancel", "true": "",
	} {
		if got := ScancelFromScontrol(strings.Fields(in)); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %v, want %s", in, got, want)
		}
	}
	d := open(t, &fake{job: record(45, "RUNNING", "")}, 45, Config{Scontrol: []string{"true"}})
	if err := d.ApplyEdit(t.Context(), slurm.Edit{Run: run(7), Kind: slurm.EditWarn, Signal: slurm.USR1}); classOf(err) != slurm.ErrorBadRequest {
		t.Errorf("without scancel: %v", err)
	}
}
