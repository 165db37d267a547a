package slurmtest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"fairbridge/bridge/slurm"
)

// moves are updates of a pending job for random play, for v0.0.45 and for
// 22.05.
var moves = map[string][]string{
	"26.05": {
		`{"nice":50}`, `{"nice":-20}`, `{"nice":0}`, `{"hold":true}`, `{"hold":false}`, `{"priority":500000}`,
		`{"priority":0}`, `{"priority":4294967295}`, `{"site_factor":2147484148}`, `{"site_factor":2147483648}`,
		`{"begin_time":{"set":true,"infinite":false,"number":{HOUR}}}`, `{"begin_time":"now+7200"}`, `{"begin_time":0}`,
		`{"required_nodes":["n1"]}`, `{"required_nodes":[""]}`, `{"excluded_nodes":["n2"]}`, `{"excluded_nodes":[]}`,
		`{"excluded_nodes":["nope"]}`, `{"priority":600000,"hold":true}`, `{"nice":30,"hold":true}`,
		`{"nice":30,"hold":false}`, `{"nice":30,"priority":500000}`,
	},
	"22.05": {
		`{"nice":50}`, `{"nice":-20}`, `{"nice":0}`, `{"hold":true}`, `{"hold":false}`, `{"priority":500000}`,
		`{"begin_time":"uts{HOUR}"}`, `{"begin_time":"now+7200"}`, `{"nodelist":"n1"}`, `{"nodelist":""}`,
		`{"exclude_nodes":"n2"}`, `{"exclude_nodes":"nope"}`, `{"priority":600000,"hold":true}`,
		`{"nice":30,"hold":true}`, `{"nice":30,"hold":false}`, `{"nice":30,"priority":500000}`,
	},
}

// TestRealSlurmPlaysTheSameGame sends the same random updates to a job of a
// real Slurm and to one of the simulation, and compares after each.
func TestRealSlurmPlaysTheSameGame(t *testing.T) {
	for release, v := range map[string]int{"22.05.8": 38, "26.05.5": 45} {
		version := release[:5]
		t.Run(version, func(t *testing.T) {
			l := openLab(t, version)
			for seed := range uint64(30) {
				game(t, l, release, v, rand.New(rand.NewPCG(seed, 9)))
			}
		})
	}
}

func game(t *testing.T, l lab, release string, v int, r *rand.Rand) {
	t.Helper()
	real := l.in(t, "sbatch", "--parsable", "-o", "/dev/null", "--nice=3", "-w", "n2", "--begin=now+2hours", "--wrap", "true")
	defer l.in(t, "scancel", real)
	s := start(t, release)
	id := submitTwin(t, s)
	zero := time.Unix(first, 0).UTC()
	base, simBase := l.job(t, v, real), job(t, s, id)
	played := ""
	for range 8 {
		move := body{body: moves[l.version][r.IntN(len(moves[l.version]))]}
		played += "\n\t" + move.body
		now := time.Now()
		a, b := l.call(t, "POST", path(v, "job/"+real), move.at(now)), call(t, s, "POST", path(v, "job/1"), move.at(zero))
		got, want := situation(l.job(t, v, real), base, now), situation(job(t, s, id), simBase, zero)
		if a.status != b.status || a.number() != b.number() || got != want {
			t.Errorf("after%s\nreal: %d %d %s\nours: %d %d %s", played, a.status, a.number(), got, b.status, b.number(), want)
			return
		}
	}
}

// situation describes a job free of the site's weights and of the clock.
func situation(j, base slurm.Job, now time.Time) string {
	priority := fmt.Sprint(j.Priority)
	if rel := j.Priority - base.Priority - 3; j.Priority > 1 && rel > -5_000 && rel < 5_000 {
		priority = fmt.Sprintf("%+d", rel)
	}
	begin := "none"
	if !j.EligibleTime.IsZero() {
		begin = j.EligibleTime.Sub(now).Round(time.Minute).String()
	}
	nice := j.Nice
	if !j.IsNiceKnown {
		nice = 0
	}
	return fmt.Sprintf("priority %s nice %d held %t begin %s nodes %v", priority, nice, j.IsHeld, begin, itsNodes(j))
}
