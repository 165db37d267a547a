package slurmtest

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/decode"
	"fairbridge/replica/sim"
)

// TestDecoderReadsBackTheWorld is the round trip: what the product's decoder
// makes of each version's reply is what the world says of its jobs.
func TestDecoderReadsBackTheWorld(t *testing.T) {
	for _, c := range []struct {
		release string
		v       int
	}{{"22.05.8", 38}, {"23.11.10", 39}, {"24.11.5", 40}, {"24.11.5", 41}, {"24.11.5", 42}, {"26.05.5", 43}, {"26.05.5", 44}, {"26.05.5", 45}} {
		s := like(t, c.release)
		var want []slurm.Job
		var nodes []slurm.Node
		var parts []slurm.Partition
		s.WithWorld(func(w *sim.World) { want, nodes, parts = w.Jobs(), w.Nodes(), w.Partitions() })
		for i := range want {
			forget(&want[i], c.v)
		}
		d := new(decode.Decoder)
		jobs, _, err := d.Jobs(bytes.NewReader(call(t, s, "GET", path(c.v, "jobs/"), "").body), nil)
		if err != nil {
			t.Fatalf("v0.0.%d: %v", c.v, err)
		}
		slices.SortFunc(jobs, func(a, b slurm.Job) int { return int(a.ID - b.ID) })
		if diff := cmp.Diff(want, jobs, cmp.Transformer("utc", time.Time.UTC)); diff != "" {
			t.Errorf("v0.0.%d: world (-), decoded (+):\n%s", c.v, diff)
		}
		gotNodes, _, err := d.Nodes(bytes.NewReader(call(t, s, "GET", path(c.v, "nodes/"), "").body), nil)
		if diff := cmp.Diff(nodes, gotNodes); err != nil || (diff != "" && c.v >= 43) {
			t.Errorf("v0.0.%d: nodes: %v\n%s", c.v, err, diff)
		}
		gotParts, _, err := d.Partitions(bytes.NewReader(call(t, s, "GET", path(c.v, "partitions/"), "").body), nil)
		if diff := cmp.Diff(parts, gotParts); err != nil || diff != "" {
			t.Errorf("v0.0.%d: partitions: %v\n%s", c.v, err, diff)
		}
	}
}

// Reservations come back as the world has them, in every version.
func TestDecoderReadsBackReservations(t *testing.T) {
	for _, c := range []struct {
		release  string
		versions []int
	}{{"22.05.8", []int{38}}, {"24.05.5", []int{39, 40, 41}}, {"26.05.5", []int{42, 43, 44, 45}}} {
		s := like(t, c.release)
		var want []slurm.Reservation
		s.WithWorld(func(w *sim.World) {
			for _, r := range []sim.Reservation{
				{Name: "class", Nodes: []string{"n2"}, From: w.Now().Add(-time.Hour), To: w.Now().Add(time.Hour), Flags: []string{"WEEKLY", "SPEC_NODES"}, Users: []string{"ann", "bob"}},
				{Name: "maint", From: w.Now().Add(time.Hour), Flags: []string{"MAINT", "IGNORE_JOBS"}},
			} {
				if err := w.AddReservation(r); err != nil {
					t.Fatal(err)
				}
			}
			want = w.Reservations()
		})
		for _, v := range c.versions {
			got, _, err := new(decode.Decoder).Reservations(bytes.NewReader(call(t, s, "GET", path(v, "reservations/"), "").body), nil)
			if diff := cmp.Diff(want, got, cmp.Transformer("utc", time.Time.UTC)); err != nil || diff != "" {
				t.Errorf("v0.0.%d: %v, world (-), decoded (+):\n%s", v, err, diff)
			}
		}
	}
}

// forget removes what a version does not show.
func forget(j *slurm.Job, v int) {
	if v < 44 {
		j.SLUID = ""
	}
	if v <= 38 {
		j.ScheduledNodes, j.Extra = slurm.Hosts{}, ""
		j.GresPerNode = slurm.ReadGRESRequest(strings.ReplaceAll(j.GresPerNode.Text, "gres/", "gres:"))
		j.GresPerJob = slurm.ReadGRESRequest(strings.ReplaceAll(j.GresPerJob.Text, "gres/", "gres:"))
	}
}
