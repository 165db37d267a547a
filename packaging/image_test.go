package packaging_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"fairbridge/scripts/executable"
)

// TestImage makes the container image twice, wants the same bytes, and runs its program as its user with nothing but its files.
func TestImage(t *testing.T) {
	if os.Getenv("FAIRBRIDGE_TRY_PACKAGES") == "" {
		t.Skip("the container image is tried by: make trypackages")
	}
	first, second := filepath.Join(t.TempDir(), "image.tar"), filepath.Join(t.TempDir(), "image.tar")
	runOrSkip(t, "./container", first)
	runOrSkip(t, "./container", second)
	one, two := readFile(t, first), readFile(t, second)
	if !bytes.Equal(one, two) {
		t.Error("the same commit makes other bytes")
	}
	blobs := untar(t, bytes.NewReader(one))
	var index struct{ Manifests []struct{ Digest string } }
	decode(t, blobs["index.json"], &index)
	var manifest struct {
		Config struct{ Digest string }
		Layers []struct{ Digest string }
	}
	decode(t, blobs[blobPath(index.Manifests[0].Digest)], &manifest)
	var config struct {
		Config struct {
			User       string
			Entrypoint []string
		}
	}
	decode(t, blobs[blobPath(manifest.Config.Digest)], &config)
	if config.Config.User != "65532:65532" || len(manifest.Layers) != 1 {
		t.Errorf("%+v of %+v", config, manifest)
	}
	layer, err := gzip.NewReader(bytes.NewReader(blobs[blobPath(manifest.Layers[0].Digest)]))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for name, content := range untar(t, layer) {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), executable.Write(path, content)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Contains(readFile(t, filepath.Join(root, "etc/ssl/certs/ca-certificates.crt")), []byte("BEGIN CERTIFICATE")) {
		t.Error("it trusts no certificates")
	}
	if os.Geteuid() != 0 {
		t.Skip("only root may run it in a folder of its own")
	}
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	alone := func(args ...string) string {
		cmd := exec.Command(config.Config.Entrypoint[0], args...)
		cmd.Dir, cmd.Env = "/", []string{"TZ=Europe/Berlin"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := alone("--version"); !strings.HasPrefix(out, "fairbridge ") {
		t.Errorf("%s", out)
	}
	if out := alone("compare", "--all"); !strings.Contains(out, "themis") {
		t.Errorf("%s", out)
	}
}

func blobPath(digest string) string { return "blobs/" + strings.ReplaceAll(digest, ":", "/") }

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func decode(t *testing.T, text []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(text, to); err != nil {
		t.Fatal(err)
	}
}

// untar reads the files of an archive.
func untar(t *testing.T, r io.Reader) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for all := tar.NewReader(r); ; {
		h, err := all.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if files[h.Name], err = io.ReadAll(all); err != nil {
			t.Fatal(err)
		}
	}
}
