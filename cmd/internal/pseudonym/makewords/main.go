// Makewords writes the words of fairbridge's own texts: of the string literals of what answers and
// decides, and of queries. go generate runs it.
package main

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// folders are those whose texts are shown.
var folders = []string{"policy", "bridge", "accounting", "api", "nodeprobe", "cmd/internal", "cmd/settings", "sql/migrations", "sql/queries", "sql/reports"}

// noFolders are parts of those that show nothing, or made-up names.
var noFolders = []string{"testdata", "chaos", "slurmtest", "sim", "study", "fakenvml", "policytest", "storetest", "makewords", "assets"}

// names of examples are no words.
var names = strings.Fields("alice bob carol dave erin eve frank grace heidi mallory trent ann anna ben max")

var (
	word = regexp.MustCompile(`[\pL\pM]+\d*`)
	// compound is a word with signs in it, such as priority/multifactor, probes.url or gpu_hours: its parts alone do not make it ours, since
	// gpu-node-7 may be a host.
	compound = regexp.MustCompile(`\pL[\pL\pN\pM+-]*(?:[_/.-][\pL\pN\pM+-]+)+`)
	// surname is how authors of papers are written: a word that is never written otherwise may be one, and is left out.
	surname = regexp.MustCompile(`^\p{Lu}\p{Ll}+$`)
)

func main() {
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "makewords:", err)
		os.Exit(1)
	}
}

func write(root, to string) error {
	all := map[string]bool{}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && slices.Contains(noFolders, d.Name()):
				return filepath.SkipDir
			case d.IsDir() || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			return add(all, path)
		})
		if err != nil {
			return err
		}
	}
	maps.DeleteFunc(all, func(w string, isWord bool) bool { return !isWord || slices.Contains(names, w) })
	return os.WriteFile(to, []byte(strings.Join(slices.Sorted(maps.Keys(all)), "\n")+"\n"), 0o644)
}

// add adds the words of a file: of its string literals, or of all of a query.
func add(all map[string]bool, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch filepath.Ext(path) {
	case ".sql":
		addWords(all, string(text))
	case ".go":
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile(path, -1, len(text)), text, nil, 0)
		for {
			_, tok, literal := s.Scan()
			if tok == token.EOF {
				return nil
			}
			if tok == token.STRING && !strings.HasPrefix(literal, `"fairbridge/`) {
				addWords(all, literal)
			}
		}
	}
	return nil
}

func addWords(all map[string]bool, text string) {
	for _, w := range word.FindAllString(text, -1) {
		all[strings.ToLower(w)] = all[strings.ToLower(w)] || !surname.MatchString(w)
	}
	for _, w := range compound.FindAllString(text, -1) {
		all[strings.ToLower(strings.TrimRight(w, ".-/"))] = true
	}
}
