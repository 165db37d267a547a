// Package settings reads the configuration file: YAML, strict, with every
// problem reported at once, each with its line and column. Secrets never stand
// in the file; it names the files or environment variables that hold them.
package settings
