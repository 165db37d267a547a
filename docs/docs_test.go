package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// page is one Markdown file of the documentation.
type page struct {
	path string // from this folder
	text string
}

// pages are those at the root and everything below docs.
func pages(t *testing.T) []page {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../*.md", "*.md", "*/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) < 8 {
		t.Fatalf("found only %v: the search is broken", files)
	}
	var all []page
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page{f, string(text)})
	}
	return all
}

var (
	fence   = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// prose is the page without its code blocks.
func (p page) prose() string { return fence.ReplaceAllString(p.text, "") }

// blocks returns the code blocks of a language.
func (p page) blocks(language string) []string {
	var all []string
	for _, m := range fence.FindAllStringSubmatch(p.text, -1) {
		if m[1] == language {
			all = append(all, m[2])
		}
	}
	return all
}

// anchors are the places of the page that a link can name.
func (p page) anchors() map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(p.prose(), -1) {
		slug := notSlug.ReplaceAllString(strings.ToLower(m[1]), "")
		all[strings.ReplaceAll(slug, " ", "-")] = true
	}
	return all
}

// TestCode wants the Go the pages quote to stand in the catalogue.
func TestCode(t *testing.T) {
	files, err := filepath.Glob("../policy/paper/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		source.Write(text)
	}
	for _, p := range pages(t) {
		for _, quote := range p.blocks("go") {
			if !strings.Contains(source.String(), quote) {
				t.Errorf("%s quotes what is not in policy/paper:\n%s", p.path, quote)
			}
		}
	}
}

// TestLinks follows every relative link, to its heading where it names one.
func TestLinks(t *testing.T) {
	followed := 0
	for _, p := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(p.prose(), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			followed++
			if why := p.broken(m[1]); why != "" {
				t.Errorf("%s: link %s: %s", p.path, m[1], why)
			}
		}
	}
	if followed < 15 {
		t.Errorf("followed only %d links: the search is broken", followed)
	}
}

// broken says why a link leads nowhere; "" when it leads somewhere.
func (p page) broken(target string) string {
	file, anchor, _ := strings.Cut(target, "#")
	to := p
	if file != "" {
		to.path = filepath.Join(filepath.Dir(p.path), file)
		text, err := os.ReadFile(to.path)
		if info, e := os.Stat(to.path); e == nil && info.IsDir() {
			return ""
		}
		if err != nil {
			return err.Error()
		}
		to.text = string(text)
	}
	if anchor != "" && !to.anchors()[anchor] {
		return "no such heading"
	}
	return ""
}
