package rest

import (
	"strings"
	"testing"

	"fairbridge/scripts/throwaway/livetest"
)

func TestReadLevel(t *testing.T) {
	for _, c := range []struct{ doc, want, fail string }{
		{doc: `{"users":[{"name":"oper","administrator_level":["Operator"]}]}`, want: "Operator"},
		{doc: `{"users":[{"name":"oper","administrator_level":"Administrator"}]}`, want: "Administrator"},
		{doc: `{"users":[{"name":"other","administrator_level":["Operator"]}]}`, want: "None", fail: "know user oper"},
		{doc: `{"users":[]}`, want: "None", fail: "does not know user oper"},
		{doc: `<html>`, fail: "invalid character"},
	} {
		got, err := readAdminLevel(strings.NewReader(c.doc), "oper")
		if got != c.want || (err == nil) != (c.fail == "") || err != nil && !strings.Contains(err.Error(), c.fail) {
			t.Errorf("%s: %q, %v", c.doc, got, err)
		}
	}
}

func TestLiveRights(t *testing.T) {
	for _, release := range []string{"22.05", "24.11", "26.05"} {
		t.Run(release, func(t *testing.T) {
			cluster := livetest.ClusterInLab(t, release)
			c, err := Open(t.Context(), Config{URL: cluster.URL, TokenFile: cluster.TokenFile}, PollConfig{})
			if err != nil {
				t.Fatal(err)
			}
			if user, level, err := c.ReadRights(t.Context()); user != cluster.TokenUser || level != "Operator" || err != nil {
				t.Errorf("%s is %s: %v", user, level, err)
			}
		})
	}
}
