// Package report answers the questions of managers and users from the views of
// schema fairbridge_v1: rows in, figures out. The queries are the files of
// sql/reports; anybody may run them with psql.
package report
