package version

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestInfo(t *testing.T) {
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}}
	for _, c := range []struct {
		tag, commit string
		build       debug.BuildInfo
		want        string
	}{
		{"v1.2.0", "", debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.1.9+dirty"}, Settings: vcs}, "v1.2.0 (0123456789ab, go1.26)"},
		{"v1.2.0-3-gabcdef0", "abcdef0123456789", debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "(devel)"}}, "v1.2.0-3-gabcdef0 (abcdef012345, go1.26)"},
		{"", "", debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.1-0.20260301-0123456789ab"}}, "v1.2.1-0.20260301-0123456789ab (unknown, go1.26)"},
		{"", "", debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "(devel)"}}, "dev (unknown, go1.26)"},
	} {
		if got := newInfo(c.tag, c.commit, &c.build).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if ReadInfo().Go == "" {
		t.Error("the program running the tests does not know its compiler")
	}
}

// TestTheMakefileStampsEveryBuild wants the version and the commit in every program that make
// builds, also where the Go tool is told to leave them out and where no tag is near.
func TestTheMakefileStampsEveryBuild(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	for _, tool := range []string{"make", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	git := exec.Command("git", "rev-parse", "HEAD")
	git.Dir = root
	head, err := git.Output()
	if err != nil {
		t.Skip("this is no clone: ", err)
	}
	build := exec.Command("make", "-n", "build", "demo")
	build.Dir = root
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const stamp = "-X fairbridge/cmd/internal/version"
	want := regexp.MustCompile(stamp + `\.tag=\S+ ` + stamp + `\.commit=` + strings.TrimSpace(string(head)) + "'")
	programs := 0
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "go build") {
			if programs++; !want.MatchString(line) {
				t.Errorf("not stamped: %s", line)
			}
		}
	}
	if programs < 3 {
		t.Errorf("%d programs are built, want fairbridge, nodeprobe and fairbridge-demo:\n%s", programs, out)
	}
}
