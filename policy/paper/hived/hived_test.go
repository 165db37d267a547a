package hived_test

import (
	"strings"
	"testing"
	"time"

	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/paper"
	"fairbridge/policy/paper/hived"
)

// nodes are so many nodes of eight.
func nodes(names ...string) (all []policy.Node) {
	for _, n := range names {
		all = append(all, policy.Node{Name: n, Partitions: []string{"gpu"}, GPUs: []policy.NodeDevices{{Type: "g", Count: 8}}})
	}
	return all
}

// job is one of an account that came so many minutes ago.
func job(id policy.JobID, account string, gpus, minutes int) policy.Job {
	return policy.Job{ID: id, User: "u", Account: account, Partition: "gpu", State: policy.Pending, Arrive: policytest.SnapshotTime.Add(-time.Duration(minutes) * time.Minute),
		Ask: policy.Ask{GPUs: policy.GPUs{Type: "g", Count: gpus}}}
}

// running puts a job on devices since an hour.
func running(j policy.Job, node string, devices ...int) policy.Job {
	j.State, j.Start = policy.Running, policytest.SnapshotTime.Add(-time.Hour)
	j.On = policy.Alloc{{Node: node, Type: "g", Count: j.Ask.GPUs.Count, Devices: policy.NewDeviceSet(devices...)}}
	return j
}

func decide(t *testing.T, s *policy.Snapshot, cells ...any) []policy.Decision {
	t.Helper()
	plan, err := policytest.NewPolicy(t, hived.System().New, paper.Params{"cells": cells}).Decide(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Check(s); err != nil {
		t.Fatal(err)
	}
	return plan.Decisions
}

// TestBadCells: what is wrong with the cells of an account is said with what is right.
func TestBadCells(t *testing.T) {
	for text, want := range map[string]string{
		"A":           `parameter cells: "A" is not the cells of an account; write account=4x8`,
		"A=8":         `"A=8" is not the cells`,
		"A=0x8":       `"A=0x8": the number of cells is 1 to 1000000`,
		"A=2x99999":   `their size 1 to 10000 GPUs`,
		"A=2x8:a b":   `is not the cells of an account`,
		"A=2x8;B=1x8": `is not the cells of an account`,
	} {
		if _, err := hived.System().New(paper.Params{"cells": []any{text}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// TestKeepsPairsTogether: in a simulation, which names devices, a pair is two buddies and not two
// GPUs that happen to be free.
func TestKeepsPairsTogether(t *testing.T) {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: nodes("n1"), Jobs: []policy.Job{running(job(1, "A", 1, 90), "n1", 0), job(2, "A", 2, 10), job(3, "A", 4, 5)}}
	d := decide(t, s, "A=1x1", "A=1x2", "A=1x4")
	if d[1].On.String() != "n1:2×g[2-3]" || d[2].On.String() != "n1:4×g[4-7]" {
		t.Errorf("%v, %v", d[1].On, d[2].On)
	}
}

// TestYoungJobsAreNotStopped: a guaranteed job waits for one that has run for too short a time, keeps what it is to
// have, and stops it when it may.
func TestYoungJobsAreNotStopped(t *testing.T) {
	c := running(job(1, "C", 8, 90), "n1", 0, 1, 2, 3, 4, 5, 6, 7)
	c.Start = policytest.SnapshotTime.Add(-time.Minute)
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: nodes("n1"), Jobs: []policy.Job{c, job(2, "A", 4, 10), job(3, "C", 1, 5)}}
	d := decide(t, s, "A=1x8")
	if d[0].Verb != policy.Keep || d[1].Verb != policy.Wait {
		t.Errorf("%+v", d)
	}
	s.Jobs[0].Start = policytest.SnapshotTime.Add(-time.Hour)
	if d := decide(t, s, "A=1x8"); d[0].Verb != policy.Stop || d[1].Verb != policy.Start || d[2].Verb != policy.Start {
		t.Errorf("%+v", d)
	}
}

// TestWithoutRoomForAllCells: of cells that the nodes do not have the last of the list are left out,
// and a job that no cell could hold runs as an opportunistic one.
func TestWithoutRoomForAllCells(t *testing.T) {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: nodes("n1"), Jobs: []policy.Job{job(1, "B", 8, 20), job(2, "A", 8, 10)}}
	d := decide(t, s, "A=1x8", "B=1x8")
	if d[1].Verb != policy.Start || d[0].Verb == policy.Start {
		t.Errorf("%+v", d)
	}
}

// TestCoresOfWhoLeaves: cells are found where cores come free with the job that has to leave.
func TestCoresOfWhoLeaves(t *testing.T) {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: nodes("n1")}
	s.Nodes[0].CPUs = 8
	guest, own := running(job(1, "B", 8, 90), "n1", 0, 1, 2, 3, 4, 5, 6, 7), job(2, "A", 8, 10)
	guest.Ask.CPUs, own.Ask.CPUs = 8, 8
	s.Jobs = []policy.Job{guest, own}
	if d := decide(t, s, "A=1x8"); d[0].Verb != policy.Stop || d[1].Verb != policy.Start {
		t.Errorf("%s and %s: %s", d[0].Verb, d[1].Verb, d[1].Why)
	}
}

// TestUnknownHolder: a node with less room than its cells know of is left alone.
func TestUnknownHolder(t *testing.T) {
	s := &policy.Snapshot{Now: policytest.SnapshotTime, Nodes: nodes("n1", "n2")}
	odd := running(job(1, "B", 8, 90), "n1")
	odd.On = policy.Alloc{{Node: "n1", Type: "g", Count: 9}}
	odd.Ask.GPUs.Count, odd.UnstoppableReason = 9, "its owner did not say that it may be stopped"
	s.Jobs = []policy.Job{odd, job(2, "B", 8, 10)}
	if d := decide(t, s); d[1].Verb != policy.Start || d[1].On[0].Node != "n2" {
		t.Errorf("%s on %v: %s", d[1].Verb, d[1].On, d[1].Why)
	}
}
