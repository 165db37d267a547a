package packaging_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestScriptsParse has a shell read every script of this folder.
func TestScriptsParse(t *testing.T) {
	for _, name := range []string{"bare", "build", "container", "seal", "try", "tryinstall", "stamp", "postinst", "prerm", "postrm", "nodeprobe.postinst", "nodeprobe.prerm"} {
		if out, err := exec.Command("bash", "-n", name).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestPackageHasEveryUnit wants each unit of scripts/systemd in a package.
func TestPackageHasEveryUnit(t *testing.T) {
	units, err := filepath.Glob("../scripts/systemd/*")
	if err != nil || len(units) < 5 {
		t.Fatalf("%d units (%v)", len(units), err)
	}
	daemon, err := os.ReadFile("fairbridge.yaml")
	if err != nil {
		t.Fatal(err)
	}
	probe, err := os.ReadFile("fairbridge-nodeprobe.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, unit := range units {
		if !strings.Contains(string(daemon)+string(probe), "dst: /usr/lib/systemd/system/"+filepath.Base(unit)+",") {
			t.Errorf("no package has %s", unit)
		}
	}
}

// TestRelease makes the packages twice, wants the same bytes, signs them with a key made here, installs them on a bare
// Debian 12, and follows the quick start from them on one that runs systemd and a Slurm. It takes minutes and the network: make trypackages asks for it.
func TestRelease(t *testing.T) {
	if os.Getenv("FAIRBRIDGE_TRY_PACKAGES") == "" {
		t.Skip("packages are tried by: make trypackages")
	}
	first, second, newer := t.TempDir(), t.TempDir(), t.TempDir()
	runOrSkip(t, "./build", first, newer)
	runOrSkip(t, "./build", second)
	compare(t, first, second)
	t.Run("signature", func(t *testing.T) { signature(t, first) })
	for _, script := range []string{"try", "tryinstall"} {
		t.Run(script, func(t *testing.T) { runOrSkip(t, "./"+script, first, newer) })
	}
}

// signature signs the packages of a folder with a key made here, and wants what is signed to pass, and nothing else.
func signature(t *testing.T, first string) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("packages are signed by ssh-keygen, which is not here")
	}
	key := filepath.Join(t.TempDir(), "key")
	run(t, nil, "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
	if err := os.Symlink(mustAbs(t, "../dist/stage"), filepath.Join(first, "stage")); err != nil {
		t.Fatal(err)
	}
	run(t, nil, "./seal", first, key)
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	allowed := key + ".allowed"
	if err := os.WriteFile(allowed, append([]byte("releaser "), public...), 0o600); err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(first, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	verify := []string{"ssh-keygen", "-Y", "verify", "-f", allowed, "-I", "releaser", "-n", "fairbridge", "-s", filepath.Join(first, "SHA256SUMS.sig")}
	run(t, sums, verify...)
	check := exec.Command(verify[0], verify[1:]...)
	check.Stdin = bytes.NewReader(append([]byte("0"), sums...))
	if check.Run() == nil {
		t.Error("other sums pass for the signed ones")
	}
}

// runOrSkip runs a script that ends with status 77 where this machine cannot do it.
func runOrSkip(t *testing.T, script string, args ...string) {
	t.Helper()
	out, err := exec.Command(script, args...).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skipf("%s", out)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	t.Logf("%s", out)
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}

// run runs a program and ends the test where it fails.
func run(t *testing.T, input []byte, argv ...string) {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin = bytes.NewReader(input)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", argv, err, out)
	}
}

// compare wants two folders to have the same six packages.
func compare(t *testing.T, first, second string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(first, "fairbridge*"))
	if err != nil || len(files) != 6 {
		t.Fatalf("%d packages (%v)", len(files), err)
	}
	for _, file := range files {
		one, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.ReadFile(filepath.Join(second, filepath.Base(file)))
		if err != nil || !bytes.Equal(one, other) {
			t.Errorf("%s differs from one made again (%v)", filepath.Base(file), err)
		}
	}
}
