package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/cmd/settings"
)

func TestCanaries(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"mode: rank, canary: {policy: srtf, days_per_week: 2, seed: 1, since: 2026-03-02, until: 2026-03-29}":            "ok partition gpu: srtf can be judged from 2026-03-14 on; it decides next on 2026-03-05 (",
		"mode: rank, canary: {policy: srtf, days_per_week: 2, seed: 1, since: 2026-02-02, until: 2026-03-01}":            "warn partition gpu: the canary srtf has ended on 2026-03-01, and fairbridge decides alone",
		"mode: rank, canary: {policy: srtf, days_per_week: 2, seed: 1, since: 2026-03-02, until: 2026-03-08}":            "warn partition gpu: the canary srtf can never be judged: from 2026-03-02 to 2026-03-08 there are fewer than 4 days",
		"mode: rank, canary: {policy: srtf, weekdays: [sat, sun], since: 2026-03-02, until: 2026-03-10}":                 "warn partition gpu: the canary srtf can never be judged",
		"mode: rank, canary: {params: {min_run: 600s}, days_per_week: 2, seed: 1, since: 2026-03-02, until: 2026-03-29}": "warn partition gpu: the canary fairbridge min_run=600s is the same as fairbridge",
		"mode: rank, canary: {params: {min_run: 601s}, days_per_week: 2, seed: 1, since: 2026-03-02, until: 2026-03-29}": "ok partition gpu: fairbridge min_run=601s can be judged",
		"mode: observe, canary: {policy: srtf, days_per_week: 2, seed: 1, since: 2026-03-02, until: 2026-03-29}":         "warn partition gpu: the canary srtf is tried in mode observe",
		"mode: rank": "",
	} {
		path := filepath.Join(t.TempDir(), "fairbridge.yaml")
		if err := os.WriteFile(path, fmt.Appendf(nil, "cluster: c\nslurm: {url: 'http://127.0.0.1:1', token_file: token}\npartitions:\n  - {name: gpu, %s}\n", text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := settings.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, x := range checkCanaries(f, now) {
			got += string(x.Level) + " " + x.Text
			if (x.Level == LevelWarn) != (x.Fix != "") {
				t.Errorf("%s: a warning has a fix, and nothing else: %q", text, x.Fix)
			}
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s:\n%q, want\n%q", text, got, want)
		}
	}
}
