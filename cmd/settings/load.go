package settings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"fairbridge/bridge/slurm/safefile"
)

// maxFile is the size beyond which a file cannot be a configuration.
const maxFile = 1 << 20

// Load reads and checks a configuration file. The error joins every problem
// found, each a Problem.
func Load(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w; write one after the example with: fairbridge config example", err)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("reading the configuration: %s has %d bytes: that is not a configuration", path, info.Size())
	}
	if err := safefile.Check(path); err != nil {
		return nil, fmt.Errorf("the configuration names programs to run, so that nobody else may write it: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return Parse(path, text)
}

// Parse reads and checks a configuration. name stands for it in messages.
func Parse(name string, text []byte) (*File, error) {
	f := Defaults()
	f.name = name
	doc, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, syntaxProblem(name, err)
	}
	d := &decoder{file: name, where: positions{}}
	for _, body := range documents(doc) {
		d.value(body, reflect.ValueOf(f).Elem(), "")
	}
	f.where = d.where
	if err := errors.Join(sortByPlace(append(d.problems, withoutRepeats(d.problems, f.problems())...))...); err != nil {
		return nil, err
	}
	return f, nil
}

// withoutRepeats leaves out what is said of a place that something was said of
// already: a value that could not be read is not also to be called missing.
func withoutRepeats(said, more []error) []error {
	told := map[[2]int]bool{}
	for _, err := range said {
		line, col := place(err)
		told[[2]int{line, col}] = true
	}
	return slices.DeleteFunc(more, func(err error) bool {
		line, col := place(err)
		return told[[2]int{line, col}]
	})
}

// place returns where in the file a problem is; the last line there can be when
// it is at no place.
func place(err error) (line, col int) {
	var p Problem
	if errors.As(err, &p); p.Line == 0 {
		return math.MaxInt, 0
	}
	return p.Line, p.Col
}

// sortByPlace sorts problems by their place in the file; those without one come
// last.
func sortByPlace(problems []error) []error {
	slices.SortStableFunc(problems, func(a, b error) int {
		la, ca := place(a)
		lb, cb := place(b)
		return cmp.Or(cmp.Compare(la, lb), cmp.Compare(ca, cb))
	})
	return problems
}

// documents returns the bodies of the documents in the file, comments left
// out.
func documents(f *ast.File) []ast.Node {
	var bodies []ast.Node
	for _, d := range f.Docs {
		if d.Body == nil || d.Body.Type() == ast.CommentType {
			continue
		}
		bodies = append(bodies, d.Body)
	}
	return bodies
}

// syntaxProblem turns a YAML error into a Problem at its place.
func syntaxProblem(name string, err error) error {
	var at interface {
		GetToken() *token.Token
		GetMessage() string
	}
	p := Problem{File: name, Text: firstLine(err.Error())}
	if errors.As(err, &at) {
		p.Text = at.GetMessage()
		if t := at.GetToken(); t != nil && t.Position != nil {
			p.Line, p.Col = t.Position.Line, t.Position.Column
		}
	}
	return p
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

// problemAt makes a Problem of an error whose text begins with the key it is about,
// below the prefix.
func (f *File) problemAt(prefix string, err error) error {
	text := err.Error()
	key, _, _ := strings.Cut(text, ":")
	p := Problem{File: f.name, Text: joinPath(prefix, text)}
	for path := joinPath(prefix, key); path != ""; path = parentPath(path) {
		if pos := f.where[path]; pos != nil {
			p.Line, p.Col = pos.Line, pos.Column
			break
		}
	}
	return p
}

// parentPath returns the path one level up, "" at the top.
func parentPath(path string) string {
	if i := strings.LastIndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return ""
}

// flatten returns the errors that were joined, in depth.
func flatten(err error) []error {
	if err == nil {
		return nil
	}
	var j interface{ Unwrap() []error }
	if !errors.As(err, &j) {
		return []error{err}
	}
	var all []error
	for _, e := range j.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}
