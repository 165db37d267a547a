package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge"
	"fairbridge/cmd/settings"
	"fairbridge/policy"
)

// problems returns what is wrong with a text, one problem a line.
func problems(t *testing.T, text string) []settings.Problem {
	t.Helper()
	_, err := settings.Parse("f.yaml", []byte(text))
	if err == nil {
		return nil
	}
	var one settings.Problem
	many, joined := err.(interface{ Unwrap() []error })
	if !joined {
		if !errors.As(err, &one) {
			t.Fatalf("not a problem with the file: %v", err)
		}
		return []settings.Problem{one}
	}
	var all []settings.Problem
	for _, e := range many.Unwrap() {
		if !errors.As(e, &one) {
			t.Fatalf("not a problem with the file: %v", e)
		}
		all = append(all, one)
	}
	return all
}

// least is a configuration with nothing but what must be given.
const least = "cluster: c\npartitions: [{name: gpu}]\n"

// TestProblems adds one wrong line to a good configuration. It stands at line
// 3.
func TestProblems(t *testing.T) {
	for _, tt := range []struct {
		text string
		line int
		col  int
		want string
	}{
		{"intervall: 30s", 3, 1, `key "intervall" is unknown, did you mean interval?`},
		{"xyzzy: 1", 3, 1, `key "xyzzy" is unknown, there are accounts, api, cluster, `},
		{"order: {levr: nice}", 3, 9, `order: key "levr" is unknown, did you mean lever?`},
		{"interval: 30", 3, 11, `interval: want a duration such as 30s, 10m or 12h, got "30"`},
		{"interval: soon", 3, 11, `interval: want a duration such as 30s, 10m or 12h, got "soon"`},
		{"interval: [30s]", 3, 11, "interval: want a duration such as 30s, 10m or 12h, got a list"},
		{"interval: 500ms", 3, 11, "interval: 500ms is not between 1s and 1h"},
		{"interval: -1s", 3, 11, "interval: -1s is not between"},
		{"interval: 30s\ninterval: 40s", 4, 1, ""}, // YAML's own words
		{"pin: yes please", 3, 6, `pin: want true or false, got "yes please"`},
		{"pin: 1", 3, 6, `pin: want true or false, got "1"`},
		{"warmup: 1.5", 3, 9, `warmup: want a whole number, got "1.5"`},
		{"warmup: 99999999999999999999", 3, 9, "warmup: want a"},
		{"warmup: 18446744073709551615", 3, 9, "warmup: want a whole number, got"},
		{"warmup: -1", 3, 9, "warmup: -1 is not between"},
		{"slurm: localhost", 3, 8, `slurm: want keys and values, got "localhost"`},
		{"slurm: {url: localhost:6820}", 3, 14, `slurm.url: "localhost:6820" is neither http://host:port`},
		{"slurm: {url: 'http://'}", 3, 14, `slurm.url: "http://" is neither`},
		{"slurm: {url: 'http://ctl:6820'}", 3, 14, `slurm.url: "http://ctl:6820" sends the token in clear over`},
		{"slurm: {url: 'unix:run/x'}", 3, 14, `slurm.url: "unix:run/x" is neither`},
		{"slurm: {url: 'http://[::1'}", 3, 14, "slurm.url: "},
		{"slurm: {url: 'https://u:pw@h'}", 3, 14, "slurm.url: holds a password; use slurm.token_file"},
		{"slurm: {timeout: 1ms}", 3, 18, "slurm.timeout: 1ms is not between 1s and 10m"},
		{"slurm: {rate: .nan}", 3, 15, "slurm.rate: NaN is not between"},
		{"slurm: {rate: .inf}", 3, 15, "slurm.rate: +Inf is not between"},
		{"slurm: {key_file: k}", 3, 8, "slurm.user: not given; with slurm.key_file it is the Slurm operator to sign for"},
		{"slurm: {scontrol: scontrol}", 3, 19, `slurm.scontrol: want a list, got "scontrol"`},
		{"slurm: {scontrol: []}", 3, 19, "slurm.scontrol: "},
		{"database: {half_life: 1m}", 3, 23, "database.half_life: 1m0s is not between 1h"},
		{"database: {keep_snapshots: -1h}", 3, 28, "database.keep_snapshots: -1h0m0s is not between"},
		{"database: {keep_samples: -1h}", 3, 26, "database.keep_samples: -1h0m0s is not between"},
		{"probes: {timeout: 0s}", 3, 19, "probes.timeout: 0s is not between 100ms"},
		{"probes: {max_age: 0s}", 3, 19, "probes.max_age: 0s is not between"},
		{"probes: {url: 'http://gpu1:9810'}", 3, 15, "probes.url: "},
		{"order: {lever: fast}", 3, 16, `order.lever: "fast" is none of auto, site_factor, nice, priority`},
		{"order: {strength: weak}", 3, 19, `order.strength: "weak" is none of within_qos, blend, override`},
		{"order: {window: 0}", 3, 17, "order.window: 0 is not between 1 and 10000"},
		{"lease: {length: 5s}", 3, 17, "lease.length: 5s is shorter than the interval"},
		{"leader: {ttl: 10s}", 3, 15, "leader.ttl: 10s is shorter than the interval"},
		{"log: {level: loud}", 3, 14, `log.level: "loud" is none of debug, info, warn, error`},
		{"log: {format: xml}", 3, 15, `log.format: "xml" is none of text, json`},
		{"gate: {quantum: 1ms}", 3, 17, "gate.quantum: 1ms is not between"},
		{"gate: {stop_percent: 101}", 3, 22, "gate.stop_percent: 101 is not between 0 and 100"},
		{"gate: {exempt_users: [root, '']}", 3, 22, "gate.exempt_users: entry 2 is empty"},
		{"gate: {exempt_jobs: [1, x]}", 3, 25, `gate.exempt_jobs[1]: want a whole number, got "x"`},
		{"accounts: {a: -1}", 3, 15, "accounts.a: -1 is not between 0 and 1e9"},
		{"accounts: {a: many}", 3, 15, `accounts.a: want a number, got "many"`},
		{"accounts: {a: .nan}", 3, 15, "accounts.a: NaN is not between 0 and 1e9"},
		{"accounts: [a]", 3, 11, "accounts: want keys and values, got a list"},
		{"gpus: {speed: {a100: 0}}", 3, 22, "gpus.speed.a100: 0 is not above 0"},
		{"gpus: {speed: 3}", 3, 15, `gpus.speed: want keys and values, got "3"`},
		{"accounts: &x {a: 1}", 3, 11, "accounts: anchors, aliases and tags are not understood"},
		{"listen: 'localhost:'", 3, 9, `listen: "localhost:" is not host:port`},
		{"probes: {url: 'ftp://{node}'}", 3, 15, "probes.url: "},
		{"probes: {url: '{node}:9810'}", 3, 15, "probes.url: "},
		{"probes: {url: 'http://{node}:9810'}", 3, 15, "probes.url: over http without a token any user"},
		{"listen: nowhere", 3, 9, `listen: "nowhere" is not host:port`},
		{"cluster2: ''", 3, 1, `key "cluster2" is unknown, did you mean cluster?`},
		{"warmup: 1.0", 3, 9, `warmup: want a whole number, got "1.0"`},
		{"warmup: '3'", 3, 9, `warmup: want a whole number, got "3"`},
		{"stop_file: 1.50", 3, 12, `stop_file: want a text, got "1.50"`},
		{"gate: {exempt_users: [0123]}", 3, 23, `gate.exempt_users[0]: want a text, got "0123"`},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got := problems(t, least+tt.text+"\n")
			if len(got) != 1 {
				t.Fatalf("want one problem, got %v", got)
			}
			if p := got[0]; p.Line != tt.line || p.Column != tt.col || !strings.HasPrefix(p.Text, tt.want) {
				t.Errorf("got  %v\nwant f.yaml:%d:%d: %s", p, tt.line, tt.col, tt.want)
			}
		})
	}
}

func TestPartitionProblems(t *testing.T) {
	for _, tt := range []struct {
		item string
		col  int
		want string
	}{
		{"{mode: rank}", 14, `partitions[0].name: "" is not a partition's name`},
		{"{name: 'a,b'}", 21, `partitions[0].name: "a,b" is not a partition's name`},
		{"{name: g, policy: dl2, mode: rank}", 43, "partitions[0].mode: policy dl2 may only observe: it was trained on drawn workloads only"},
		{"{name: g, mode: live}", 30, `partitions[0].mode: "live" is none of off, observe, rank, steer, preempt, elastic`},
		{"{name: g, plan_as: live}", 33, `partitions[0].plan_as: "live" is none of rank, steer, preempt`},
		{"{name: g, mode: rank, plan_as: steer}", 45, `partitions[0].plan_as: it is for mode observe`},
		{"{name: g, mode: rank, policy: fife}", 44, `partitions[0].policy: policy "fife" is unknown`},
		{"{name: g, policy: fife}", 32, `partitions[0].policy: policy "fife" is unknown, did you mean fifo?`},
		{"{name: g, policy: fifo, params: {backfil: easy}}", 46, `partitions[0].params: parameter "backfil" is unknown`},
		{"{name: g, policy: fifo, params: 3}", 46, `partitions[0].params: want keys and values, got "3"`},
		{"{name: g, deadline_budget: {a: -1}}", 45, "partitions[0].deadline_budget.a: -1 is not between 0 and 1e9"},
		{"{name: g, services: [{least: 1, request_time: 1s}]}", 35, "partitions[0].services[0].account: not given"},
		{"{name: g, services: [{account: a, least: 1}]}", 35, "partitions[0].services[0].request_time: not given"},
		{"{name: g, services: [{account: a, least: 3, most: 2, request_time: 1s}]}", 64, "partitions[0].services[0].most: 2 is less than least, 3"},
		{"{name: g, services: [{account: a, least: 1, request_time: 1s}, {account: a, least: 1, request_time: 1s}]}", 77, "partitions[0].services[1].name: account \"a\" has an entry for \"\" already"},
		{"gpu", 14, `partitions[0]: want keys and values, got "gpu"`},
	} {
		t.Run(tt.item, func(t *testing.T) {
			got := problems(t, "cluster: c\npartitions: ["+tt.item+"]\n")
			if len(got) == 0 || got[0].Line != 2 || got[0].Column != tt.col || !strings.HasPrefix(got[0].Text, tt.want) {
				t.Errorf("got %v\nwant f.yaml:2:%d: %s", got, tt.col, tt.want)
			}
		})
	}
	for text, want := range map[string]string{
		"cluster: ''": "cluster: not given", "cluster:": "cluster: not given", "cluster: [a]": "cluster: want a text", "cluster: 5": `cluster: want a text, got "5"`,
	} {
		if got := problems(t, text+"\npartitions: [{name: g}]\n"); len(got) != 1 || got[0].Line != 1 || !strings.HasPrefix(got[0].Text, want) {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
	if got := problems(t, "cluster: c\npartitions: [{name: g, policy: tiresias, params: {queues: 1, quues: 2}}]\n"); len(got) != 2 {
		t.Errorf("two wrong parameters: %v", got)
	}
	got := problems(t, "cluster: c\npartitions:\n  - name: g\n  - name: h\n  - name: g\n")
	if len(got) != 1 || got[0].Line != 5 || got[0].Text != `partitions[2].name: "g" is given twice` {
		t.Errorf("twice the same partition: %v", got)
	}
}

// TestAllProblemsAtOnce wants them in the order of the file: those of types and keys, and where there is none those of
// values.
func TestAllProblemsAtOnce(t *testing.T) {
	for text, want := range map[string][]int{
		"interval: 1\npin: 2\nxyzzy: 3\ngate: {cooldown: -1s}\norder: {window: -1}\n": {1, 2, 3},
		"order: {window: -1}\ngate: {cooldown: -1s}\n":                                {1, 2, 0, 0},
	} {
		got := problems(t, text)
		var lines []int
		for _, p := range got {
			lines = append(lines, p.Line)
		}
		if d := cmp.Diff(want, lines); d != "" {
			t.Errorf("%v\n%s", got, d)
		}
	}
}

func TestLoadRefusesWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		large: "has 2097152 bytes: that is not a configuration", dir: "is a directory", filepath.Join(dir, "none"): "fairbridge config example",
	} {
		if _, err := settings.Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

// TestValues reads what is set, in every way YAML writes it.
func TestValues(t *testing.T) {
	f, err := settings.Parse("f.yaml", []byte(`cluster: 'c'
slurm:
  url: unix:///run/slurmrestd.sock
  scontrol: [ssh, ctl, scontrol]
  rate: 7
database: {dsn_file: /etc/dsn, half_life: 1h30m}
partitions:
- name: gpu
  policy: tiresias
  params: {queues: [60, 3600]}
  deadline_budget: {vision: 2, "qos:urgent": 1, nlp: 0.5}
  services:
  - {account: web, least: 1, request_time: 1s}
  - {account: web, name: chat, least: 2, most: 9, spare: 1, within: 300ms, percent: 95, request_time: 80ms, setup: 2m}
accounts: {research: 2, "teaching": 0.5}
gpus: {speed: {h100: 3.0, a100: 1}}
gate:
probes:
  max_age: 2m
`))
	if err != nil {
		t.Fatal(err)
	}
	want := settings.NewDefaultFile()
	if f.Database.HalfLife != 90*time.Minute || f.Probes.MaxAge != 2*time.Minute || f.Slurm.Rate != 7 || len(f.Slurm.Scontrol) != 3 ||
		f.Accounts["teaching"] != 0.5 || f.Interval != want.Interval || f.Gate.Quantum != want.Gate.Quantum {
		t.Errorf("%+v", f)
	}
	c, err := f.LoopConfig()
	if err != nil {
		t.Fatal(err)
	}
	if p := c.Partitions[0]; p.Mode != "observe" || p.DecidingPolicy == nil || p.Params != "queues=[60 3600]" {
		t.Errorf("%+v", p)
	}
	if d := cmp.Diff([]policy.DeadlineBudget{{Account: "nlp", Weekly: 1800}, {Account: "vision", Weekly: 7200}, {QOS: "urgent", Weekly: 3600}}, c.Partitions[0].DeadlineBudgets); d != "" {
		t.Error("deadline budgets:", d)
	}
	services := []bridge.Service{
		{Account: "web", Name: "chat", Terms: policy.ReplicaScaling{Least: 2, Most: 9, Spare: 1, ResponseWithin: 300 * time.Millisecond, ResponsePart: .95, ServiceTime: 80 * time.Millisecond, SetupTime: 2 * time.Minute}},
		{Account: "web", Terms: policy.ReplicaScaling{Least: 1, ResponsePart: .99, ServiceTime: time.Second}},
	}
	if d := cmp.Diff(services, c.Partitions[0].Services); d != "" {
		t.Error("services:", d)
	}
	if d := cmp.Diff([]policy.Speed{{Type: "a100", Speed: 1}, {Type: "h100", Speed: 3}}, c.SiteGPUSpeeds); d != "" {
		t.Error("speeds of GPUs:", d)
	}
	if r := f.RESTConfig(); r.TokenEnv != "" || r.TokenFile != "" {
		t.Errorf("a local socket needs no token: %+v", r)
	}
	t.Setenv("SLURM_JWT", "x")
	if r := f.RESTConfig(); r.TokenEnv != "SLURM_JWT" {
		t.Errorf("the token of the environment is not used: %+v", r)
	}
}

func TestDSN(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dsn")
	if err := os.WriteFile(file, []byte("postgres://file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAIRBRIDGE_DATABASE", "postgres://env")
	f := settings.NewDefaultFile()
	if got, err := f.DSN(); got != "postgres://env" || err != nil {
		t.Errorf("from the environment: %q, %v", got, err)
	}
	f.Database.DSNFile = file
	if got, err := f.DSN(); got != "postgres://file" || err != nil {
		t.Errorf("from a file: %q, %v", got, err)
	}
	f.Database.DSNFile = file + ".gone"
	if _, err := f.DSN(); err == nil || !strings.Contains(err.Error(), "database.dsn_file") {
		t.Errorf("from a file that is gone: %v", err)
	}
}

// TestCanaries tries what may stand in a canary.
func TestCanaries(t *testing.T) {
	for text, want := range map[string]string{
		"policy: srtf, days_per_week: 2, since: 2026-03-02, until: 2026-03-29":                          "",
		"params: {max_wait: 12h}, weekdays: [tue, thu], since: 2026-03-02, until: 2026-03-29":           "",
		"policy: srtf, weekdays: [tue], since: 2026-03-02, until: 2026-03-29, time_zone: Europe/Berlin": "",
		"policy: srtf, days_per_week: 2, since: 2026-03-02":                                             `partitions[0].canary.until: "" is not the last day of the canary, such as 2026-03-29`,
		"policy: srtf, days_per_week: 2, until: 2026-03-29":                                             `partitions[0].canary.since: "" is not the first day of the canary, such as 2026-03-02`,
		"policy: srtf, days_per_week: 2, since: 2026-03-30, until: 2026-03-29":                          "partitions[0].canary.until: 2026-03-29 comes before since, 2026-03-30",
		"policy: srtf, days_per_week: 7, since: 2026-03-02, until: 2026-03-29":                          "partitions[0].canary.days_per_week: 7 is not between 1 and 6",
		"policy: srtf, since: 2026-03-02, until: 2026-03-29":                                            "partitions[0].canary.days_per_week: give either that or weekdays",
		"policy: srtf, days_per_week: 1, weekdays: [tue], since: 2026-03-02, until: 2026-03-29":         "partitions[0].canary.days_per_week: give either that or weekdays",
		"policy: srtf, weekdays: [tuesday], since: 2026-03-02, until: 2026-03-29":                       `partitions[0].canary.weekdays[0]: "tuesday" is none of sun, mon`,
		"policy: srtf, days_per_week: 1, since: 2026-03-02, until: 2026-03-29, time_zone: Mars":         `partitions[0].canary.time_zone: "Mars" is no time zone`,
		"policy: nonsense, days_per_week: 1, since: 2026-03-02, until: 2026-03-29":                      "partitions[0].canary.policy: ",
		"params: {nonsense: 1}, days_per_week: 1, since: 2026-03-02, until: 2026-03-29":                 "partitions[0].canary.params: ",
		"days_per_week: 1, since: 2026-03-02, until: 2026-03-29":                                        "partitions[0].canary.policy: it is the partition's own",
		"policy: srtf, days_per_week: 1, since: 2026-03-02, until: 2026-03-29, share: 2":                `partitions[0].canary: key "share" is unknown`,
	} {
		found := problems(t, "cluster: c\npartitions:\n  - name: gpu\n    canary: {"+text+"}\n")
		switch {
		case want == "" && len(found) > 0:
			t.Errorf("%s: %v", text, found)
		case want != "" && (len(found) != 1 || !strings.HasPrefix(found[0].Text, want) || found[0].Line != 4):
			t.Errorf("%s: %v, want %s at line 4", text, found, want)
		}
	}
}
