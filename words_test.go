package fairbridge_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// A type is a noun: what is left of a verb does not say what it is. These were types once.
var noTypes = strings.Fields("again asked comparing explained importing lived pasting planned replaying shown told tracing")

// Allegories and people where jobs are meant: the glossary and each system's paper
// have words for what these stood for.
var noNames = strings.Fields("court crowd everybody film hearing nobody petition purse somebody thought whoever")

// TestNames looks for such words in the names of types and functions.
func TestNames(t *testing.T) {
	for _, f := range tree(t) {
		if f.test {
			continue
		}
		for _, d := range f.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				f.checkName(t, d.Name, noNames)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok && d.Tok == token.TYPE {
						f.checkName(t, s.Name, noNames)
						if slices.Contains(noTypes, strings.ToLower(s.Name.Name)) {
							t.Errorf("%s: type %s is no noun", f.at(s), s.Name.Name)
						}
					}
				}
			}
		}
	}
}

// checkName wants none of the words to be a word of the name.
func (f source) checkName(t *testing.T, name *ast.Ident, words []string) {
	for _, w := range wordsOf(name.Name) {
		if slices.Contains(words, w) {
			t.Errorf("%s: %s has the word %q, which a stranger would not guess: see docs/glossary.md and CONTRIBUTING.md", f.at(name), name.Name, w)
		}
	}
}

// wordsOf parts a name at its capitals, in small letters.
func wordsOf(name string) []string {
	var words []string
	was := rune(0)
	for _, c := range name {
		if len(words) == 0 || unicode.IsUpper(c) && !unicode.IsUpper(was) {
			words = append(words, "")
		}
		words[len(words)-1] += string(unicode.ToLower(c))
		was = c
	}
	return words
}

// people are the files of policy whose comments speak of people: users and owners.
var people = []string{"policy/share/fair.go"}

// TestJobsAreNotPeople looks for people in the comments of policies, which know jobs and
// accounts. A job is no person: "no job", "every job".
func TestJobsAreNotPeople(t *testing.T) {
	person := regexp.MustCompile(`(?i)\b(nobody|everybody|somebody|anybody|everyone|someone|anyone|whoever)\b`)
	spared := map[string]bool{}
	for _, f := range tree(t) {
		if f.test || !match([]string{"policy/..."}, f.folder) {
			continue
		}
		for _, c := range f.file.Comments {
			found := person.FindString(c.Text())
			switch {
			case found == "":
			case slices.Contains(people, f.path):
				spared[f.path] = true
			default:
				t.Errorf("%s: the comment says %q: is it a job?", f.at(c), found)
			}
		}
	}
	for _, path := range people {
		if !spared[path] {
			t.Errorf("%s speaks of no people any more: it needs no exception", path)
		}
	}
}
