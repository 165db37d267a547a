package settings_test

import (
	"errors"
	"testing"

	"fairbridge/cmd/settings"
)

// FuzzParse wants every text to be read or refused, never a panic, and what is
// read to be something the loop can work with.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		settings.Example, least, "", "{", "a: &x [*x]", "? - a", "cluster: c\npartitions: [{name: gpu, params: {queues: [1, .nan]}}]",
		"cluster: !!binary x", "<<: {cluster: c}", "cluster: c\n---\ncluster: d\n", "partitions: [[[]]]", "accounts: {1: 1}", "\x00", "cluster: \"\\x\"",
		least + "gate: {stop_percent: 1e300}", least + "interval: 9223372036854775807ns", least + "log:\n\tlevel: info",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := settings.Parse("f.yaml", text)
		if err != nil {
			var p settings.Problem
			if !errors.As(err, &p) || p.Text == "" {
				t.Fatalf("not a problem of the file: %#v", err)
			}
			return
		}
		c, err := got.LoopConfig()
		if err != nil {
			t.Fatalf("read, but no policy can be made: %v", err)
		}
		if err := c.Validate(); err != nil {
			t.Fatalf("read, but refused by the loop: %v", err)
		}
		got.RESTConfig()
		got.Retention()
		got.AccountShares()
		got.FormatModes()
	})
}
