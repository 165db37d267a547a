// Package sql holds the database schema and every query of fairbridge, as
// files that psql and editors understand, embedded into the binary.
package sql

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed migrations/*.sql queries/*.sql reports/*.sql roles/*.sql
var files embed.FS

// Migrations returns the goose migrations, in the root of the file system.
func Migrations() fs.FS { return sub("migrations") }

// Query returns the text of queries/name.sql. A name that does not exist is a
// mistake of the programmer and panics.
func Query(name string) string { return text("queries/" + name + ".sql") }

// Report returns the text of reports/name.sql. Its first comment line is its
// title, the others say what is to be known.
func Report(name string) string { return text("reports/" + name + ".sql") }

// Role returns the text of roles/name.sql.
func Role(name string) string { return text("roles/" + name + ".sql") }

// Queries returns the names of all queries, sorted.
func Queries() []string {
	list, err := files.ReadDir("queries")
	if err != nil {
		panic(err)
	}
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = strings.TrimSuffix(f.Name(), ".sql")
	}
	return names
}

func sub(dir string) fs.FS {
	f, err := fs.Sub(files, dir)
	if err != nil {
		panic(err)
	}
	return f
}

func text(path string) string {
	b, err := files.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return string(b)
}
