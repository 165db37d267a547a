// Command image writes a container image of one static program as an archive of an OCI image layout, which podman, skopeo and
// Docker (from 25 on) load: the program, the certificates that this machine trusts, and a user who is not root. The same inputs give the
// same bytes. It is a module of its own, so that the programs' list of modules stays without what it needs.
package main

import (
	"archive/tar"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// certificates are where Debian and its children keep what they trust, and where Go looks for it.
const certificates = "/etc/ssl/certs/ca-certificates.crt"

func main() {
	program := flag.String("program", "", "the static program")
	version := flag.String("version", "", "its version, which is the image's tag")
	arch := flag.String("arch", "amd64", "what it was built for")
	made := flag.Int64("made", 0, "when, in seconds since 1970")
	out := flag.String("out", "", "the archive to write")
	flag.Parse()
	if err := write(*program, *version, *arch, time.Unix(*made, 0).UTC(), *out); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func write(program, version, arch string, made time.Time, out string) error {
	image, err := newImage(program, version, arch, made)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "image")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	name := map[string]string{"org.opencontainers.image.ref.name": version, "io.containerd.image.name": "localhost/fairbridge:" + version}
	if err := path.AppendImage(image, layout.WithAnnotations(name)); err != nil {
		return err
	}
	f, err := os.Create(out)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := archive(f, folder, made); err != nil {
		return err
	}
	return f.Close()
}

func newImage(program, version, arch string, made time.Time) (v1.Image, error) {
	var files bytes.Buffer
	if err := putFiles(tar.NewWriter(&files), program, made); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files.Bytes())), nil }, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), layer)
	if err != nil {
		return nil, err
	}
	before, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(image, describe(before, version, arch, made))
}

// describe says who runs what, beside the layers that a configuration names.
func describe(before *v1.ConfigFile, version, arch string, made time.Time) *v1.ConfigFile {
	c := before.DeepCopy()
	c.OS, c.Architecture, c.Created = "linux", arch, v1.Time{Time: made}
	c.Config = v1.Config{
		User: "65532:65532", WorkingDir: "/", Env: []string{"PATH=/usr/bin"},
		Entrypoint: []string{"/usr/bin/fairbridge"}, Cmd: []string{"--help"},
		Labels: map[string]string{
			"org.opencontainers.image.title": "fairbridge", "org.opencontainers.image.version": version,
			"org.opencontainers.image.description": "GPU scheduler beside Slurm", "org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return c
}

// putFiles writes the image's files.
func putFiles(w *tar.Writer, program string, made time.Time) error {
	put := func(name string, mode int64, user int, content []byte) error {
		h := tar.Header{Name: name, Mode: mode, Uid: user, Gid: user, ModTime: made, Typeflag: tar.TypeReg, Size: int64(len(content)), Format: tar.FormatPAX}
		if content == nil {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(&h); err != nil {
			return err
		}
		_, err := w.Write(content)
		return err
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	trusted, err := os.ReadFile(certificates)
	if err != nil {
		return fmt.Errorf("reading what this machine trusts (package ca-certificates): %w", err)
	}
	const owner = 65532
	for _, f := range []struct {
		name    string
		mode    int64
		user    int
		content []byte
	}{
		{"etc/", 0o755, 0, nil}, {"etc/passwd", 0o644, 0, []byte("fairbridge:x:65532:65532::/var/lib/fairbridge:/sbin/nologin\n")},
		{"etc/fairbridge/", 0o755, 0, nil},
		{"etc/ssl/", 0o755, 0, nil}, {"etc/ssl/certs/", 0o755, 0, nil}, {"etc/ssl/certs/ca-certificates.crt", 0o644, 0, trusted},
		{"run/", 0o755, 0, nil}, {"run/fairbridge/", 0o755, owner, nil}, {"tmp/", 0o1777, 0, nil},
		{"usr/", 0o755, 0, nil}, {"usr/bin/", 0o755, 0, nil}, {"usr/bin/fairbridge", 0o755, 0, binary},
		{"var/", 0o755, 0, nil}, {"var/lib/", 0o755, 0, nil}, {"var/lib/fairbridge/", 0o700, owner, nil},
	} {
		if err := put(f.name, f.mode, f.user, f.content); err != nil {
			return err
		}
	}
	return w.Close()
}

// archive writes the files below a folder, in the order of their names.
func archive(to io.Writer, folder string, made time.Time) error {
	w := tar.NewWriter(to)
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, ModTime: made, Size: int64(len(content)), Format: tar.FormatPAX}); err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	return w.Close()
}
