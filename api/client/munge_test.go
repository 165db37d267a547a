package client

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"fairbridge/api"
	"fairbridge/api/credential"
	"fairbridge/api/credential/mungetest"
)

// TestMungeProvesTheRequestAsItArrives wants what a server sees of a request to be what the
// credential was made for.
func TestMungeProvesTheRequestAsItArrives(t *testing.T) {
	m := mungetest.Start(t, mungetest.NewKey(t, t.TempDir()))
	seen := 0
	c := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Munge ")
		body, err := io.ReadAll(r.Body)
		if !ok || err != nil {
			t.Errorf("%q %v", text, err)
		}
		d, err := credential.Decode(r.Context(), m.DecodeCommand(), text)
		if err != nil || d.UID != uint32(os.Getuid()) || d.Payload != credential.NewPayload(r.Method, r.RequestURI, r.Host, body) {
			t.Errorf("%s %s: %+v %v", r.Method, r.RequestURI, d, err)
		}
		seen++
		fmt.Fprint(w, "{}")
	}, func(cfg *Config) { cfg.Munge = m.EncodeCommand() })
	_, err := c.Job(t.Context(), "47_[0-9]/é")
	if err == nil {
		_, err = c.Queue(t.Context(), api.QueueQuery{Users: []string{"a b&c=d"}})
	}
	if err == nil {
		_, err = c.Act(t.Context(), api.ActionRequest{Kind: api.ActionStop, Why: "ä"})
	}
	if err != nil || seen != 3 {
		t.Errorf("%d requests, %v", seen, err)
	}
}

func TestMungeThatDoesNotRunIsSaid(t *testing.T) {
	c := newClient(t, func(http.ResponseWriter, *http.Request) { t.Error("it asks all the same") }, func(cfg *Config) { cfg.Munge = []string{"/nonexistent/munge"} })
	if _, err := c.Me(t.Context()); err == nil || !strings.Contains(err.Error(), "munged runs") || api.CodeOf(err) != api.CodeUnavailable {
		t.Errorf("%v", err)
	}
}
