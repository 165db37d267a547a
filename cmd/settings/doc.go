// Package settings reads the configuration file: YAML, strict, with every problem
// of its keys and types reported at once, or else every problem of its values, each
// with its line and column. Secrets never stand in the file; it names the files or
// environment variables that hold them.
//
// Here is the file: its keys (file.go), their bounds (check.go) and what the parts of
// the program are told of it (loop.go, parts.go). The values that the loop works with
// are bridge.Config, in bridge/config.go, which knows of no file. Four sections are its
// own types, keys and all, with their bounds: order, lease, preempt and gate.
package settings
