package version

import (
	"runtime/debug"
	"testing"
)

func TestInfo(t *testing.T) {
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}}
	for _, c := range []struct {
		tag   string
		build debug.BuildInfo
		want  string
	}{
		{"v1.2.0", debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.1.9+dirty"}, Settings: vcs}, "v1.2.0 (0123456789ab, go1.26)"},
		{"", debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "v1.2.1-0.20260301-0123456789ab"}}, "v1.2.1-0.20260301-0123456789ab (unknown, go1.26)"},
		{"", debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: "(devel)"}}, "dev (unknown, go1.26)"},
	} {
		if got := newInfo(c.tag, &c.build).String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if ReadInfo().Go == "" {
		t.Error("the program running the tests does not know its compiler")
	}
}
