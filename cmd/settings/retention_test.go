package settings_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/cmd/settings"
)

// A retention shorter than what is needed is refused, and says why; jobs are kept as long as their usage counts.
func TestRetention(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "",
		"retention: {jobs: 9600h}": "",
		"retention: {jobs: 0s}":    "",
		"retention: {jobs: 3000h}": "retention.jobs: 3000h0m0s is not between 3384h0m0s",
		"retention: {jobs: 9600h}\ndatabase: {half_life: 720h}": "shares rest on the usage of 20 half-lives",
		"retention: {decisions: 24h}":                           "the harm guard",
		"retention: {changes: 24h}":                             "the gate",
		"retention: {waiting_jobs: -1h}":                        "retention.waiting_jobs",
	} {
		_, err := settings.Parse("f.yaml", fmt.Appendf(nil, "cluster: c\npartitions: [{name: gpu}]\n%s\n", text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	f, err := settings.Parse("f.yaml", []byte("cluster: c\npartitions: [{name: gpu}]\nretention: {jobs: 9600h, decisions: 800h, changes: 0s}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := f.Retention()
	if r.Jobs != 9600*time.Hour || r.Cycles != 800*time.Hour || r.Intents != 0 || r.NeverStartedJobs != 8760*time.Hour || r.Readings != 336*time.Hour || r.Snapshots != 168*time.Hour {
		t.Errorf("%+v", r)
	}
}
