package settings_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fairbridge/cmd/settings"
)

// What is wrong with reminders is told with its key, and no secret with it; what is right is read.
func TestReminders(t *testing.T) {
	const mail = "mail_server: m.example.org:587, mail_from: f@example.org, mail_domain: example.org"
	for text, want := range map[string]string{
		"": "", "after: []": "", "after: [30m, 2h], " + mail: "",
		"after: [30m], webhook_url: \"https://h.example.org/T0KEN\", webhook_secret_file: /x": "",
		"after: [30m]":              "reminders.after: give mail_server or webhook_url",
		"after: [5m], " + mail:      "reminders.after[0]: 5m0s is not between 10m0s",
		"after: [2h, 30m], " + mail: "30m0s does not come after 2h0m0s",
		"mail_server: m.example.org, mail_from: f@example.org, mail_domain: example.org": "is not host:port",
		"mail_server: \"m:25\", mail_from: \"a b\", mail_domain: example.org":            "mail_from",
		"mail_server: \"m:25\", mail_from: f@example.org":                                "mail_domain",
		mail + ", mail_user: x": "give both or none",
		mail + ", mail_user: x, mail_password_file: /x, mail_tls: none":            "in the clear",
		mail + ", mail_tls: maybe":                                                 "mail_tls",
		"webhook_url: \"http://h.example.org/T0KEN\", webhook_secret_file: /x":     "use https",
		"webhook_url: \"https://u:T0KEN@h.example.org/\", webhook_secret_file: /x": "holds a password",
		"webhook_url: \"https://h.example.org/T0KEN\"":                             "webhook_secret_file: not given",
		"per_owner: 0": "per_owner", "in_all: 0": "in_all", "min_gpus: 0": "min_gpus", "webhook_secret: x": `key "webhook_secret" is unknown`,
	} {
		f, err := settings.Parse("f.yaml", fmt.Appendf(nil, "cluster: c\nprobes: {url: \"https://{node}:1\"}\npartitions: [{name: gpu}, {name: dev}]\nreminders: {%s}\n", text))
		switch {
		case (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want):
			t.Errorf("%s: %v, want %q", text, err, want)
		case err != nil && strings.Contains(err.Error(), "T0KEN"):
			t.Errorf("a secret is in %v", err)
		case err == nil && f.Reminders.IsOn() != strings.Contains(text, "after: [30m"):
			t.Errorf("%s: on: %t", text, f.Reminders.IsOn())
		}
	}
	_, err := settings.Parse("f.yaml", []byte("cluster: c\npartitions: [{name: gpu}]\nreminders: {after: [30m], "+mail+"}\n"))
	if err == nil || !strings.Contains(err.Error(), "probes.url") {
		t.Errorf("without probes: %v", err)
	}
	f, err := settings.Parse("f.yaml", []byte("cluster: c\npartitions: [{name: gpu}, {name: dev}]\nreminders: {exempt_partitions: [dev], mail_other_domains: [UNI.edu]}\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := f.ReminderRules()
	if len(r.Partitions) != 1 || r.Partitions[0] != "gpu" || r.OtherMailDomains[0] != "uni.edu" || r.InteractiveGrace != 2*time.Hour || r.Cluster != "c" {
		t.Errorf("%+v", r)
	}
}
