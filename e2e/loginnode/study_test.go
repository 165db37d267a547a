package loginnode

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"fairbridge/api/page"
)

// testStudy has a study made of what the daemon recorded, on the daemon's host, and looks at it from the login node. Usage is private here.
func (s *stage) testStudy(t *testing.T) {
	b := s.openPage(t, "oper")
	const command = "fairbridge replay -p gpu --since 7d --policy slurm,fairbridge --store"
	if a := b.get(page.Prefix + "study"); a.status != http.StatusOK || !strings.Contains(a.text, "<code>"+command+"</code>") {
		t.Fatalf("none is stored, and the page does not say how one is made: %d\n%s", a.status, a.text)
	}
	argv := append([]string{s.program, "-c", filepath.Join(s.dir, "conf", "fairbridge.yaml")}, strings.Fields(command)[1:]...)
	out, err := s.ctl.command(t.Context(), "fairbridge", nil, argv...).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Stored as study 1") {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	text := b.get(page.Prefix + "study").text
	for _, want := range []string{", by <bdi>fairbridge</bdi>: of the jobs from ", "through a simulated Slurm, with 1 seed", "Fidelity: a simulation of what was done", "<bdi>what happened</bdi>", "<bdi>slurm</bdi>", "<bdi>fairbridge</bdi></th>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the daemon's page does not show %q:\n%s", want, text)
		}
	}
	if out, err := s.login.command(t.Context(), "oper", nil, s.program, "study").CombinedOutput(); err != nil || !strings.Contains(string(out), "what happened") {
		t.Errorf("fairbridge study: %v\n%s", err, out)
	} else {
		t.Logf("fairbridge study prints\n%s", out)
	}
	alice := s.openPage(t, "alice").get(page.Prefix + "study")
	if alice.status != http.StatusForbidden || strings.Contains(alice.text, "what happened") {
		t.Errorf("usage is private, and a plain user is answered %d\n%s", alice.status, alice.text)
	}
}
