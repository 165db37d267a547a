// Package sql holds the database schema and every query of fairbridge, as
// files that psql and editors understand, embedded into the binary.
package sql

import (
	"embed"
	"io/fs"
)

//go:embed migrations/*.sql queries/*.sql reports/*.sql roles/*.sql
var files embed.FS

// Migrations returns the goose migrations, in the root of the file system.
func Migrations() fs.FS { return subFS("migrations") }

// QueryText returns the text of queries/name.sql. A name that does not exist is a
// mistake of the programmer and panics.
func QueryText(name string) string { return readText("queries/" + name + ".sql") }

// ReportText returns the text of reports/name.sql. Its first comment line is its
// title, the others say what is to be known.
func ReportText(name string) string { return readText("reports/" + name + ".sql") }

// RoleText returns the text of roles/name.sql.
func RoleText(name string) string { return readText("roles/" + name + ".sql") }

func subFS(dir string) fs.FS {
	f, err := fs.Sub(files, dir)
	if err != nil {
		panic(err)
	}
	return f
}

func readText(path string) string {
	b, err := files.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return string(b)
}
