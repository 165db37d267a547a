package pseudonym

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"fairbridge/api/page/recording"
)

func decode(t *testing.T, text []byte) (doc any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// hostile are names that are hard to find: of one letter class, with marks, spaces and signs, words of English and of JSON.
var hostile = map[string]string{
	"alice": "Zoë.O'Brien@example.org", "bob": "xyzzy", "carol": "mueller_42", "research": "geheim/projekt", "teaching": "Ab Cd Ef", "vision": "waiting",
	"n1": "node.secret-site.example", "n2": "qx7", "n3": "zz-9", "n4": `we"ird\name`,
	"finetune-5": "paper for NeurIPS <b>", "finetune-6": "=cmd|'/c calc'!A1", "experiment-wide": "/home/zoe/job.sh", "sim": "uni-kleinstadt",
}

// hostileDemo is the recording of the demonstration, with other names in names and in sentences.
func hostileDemo(t *testing.T) []byte {
	t.Helper()
	rec, err := recording.Demo()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := rec.Write(&b); err != nil {
		t.Fatal(err)
	}
	var rename func(v any) any
	var pairs []string
	for _, from := range []string{"alice", "bob", "carol", "research", "teaching", "vision", "n1", "n2", "n3", "n4", "finetune-5", "finetune-6", "experiment-wide"} {
		pairs = append(pairs, from, hostile[from])
	}
	names := strings.NewReplacer(pairs...)
	rename = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				v[k] = rename(v[k])
			}
			if v["cluster"] == "sim" {
				v["cluster"] = hostile["sim"]
			}
		case []any:
			for i := range v {
				v[i] = rename(v[i])
			}
		case string:
			return names.Replace(v)
		}
		return v
	}
	text, err := json.Marshal(rename(decode(t, b.Bytes())))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestNoNameIsLeft takes a whole recording with hostile names in names and sentences: none is left in the bytes, and it is
// still a recording, with as many jobs, that tells jobs of one user from those of another.
func TestNoNameIsLeft(t *testing.T) {
	doc := decode(t, hostileDemo(t))
	m := New([]byte("key"))
	m.Learn(doc)
	text, err := json.Marshal(m.Document(doc))
	if err != nil {
		t.Fatal(err)
	}
	for was, name := range hostile {
		if !bytes.Contains(hostileDemo(t), []byte(strings.Split(name, "'")[0][:2])) {
			t.Fatalf("%q was not there before: the test is broken", name)
		}
		found := bytes.Index(bytes.ToLower(text), []byte(strings.ToLower(strings.Trim(fmt.Sprintf("%q", name), `"`))))
		if name == "waiting" { // is in keys too, which say nothing of names
			found = bytes.Index(bytes.ReplaceAll(text, []byte("waiting_"), nil), []byte(name))
		}
		if found >= 0 {
			t.Errorf("%q (once %s) is left: …%s…", name, was, text[max(0, found-60):min(len(text), found+60)])
		}
	}
	rec, err := recording.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	demo, err := recording.Demo()
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.QueueAnswer.Jobs) != len(demo.QueueAnswer.Jobs) || len(rec.Jobs) != len(demo.Jobs) || len(rec.Reports) != len(demo.Reports) || !rec.At.Equal(demo.At) {
		t.Error("jobs, stories, reports or the time are other ones")
	}
	same := map[string]string{}
	for i, j := range demo.QueueAnswer.Jobs {
		now := rec.QueueAnswer.Jobs[i]
		if was, ok := same[j.User]; ok && was != now.User || now.User == "" || rec.Jobs[now.Address] == nil != (demo.Jobs[j.Address] == nil) || now.GPUs != j.GPUs || now.State != j.State {
			t.Errorf("job %s of %s became %s of %s, %s", j.Address, j.User, now.Address, now.User, now.State)
		}
		same[j.User] = now.User
	}
}

// TestSentences keeps our words and replaces everything else.
func TestSentences(t *testing.T) {
	m := New([]byte("key"))
	m.Know("user", "ann")
	m.Know("account", "waits")
	m.Know("name", "Room on One node")
	m.Number(4711)
	name := m.Name
	for text, want := range map[string]string{
		"job 15 cannot start: 8 GPUs over 2 nodes, none is free": "job " + formatNumber(m.Number(15)) + " cannot start: 8 GPUs over 2 nodes, none is free",
		"Ann waits":              name("user", "ann") + " " + name("account", "waits"),
		"jobs 15, 16 and 4711_3": "jobs " + formatNumber(m.Number(15)) + ", " + formatNumber(m.Number(16)) + " and " + formatNumber(m.Number(4711)) + "_3",
		"it has run 2h26m, 0.45 of its share, since 2026-11-27": "it has run 2h26m, 0.45 of its share, since 2026-11-27",
		`the comment "free the job" could not be read`:          "the comment “" + name("text", "free the job") + "” could not be read",
		"10.1.2.3:6822: refused":                                name("text", "10.1.2.3") + ":6822: refused",
		"write to root@hpc.example.org or /home/job":            "write to " + name("text", "root@hpc.example.org") + " or " + name("text", "/home/job"),
		"user id 1000":                                "user id " + formatNumber(m.Number(1000)),
		"5 jobs, 4 nodes of Slurm 26.05.5":            "5 jobs, 4 nodes of Slurm 26.05.5",
		"needs room on gpu-node-7 and node.test":      "needs room on " + name("text", "gpu-node-7") + " and " + name("text", "node.test"),
		"keeps Room on One node, or room on one node": "keeps " + name("name", "room on one node") + ", or " + name("name", "room on one node"),
		"hunter2": name("text", "hunter2"),
	} {
		if got := m.Text(text); got != want {
			t.Errorf("%q became\n%q, want\n%q", text, got, want)
		}
	}
}

// TestKeys: one key gives the same, another other pseudonyms; none tells its name or another's.
func TestKeys(t *testing.T) {
	a, b := New([]byte("a")), New([]byte("b"))
	if a.Name("user", "Ann") != New([]byte("a")).Name("user", "ann") || a.Name("user", "ann") == b.Name("user", "ann") || a.Name("user", "ann") == a.Name("user", "anna") {
		t.Error("names do not go by the key and the name")
	}
	if a.Number(0) != 0 || a.Number(7) == 7 || a.Number(7) != New([]byte("a")).Number(7) || a.Number(7) == b.Number(7) {
		t.Error("numbers do not go by the key and the number")
	}
	if got := a.Mapping()[a.Name("user", "ann")]; got != "ann" {
		t.Errorf("the mapping says %q", got)
	}
}

// TestLines replaces in lines of a log, whose numbers are texts.
func TestLines(t *testing.T) {
	m := New([]byte("key"))
	got, err := json.Marshal(m.Document(map[string]any{"job": "47_3", "metric": "fairbridge_cycles_total", "user": "ann", "msg": "requeued", "uid": "1000", "took": "44ms"}))
	want := fmt.Sprintf(`{"job":"%d_3","metric":"fairbridge_cycles_total","msg":"requeued","took":"44ms","uid":"%d","user":"%s"}`, m.Number(47), m.Number(1000), m.Name("user", "ann"))
	if err != nil || string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSettings keeps what Slurm's settings say.
func TestSettings(t *testing.T) {
	m := New([]byte("key"))
	doc := map[string]any{"settings": map[string]any{"SchedulerParameters": "bf_window=10080,bf_max_job_test=500,bf_zoe", "PriorityWeightFairShare": "100000"}}
	got, err := json.Marshal(m.Document(doc))
	want := `{"settings":{"PriorityWeightFairShare":"100000","SchedulerParameters":"bf_window=10080,bf_max_job_test=500,bf_` + m.Name("text", "zoe") + `"}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range hostile {
		f.Add("job 4 of " + s + " waits")
	}
	f.Fuzz(func(t *testing.T, s string) {
		m := New([]byte("key"))
		if got := m.Text(s + " zoeylane " + s); strings.Contains(got, "zoeylane") && !strings.Contains(s, "zoeylane") {
			t.Errorf("%q became %q", s, got)
		}
	})
}

// BenchmarkText replaces names in a reason beside 20,000 known names, half of them of several words.
func BenchmarkText(b *testing.B) {
	m := New([]byte("key"))
	for i := range 20_000 {
		m.Know("name", fmt.Sprint([]string{"run", "my run "}[i%2], i))
	}
	for b.Loop() {
		m.Text("waits as 1st: needs 16 GPUs over 2 nodes, none is free; no job waits ahead of my run 4711; its rank: it has 31m to go")
	}
}
