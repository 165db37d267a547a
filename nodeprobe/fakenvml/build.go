package fakenvml

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed src
var sourceFiles embed.FS

// StateVariable is the environment variable that names the state file.
const StateVariable = "FAKENVML_STATE"

// BuildLibrary compiles the library into the directory and returns its path. The
// functions named by without are left out, as an old driver lacks them. It
// needs gcc.
func BuildLibrary(dir string, without ...string) (string, error) {
	cc, err := exec.LookPath("gcc")
	if err != nil {
		return "", fmt.Errorf("the fake NVML is built by gcc: %w; install gcc and libc6-dev", err)
	}
	src, err := os.MkdirTemp(dir, "src-")
	if err != nil {
		return "", fmt.Errorf("making room for the source of the fake NVML: %w", err)
	}
	defer os.RemoveAll(src)
	if err := unpackSource(src); err != nil {
		return "", fmt.Errorf("writing the source of the fake NVML: %w", err)
	}
	lib := filepath.Join(dir, "libnvidia-ml.so.1")
	args := []string{"-O1", "-shared", "-fPIC", "-Wall", "-Wl,-soname,libnvidia-ml.so.1", "-o", lib, "nvml.c", "state.c"}
	for _, name := range without { // under another name it is not found
		args = append(args, "-D"+name+"=without_"+name)
	}
	cmd := exec.Command(cc, args...)
	cmd.Dir = src
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("compiling the fake NVML: %w\n%s", err, out)
	}
	return filepath.Abs(lib)
}

func unpackSource(dir string) error {
	tree, err := fs.Sub(sourceFiles, "src")
	if err != nil {
		return err
	}
	return os.CopyFS(dir, tree)
}
