package settings_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/cmd/settings"
)

// TestStopIdleAfter: jobs are stopped because their GPUs do no work only in a mode that requeues, with probes, and after no less
// than the gate says; without a word none is.
func TestStopIdleAfter(t *testing.T) {
	const probes = "probes: {url: 'unix:/run/probes/{node}.sock'}\n"
	for text, want := range map[string]string{
		probes + "partitions: [{name: g, mode: preempt}]":                                                "",
		probes + "partitions: [{name: g, mode: preempt, stop_idle_after: 15m}]":                          "15m0s",
		probes + "partitions: [{name: g, mode: elastic, stop_idle_after: 2h}]":                           "2h0m0s",
		probes + "partitions: [{name: g, stop_idle_after: 2h}]":                                          "2h0m0s", // it observes, as if it were preempt
		probes + "partitions: [{name: g, plan_as: rank, stop_idle_after: 2h}]":                           "partitions[0].stop_idle_after: jobs are requeued in mode preempt and above; the mode is rank",
		probes + "partitions: [{name: g, mode: steer, stop_idle_after: 2h}]":                             "partitions[0].stop_idle_after: jobs are requeued in mode preempt and above; the mode is steer",
		probes + "partitions: [{name: g, mode: preempt, stop_idle_after: 14m59s}]":                       "partitions[0].stop_idle_after: 14m59s is less than gate.idle_min, 15m0s",
		probes + "partitions: [{name: g, mode: preempt, stop_idle_after: 10s}]\ngate: {idle_min: 5s}":    "10s",
		probes + "partitions: [{name: g, mode: preempt, stop_idle_after: 10s}]\ngate: {idle_min: 500ms}": "gate.idle_min: 500ms is not between 1s and 24h0m0s",
		probes + "partitions: [{name: g, mode: preempt, stop_idle_after: 800h}]":                         "partitions[0].stop_idle_after: 800h0m0s is not between",
		"partitions: [{name: g, mode: preempt, stop_idle_after: 2h}]":                                    "partitions[0].stop_idle_after: probes.url is not given",
	} {
		f, err := settings.Parse("f.yaml", []byte("cluster: c\n"+text+"\n"))
		if err != nil {
			if want == "" || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", text, err, want)
			}
			continue
		}
		c, err := f.LoopConfig()
		if err != nil {
			t.Fatal(err)
		}
		wanted, _ := time.ParseDuration(want)
		if got := c.Partitions[0].StopIdleAfter; got != wanted || wanted == 0 && want != "" {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
}
