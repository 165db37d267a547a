package docs_test

import (
	"context"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fairbridge/api/credential"
	"fairbridge/api/credential/mungetest"
	"fairbridge/scripts/executable"
)

// TestCurlWithMunge runs the lines that prove a request by hand against a server that looks
// at the credential.
func TestCurlWithMunge(t *testing.T) {
	m := mungetest.Start(t, "")
	munge, err := exec.LookPath("munge")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("needs %s", name)
		}
	}
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Munge ")
		d, err := credential.Decode(r.Context(), m.DecodeCommand(), text)
		if err != nil || d.Payload != credential.NewPayload(r.Method, r.RequestURI, r.Host, nil) {
			t.Errorf("%s %s of %s: %+v %v", r.Method, r.RequestURI, r.Host, d, err)
		}
		fmt.Fprint(w, "answered")
	}))
	defer s.Close()
	dir := t.TempDir()
	command := "#!/bin/sh\nexec " + munge + " " + strings.Join(m.EncodeCommand()[1:], " ") + " \"$@\"\n"
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	for name, text := range map[string]string{"munge": command, "ca.pem": string(ca)} {
		if err := executable.Write(filepath.Join(dir, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	tried := 0
	for _, p := range pages(t) {
		if p.path != "api.md" {
			continue
		}
		for _, block := range p.blocks("bash") {
			ctx, end := context.WithTimeout(t.Context(), time.Minute)
			defer end()
			cmd := exec.CommandContext(ctx, "bash", "-euc", strings.ReplaceAll(block, "fair.example:9812", s.Listener.Addr().String()))
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "answered") {
				t.Errorf("%v\n%s", err, out)
			}
			tried++
		}
	}
	if tried != 1 {
		t.Errorf("tried %d blocks", tried)
	}
}
