package decode

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
)

var update = flag.Bool("update", false, "write the golden files anew")

// decoded is what one recorded reply says.
type decoded struct {
	Meta    slurm.ReplyMeta
	Records any
}

// decodeFile decodes a reply as its file's name says.
func decodeFile(d *Decoder, name string, r io.Reader) (out decoded, err error) {
	switch strings.TrimSuffix(filepath.Base(name), ".json") {
	case "jobs":
		out.Records, out.Meta, err = d.Jobs(r, nil)
	case "jobs_state":
		out.Records, out.Meta, err = d.TaskStates(r, nil)
	case "nodes":
		out.Records, out.Meta, err = d.Nodes(r, nil)
	case "partitions":
		out.Records, out.Meta, err = d.Partitions(r, nil)
	case "reservations":
		out.Records, out.Meta, err = d.Reservations(r, nil)
	case "ping":
		out.Records, out.Meta, err = d.Ping(r)
	case "diag":
		out.Records, out.Meta, err = d.Diag(r)
	default:
		panic("no decoder for " + name)
	}
	return out, err
}

// recorded returns the recorded replies of every version. Those of reservations
// were written after the parsers of Slurm's source, not recorded.
func recorded(t testing.TB) []string {
	t.Helper()
	all, err := filepath.Glob("testdata/*-v0.0.*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range all {
		if !strings.HasSuffix(f, ".golden.json") {
			out = append(out, f)
		}
	}
	if len(out) < 30 {
		t.Fatalf("only %d recorded replies", len(out))
	}
	return out
}

func TestGolden(t *testing.T) {
	var d Decoder // one for all: nothing may be left over from a reply
	for _, file := range recorded(t) {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out, err := decodeFile(&d, file, bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(out, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".json") + ".golden.json"
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("%v: run with -update", err)
			}
			if diff := cmp.Diff(strings.Split(string(bytes.TrimSpace(want)), "\n"), strings.Split(string(got), "\n")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The same jobs were recorded through every version; what they say must not
// depend on it.
func TestVersionsAgree(t *testing.T) {
	var d Decoder
	var want []slurm.Job
	for _, version := range []string{"24.11-v0.0.40", "24.11-v0.0.41", "24.11-v0.0.42"} {
		f, err := os.Open(filepath.Join("testdata", version, "jobs.json"))
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := d.Jobs(f, nil)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-first +this):\n%s", version, diff)
		}
	}
}

func TestNoRecordedJobIsOpaque(t *testing.T) {
	var d Decoder
	for _, file := range recorded(t) {
		if filepath.Base(file) != "jobs.json" {
			continue
		}
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		jobs, _, err := d.Jobs(f, nil)
		f.Close()
		if err != nil || len(jobs) != 6 {
			t.Fatalf("%s: %d jobs, %v", file, len(jobs), err)
		}
		for i := range jobs {
			if jobs[i].UntrustedReason != "" {
				t.Errorf("%s: job %d: %s", file, jobs[i].ID, jobs[i].UntrustedReason)
			}
		}
	}
}
