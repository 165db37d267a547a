package throwaway

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLabReachesAnotherRelease(t *testing.T) {
	for _, release := range []string{"22.05", "26.05"} {
		t.Run(release, func(t *testing.T) {
			c, err := AttachToLab(t.Context(), release)
			if errors.Is(err, ErrUnavailable) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if out := c.mustRun(t, "root", "scontrol", "--version"); !strings.Contains(out, release) {
				t.Errorf("the Slurm inside says %q", out)
			}
			takesToken(t, c, "alice")
			if err := c.Stop(); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(c.TokenFile); !os.IsNotExist(err) {
				t.Errorf("the token file stays: %v", err)
			}
		})
	}
}

func TestRootRunsAnotherRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("brings up a Slurm; not with -short")
	}
	for _, release := range []string{"24.11", "26.05"} {
		t.Run(release, func(t *testing.T) {
			root, err := FindReleaseRoot(release)
			if errors.Is(err, ErrUnavailable) {
				t.Skip(err)
			}
			c, err := StartSlurm(t.Context(), "", Options{NodeCount: 1, GPUsPerNode: 2, SlurmRoot: root})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Stop() })
			if out := c.mustRun(t, "root", "scontrol", "--version"); !strings.Contains(out, release) {
				t.Errorf("the Slurm inside says %q", out)
			}
			takesToken(t, c, "alice")
			if err := c.Stop(); err != nil {
				t.Error(err)
			}
			gone(t, filepath.Join(root, filepath.Dir(c.TokenFile)))
		})
	}
}

func TestNoRootIsUnavailable(t *testing.T) {
	t.Setenv(ReleaseRootsVariable, "")
	if _, err := FindReleaseRoot("24.11"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
	t.Setenv(ReleaseRootsVariable, t.TempDir())
	if _, err := FindReleaseRoot("24.11"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}

func TestLabUnset(t *testing.T) {
	t.Setenv(LabVariable, "")
	if _, err := AttachToLab(t.Context(), "26.05"); !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %v, want ErrUnavailable", err)
	}
}

func TestExports(t *testing.T) {
	v := parseExports("export A=1\n\nnoise\nexport B=x=y\n")
	if v["A"] != "1" || v["B"] != "x=y" || len(v) != 2 {
		t.Errorf("got %v", v)
	}
}
