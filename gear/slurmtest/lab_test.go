package slurmtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/decode"
)

// laboratory starts commands in a real Slurm, where one is at hand.
const laboratory = "../../../shared/lab/"

// lab is a real Slurm.
type lab struct{ version, url, token string }

func openLab(t *testing.T, version string) lab {
	t.Helper()
	if os.Getenv("SLURMLAB") == "" {
		t.Skip("no real Slurm: SLURMLAB is not set")
	}
	out, err := exec.Command(laboratory+"env", version, "oper", "600").Output()
	if err != nil {
		t.Skipf("Slurm %s is not running: %v", version, err)
	}
	l := lab{version: version}
	if m := regexp.MustCompile(`SLURMRESTD=(\S+)`).FindSubmatch(out); m != nil {
		l.url = string(m[1])
	}
	if m := regexp.MustCompile(`SLURM_JWT=(\S+)`).FindSubmatch(out); m != nil {
		l.token = string(m[1])
	}
	return l
}

func (l lab) in(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(laboratory+"in", append([]string{l.version}, args...)...).Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

func (l lab) call(t *testing.T, method, path, body string) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, l.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-SLURM-USER-TOKEN", l.token)
	req.Header.Set("X-SLURM-USER-NAME", "oper")
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return parsed(res.StatusCode, b)
}

func (l lab) job(t *testing.T, v int, id string) slurm.Job {
	t.Helper()
	jobs, _, err := new(decode.Decoder).Jobs(bytes.NewReader(l.call(t, "GET", path(v, "job/"+id), "").body), nil)
	if err != nil || len(jobs) != 1 {
		t.Fatalf("job %s: %d records, %v", id, len(jobs), err)
	}
	return jobs[0]
}

// TestRealSlurmDoesTheSame sends the measured bodies to a real Slurm and
// compares the status, the error number and the effect with the table that
// the simulation is held to.
func TestRealSlurmDoesTheSame(t *testing.T) {
	labs := map[string]lab{}
	for _, c := range bodies {
		version := c.release[:5]
		t.Run(c.release+" "+c.body, func(t *testing.T) {
			if labs[version].url == "" {
				labs[version] = openLab(t, version)
			}
			l := labs[version]
			id := l.in(t, "sbatch", "--parsable", "-o", "/dev/null", "--nice=3", "-w", "n2", "--begin=now+2hours", "--wrap", "true")
			defer l.in(t, "scancel", id)
			before := l.job(t, c.v, id)
			now := time.Now()
			a := l.call(t, "POST", path(c.v, "job/"+id), c.at(now))
			if a.status != c.status || a.number() != c.number {
				t.Errorf("answer %d, error %d; the simulation's %d, %d: %.300s", a.status, a.number(), c.status, c.number, a.body)
			}
			after := l.job(t, c.v, id)
			if got, want := effect(before, after, now), simulated(t, c); got != want {
				t.Errorf("effect %s, the simulation's %s", got, want)
			}
		})
	}
}

// simulated is the effect the simulation has on the same job.
func simulated(t *testing.T, c body) string {
	s := start(t, c.release)
	id := submitTwin(t, s)
	before := job(t, s, id)
	at := time.Unix(first, 0).UTC()
	call(t, s, "POST", path(c.v, "job/1"), c.at(at))
	return effect(before, job(t, s, id), at)
}

// effect puts in words what an update changed, free of the site's weights.
func effect(before, after slurm.Job, now time.Time) string {
	var out []string
	if d := after.Priority - before.Priority; d != 0 {
		word := fmt.Sprintf("by %d", d)
		if d < -2_000 || d > 2_000 {
			word = fmt.Sprintf("to %d", after.Priority)
		}
		out = append(out, "priority "+word)
	}
	if after.IsNiceKnown && before.IsNiceKnown && before.Nice != after.Nice {
		out = append(out, fmt.Sprintf("nice %d", after.Nice))
	}
	if a, b := itsNodes(before), itsNodes(after); a != b {
		out = append(out, fmt.Sprintf("nodes %s", b))
	}
	if !before.EligibleTime.Equal(after.EligibleTime) {
		out = append(out, fmt.Sprintf("begin in %v", after.EligibleTime.Sub(now).Round(10*time.Second)))
	}
	return strings.Join(out, ", ")
}
