package slurmdb

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestUsers reads what slurmrestd of three releases said of the same users: carol coordinates
// research, below which is deep.
func TestUsers(t *testing.T) {
	want := []User{
		{Name: "alice"}, {Name: "bob"}, {Name: "carol", CoordinatedAccounts: []string{"deep", "research"}},
		{Name: "fairbridge", IsOperator: true}, {Name: "rest", IsOperator: true}, {Name: "root", IsOperator: true},
	}
	for version, c := range map[string]struct{ release, query string }{
		"v0.0.38": {"22.05", ""}, "v0.0.40": {"24.11", "with_coords=true"}, "v0.0.45": {"26.05", "with_coords=true"},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", c.release+"-users.json"))
		if err != nil {
			t.Fatal(err)
		}
		r := serve(t, version, func(q *http.Request) (int, string) {
			if q.URL.Path != "/slurmdb/"+version+"/users/" || q.URL.RawQuery != c.query {
				t.Errorf("%s: asked %s", version, q.URL)
			}
			return 200, string(text)
		})
		got, _, err := r.Users(t.Context())
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v %s", version, err, cmp.Diff(want, got))
		}
	}
}

// TestUsersOfNoRights: whatever is odd about a record gives no rights.
func TestUsersOfNoRights(t *testing.T) {
	r := serve(t, "v0.0.45", func(*http.Request) (int, string) {
		return 200, `{"users": [{"name": "a"}, {"name": "", "administrator_level": ["Administrator"]}, {"name": "b", "administrator_level": ["Not Set"], "coordinators": null},
			{"name": "c", "administrator_level": ["Administrator"], "flags": ["DELETED"]}, {"name": "d", "coordinators": [{"name": ""}, {"name": "x"}, {"name": "x"}]}]}`
	})
	got, _, err := r.Users(t.Context())
	if want := []User{{Name: "a"}, {Name: "b"}, {Name: "d", CoordinatedAccounts: []string{"x"}}}; err != nil || !cmp.Equal(got, want) {
		t.Errorf("%v %s", err, cmp.Diff(want, got))
	}
	r = serve(t, "v0.0.45", func(*http.Request) (int, string) { return 200, `{"jobs": []}` })
	if got, _, err := r.Users(t.Context()); err == nil {
		t.Errorf("a reply without users is taken for %v", got)
	}
}
