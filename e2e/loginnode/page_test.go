package loginnode

import (
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"fairbridge/api/page"
)

// pageBrowser is what a browser without script does on the login node: it keeps cookies, follows what leads on, and sends forms with
// where they are from.
type pageBrowser struct {
	s    *stage
	http *http.Client
}

// newPage is a browser that nobody knows.
func (s *stage) newPage(t *testing.T) *pageBrowser {
	t.Helper()
	client := s.newClient()
	client.CheckRedirect = nil
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client.Jar = jar
	return &pageBrowser{s, client}
}

var refresh = regexp.MustCompile(`http-equiv="refresh" content="0;url=([^"]*)"`)

// openPage opens the link that the command prints for a user, and comes to the queue.
func (s *stage) openPage(t *testing.T, user string) *pageBrowser {
	t.Helper()
	out, err := s.login.command(t.Context(), user, nil, s.program, "link").Output()
	if err != nil {
		t.Fatalf("fairbridge link: %v", err)
	}
	b := s.newPage(t)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "https://"+name)
	first := b.get(path)
	found := refresh.FindStringSubmatch(first.text)
	if !ok || found == nil {
		t.Fatalf("%s: %d %s", out, first.status, first.text)
	}
	if queue := b.get(found[1]); queue.status != http.StatusOK || !strings.Contains(queue.text, "<h1>Queue</h1>") {
		t.Fatalf("the link leads to %d %.500s", queue.status, queue.text)
	}
	return b
}

func (b *pageBrowser) cookie(name string) string {
	for _, c := range b.http.Jar.Cookies(&url.URL{Scheme: "https", Host: "ctl:9812", Path: "/"}) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

func (b *pageBrowser) get(path string) answer {
	b.s.t.Helper()
	return b.send(http.MethodGet, path, nil, nil)
}

// post sends a form as the pages of the daemon do, but for what header says.
func (b *pageBrowser) post(path string, values url.Values, header map[string]string) answer {
	b.s.t.Helper()
	all := map[string]string{"Origin": "https://" + name, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/x-www-form-urlencoded"}
	maps.Copy(all, header)
	return b.send(http.MethodPost, path, strings.NewReader(values.Encode()), all)
}

func (b *pageBrowser) send(method, path string, body io.Reader, header map[string]string) answer {
	b.s.t.Helper()
	r, err := http.NewRequestWithContext(b.s.t.Context(), method, "https://"+name+path, body)
	if err != nil {
		b.s.t.Fatal(err)
	}
	for k, v := range header {
		r.Header.Set(k, v)
	}
	resp, err := b.http.Do(r)
	if err != nil {
		b.s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// pageForm is a form with what stands in its fields.
type pageForm struct {
	action string
	values url.Values
}

var (
	postForm  = regexp.MustCompile(`(?s)<form method="post" action="([^"]*)">(.*?)</form>`)
	formField = regexp.MustCompile(`<input ([^>]*)>`)
	attribute = regexp.MustCompile(`(\w+)="([^"]*)"`)
)

// findForm returns the first form of a page that is wanted; nil: there is none.
func findForm(text string, wanted func(*pageForm) bool) *pageForm {
	for _, found := range postForm.FindAllStringSubmatch(text, -1) {
		f := &pageForm{html.UnescapeString(found[1]), url.Values{}}
		for _, field := range formField.FindAllStringSubmatch(found[2], -1) {
			has := map[string]string{}
			for _, a := range attribute.FindAllStringSubmatch(field[1], -1) {
				has[a[1]] = html.UnescapeString(a[2])
			}
			f.values.Set(has["name"], has["value"])
		}
		if wanted(f) {
			return f
		}
	}
	return nil
}

// findUndo returns the form that undoes a change; nil: the page of changes has none.
func (b *pageBrowser) findUndo(change int64) *pageForm {
	b.s.t.Helper()
	id := fmt.Sprint(change)
	return findForm(b.get(page.Prefix+"changes").text, func(f *pageForm) bool { return f.values.Get("change") == id })
}
