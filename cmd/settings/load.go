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

// maxFileSize is the size beyond which a file cannot be a configuration.
const maxFileSize = 1 << 20

// Load reads and checks a configuration file. The error joins every problem
// found, each a Problem; those of values only where every value can be read.
func Load(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w; write one after the example with: fairbridge config example, or name yours with -c FILE", err)
	}
	if info.Size() > maxFileSize {
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
	f := NewDefaultFile()
	d, _, err := decode(name, text, f)
	if err != nil {
		return nil, err
	}
	f.path, f.positionByPath = name, d.positionByPath
	if err := errors.Join(sortByPosition(f.findProblems())...); err != nil {
		return nil, err
	}
	return f, nil
}

// decode fills a struct from the documents of a file, of which it returns how many there are. The error joins every
// value that is of another type than its key wants; what the values say is for the caller to check.
func decode(name string, text []byte, to any) (d *decoder, documents int, err error) {
	file, err := parser.ParseBytes(text, 0)
	if err != nil {
		return nil, 0, newSyntaxProblem(name, err)
	}
	d = &decoder{filePath: name, positionByPath: positionsByPath{}}
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			d.decodeValue(doc.Body, reflect.ValueOf(to).Elem(), "")
			documents++
		}
	}
	return d, documents, errors.Join(d.problems...)
}

// positionOf returns where in the file a problem is; the last line there can be when
// it is at no place.
func positionOf(err error) (line, col int) {
	var p Problem
	if errors.As(err, &p); p.Line == 0 {
		return math.MaxInt, 0
	}
	return p.Line, p.Column
}

// sortByPosition sorts problems by their place in the file; those without one come
// last.
func sortByPosition(problems []error) []error {
	slices.SortStableFunc(problems, func(a, b error) int {
		la, ca := positionOf(a)
		lb, cb := positionOf(b)
		return cmp.Or(cmp.Compare(la, lb), cmp.Compare(ca, cb))
	})
	return problems
}

// newSyntaxProblem turns a YAML error into a Problem at its place.
func newSyntaxProblem(name string, err error) error {
	var at interface {
		GetToken() *token.Token
		GetMessage() string
	}
	p := Problem{File: name, Text: err.Error()}
	if errors.As(err, &at) {
		p.Text = at.GetMessage()
		if t := at.GetToken(); t != nil && t.Position != nil {
			p.Line, p.Column = t.Position.Line, t.Position.Column
		}
	}
	return p
}

// newProblemAt makes a Problem of an error whose text begins with the key it is about,
// below the prefix.
func (f *File) newProblemAt(prefix string, err error) error {
	text := err.Error()
	key, _, _ := strings.Cut(text, ":")
	p := Problem{File: f.path, Text: joinKeyPath(prefix, text)}
	for path := joinKeyPath(prefix, key); path != ""; path = parentKeyPath(path) {
		if pos := f.positionByPath[path]; pos != nil {
			p.Line, p.Column = pos.Line, pos.Column
			break
		}
	}
	return p
}

// parentKeyPath returns the path one level up, "" at the top.
func parentKeyPath(path string) string {
	if i := strings.LastIndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return ""
}

// flattenErrors returns the errors that were joined, in depth.
func flattenErrors(err error) []error {
	if err == nil {
		return nil
	}
	var j interface{ Unwrap() []error }
	if !errors.As(err, &j) {
		return []error{err}
	}
	var all []error
	for _, e := range j.Unwrap() {
		all = append(all, flattenErrors(e)...)
	}
	return all
}
