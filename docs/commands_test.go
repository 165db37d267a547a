package docs_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	span    = regexp.MustCompile("`([^`\n]+)`")
	command = regexp.MustCompile(`(?:^|[;&|$] |sudo (?:-u fairbridge )?|/usr/bin/)fairbridge ([a-z][a-z -]*)`)
	flag    = regexp.MustCompile(`--[a-z][a-z-]*`)
)

// named returns the commands a page names in code, as "db init --json".
func (p page) named() []string {
	var lines []string
	for _, m := range fence.FindAllStringSubmatch(p.text, -1) {
		if m[1] == "" || m[1] == "sh" {
			lines = append(lines, strings.Split(m[2], "\n")...)
		}
	}
	for _, m := range span.FindAllStringSubmatch(p.prose(), -1) {
		lines = append(lines, m[1])
	}
	var all []string
	for _, l := range lines {
		for _, m := range command.FindAllStringSubmatch(l, -1) {
			all = append(all, strings.TrimSpace(m[1]))
		}
	}
	return all
}

// TestCommands asks the program itself for each command and flag that the
// pages name.
func TestCommands(t *testing.T) {
	program := filepath.Join(t.TempDir(), "fairbridge")
	if out, err := exec.Command("go", "build", "-o", program, "fairbridge/cmd/fairbridge").CombinedOutput(); err != nil {
		t.Fatalf("building: %v\n%s", err, out)
	}
	asked := map[string]bool{}
	for _, p := range pages(t) {
		for _, c := range p.named() {
			if !asked[c] {
				asked[c] = true
				if why := unknown(program, c); why != "" {
					t.Errorf("%s: fairbridge %s: %s", p.path, c, why)
				}
			}
		}
	}
	if len(asked) < 12 {
		t.Errorf("found only %d commands: the search is broken", len(asked))
	}
}

// parents are the commands that want another word.
var parents = map[string]bool{"trace": true, "search": true, "recommend": true, "db": true, "config": true, "completion": true}

// children are the commands of commands that do without another word.
var children = map[string]bool{"report shadow": true, "report canary": true}

// unknown says what the program does not know of a command line; "" for
// nothing.
func unknown(program, line string) string {
	words := strings.Fields(line)
	path := words[:1]
	if len(words) > 1 && (parents[words[0]] || children[words[0]+" "+words[1]]) {
		path = words[:2]
	}
	out, err := exec.Command(program, append(path, "--help")...).CombinedOutput()
	help := string(out)
	if err != nil || !strings.Contains(help, "fairbridge "+strings.Join(path, " ")) {
		return "no such command"
	}
	for _, f := range flag.FindAllString(line, -1) {
		if !strings.Contains(help, f+" ") {
			return "no flag " + f
		}
	}
	return ""
}
