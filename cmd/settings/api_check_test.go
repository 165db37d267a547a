package settings_test

import (
	"fmt"
	"strings"
	"testing"

	"fairbridge/cmd/settings"
)

func TestAPIChecks(t *testing.T) {
	const tls = "listen: ':9812', cert_file: /c, key_file: /k"
	for text, want := range map[string]string{
		"": "",
		tls + ", url: 'https://ctl:9812', proxy_header: X-Remote-User, proxy_secret_file: /s": "",
		"socket: off": "", "socket: /run/f/api.sock": "", "socket: api.sock": "neither off nor a whole path",
		"socket: /" + strings.Repeat("x", 107): "at most 107 bytes",
		"listen: ':9812'":                      "give cert_file and key_file", "listen: ':9812', cert_file: /c": "give cert_file and key_file",
		"listen: ctl, cert_file: /c, key_file: /k": "is not host:port",
		"cert_file: /c, key_file: /k":              "listen: not given", "url: 'https://ctl'": "listen: not given",
		tls + ", url: 'http://ctl'": "is not https://", tls + ", url: 'https://ctl/x'": "is not https://", tls + ", url: 'https://u:p@ctl'": "is not https://",
		tls + ", proxy_header: X-User": "both or none", tls + ", proxy_secret_file: /s": "both or none",
		"proxy_header: X-User, proxy_secret_file: /s":                      "give listen",
		tls + ", proxy_header: 'X User', proxy_secret_file: /s":            "cannot name who asks",
		tls + ", proxy_header: authorization, proxy_secret_file: /s":       "cannot name who asks",
		tls + ", proxy_header: x-fairbridge-secret, proxy_secret_file: /s": "cannot name who asks",
		"operators: [alice, '@staff', 'dom\\u', jörg, a.b]":                "", "operators: ['']": "neither a user", "operators: ['-x']": "neither a user", "operators: ['a b']": "neither a user", "operators: ['@']": "neither a user",
		"private: [jobs, usage, nodes]": "", "private: [none]": "", "private: [job]": "is none of jobs", "private: [none, jobs]": "stands alone",
		"unmunge: []": "", "unmunge: ['']": "want a program", "rate: 0": "is not between", "burst: 0": "is not between",
	} {
		_, err := settings.Parse("f.yaml", fmt.Appendf(nil, "cluster: c\npartitions: [{name: gpu}]\napi: {%s}", text))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
