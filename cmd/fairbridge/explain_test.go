package main

import (
	"testing"
	"time"

	"fairbridge/policy"
)

func TestRequest(t *testing.T) {
	gang := policy.Job{Limit: 2 * time.Hour, Ask: policy.Ask{GPUs: policy.GPUs{Type: "a100", Count: 6}, MinNodes: 3, PerNode: 2}}
	shorter, fewer, one := gang, gang, gang
	shorter.Limit = time.Hour
	fewer.Ask.GPUs.Count, fewer.Ask.MinNodes = 4, 2
	one.Ask.GPUs.Count, one.Ask.MinNodes = 2, 1
	for want, smaller := range map[string]policy.Job{"a time limit of 1h": shorter, "4 a100 on 2 nodes": fewer, "2 a100": one} {
		if got := smallerRequestText(&gang, &smaller); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
