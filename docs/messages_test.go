package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEveryWarningIsExplained wants each line that a program logs as a warning or an error in the page of messages, and none there that
// none logs. A message that is put together is known by its beginning.
func TestEveryWarningIsExplained(t *testing.T) {
	var explained []string
	for _, r := range rows(t, "messages.md", regexp.MustCompile("^`")) {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(r[0], -1) {
			explained = append(explained, m[1])
		}
	}
	logged := logged(t)
	if len(logged) < 25 {
		t.Fatalf("found only %d messages: the search is broken", len(logged))
	}
	for message, at := range logged {
		if !slices.ContainsFunc(explained, func(e string) bool {
			return e == message || strings.HasSuffix(message, " ") && strings.HasPrefix(e, message)
		}) {
			t.Errorf("%s logs %q, which messages.md does not explain", at, message)
		}
	}
	page, err := os.ReadFile("messages.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`…]+)`").FindAllStringSubmatch(section(string(page), "## In the log"), -1) {
		if _, ok := logged[m[1]]; !ok && !slices.ContainsFunc(beginnings(logged), func(b string) bool { return strings.HasPrefix(m[1], b) }) {
			t.Errorf("messages.md explains %q, which nothing logs", m[1])
		}
	}
}

// section is what a page has between a heading and the next.
func section(page, heading string) string {
	_, text, _ := strings.Cut(page, heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

func beginnings(logged map[string]string) (all []string) {
	for message := range logged {
		if strings.HasSuffix(message, " ") {
			all = append(all, message)
		}
	}
	return all
}

// logged returns where each warning and error is logged, by its text.
func logged(t *testing.T) map[string]string {
	t.Helper()
	all, fset := map[string]string{}, token.NewFileSet()
	for _, path := range paths(t) {
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		path = filepath.FromSlash(path[1:])
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if message := warning(n); message != "" {
				all[message] = path
			}
			return true
		})
	}
	return all
}

// warning returns what a call of a logger logs as a warning or an error; "" where it is none.
func warning(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || fun.Sel.Name != "Warn" && fun.Sel.Name != "Error" || !isLogger(fun.X) {
		return ""
	}
	text := call.Args[0]
	for sum, isSum := text.(*ast.BinaryExpr); isSum; sum, isSum = text.(*ast.BinaryExpr) {
		text = sum.X
	}
	if lit, ok := text.(*ast.BasicLit); ok {
		message, _ := strconv.Unquote(lit.Value)
		return message
	}
	return ""
}

// isLogger goes by the name.
func isLogger(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "log" || x.Name == "slog"
	case *ast.SelectorExpr:
		return strings.EqualFold(x.Sel.Name, "log")
	}
	return false
}

// TestEveryCauseIsExplained wants a line for each cause of a doubt or a warning.
func TestEveryCauseIsExplained(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../bridge/doubt.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
			if typ, isName := v.Type.(*ast.Ident); isName && typ.Name == "Cause" {
				cause, _ := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				want = append(want, cause)
			}
		}
		return true
	})
	page, err := os.ReadFile("messages.md")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(section(string(page), "## Causes"), -1) {
		have = append(have, m[1])
	}
	if len(want) < 20 || !slices.Equal(want, have) {
		t.Errorf("bridge/doubt.go has the causes %v, messages.md explains %v", want, have)
	}
}
