package bundlecommand

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"fairbridge/accounting/stores"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/doctor"
	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/internal/version"
	"fairbridge/cmd/settings"
)

// partTime is how long one part may take.
const partTime = 2 * time.Minute

// part is one file of a bundle, without names.
type part struct {
	file, about string
	text        []byte
	err         error // why it is missing
}

// collect asks for every part. o names the configuration; what happened is told since then. What cannot be had is left
// out, with the reason.
func collect(ctx context.Context, o *cli.Options, r *redactor, since time.Time) []part {
	file, errFile := o.LoadSettings()
	var db *stores.Stores
	errDB := errors.New("without a configuration it is not known where")
	if errFile == nil {
		if db, errDB = system.OpenDB(ctx, file); errDB == nil {
			defer db.Close()
		}
	}
	var parts []part
	add := func(name, about string, err error, read func(context.Context) (any, error)) {
		ctx, cancel := context.WithTimeout(ctx, partTime)
		defer cancel()
		p := part{file: name + ".json", about: about, err: err}
		var doc any
		if p.err == nil {
			doc, p.err = read(ctx)
		}
		if p.err == nil {
			doc, p.err = r.redact(doc)
		}
		if p.err == nil {
			p.text, p.err = json.MarshalIndent(doc, "", " ")
		}
		parts = append(parts, p)
	}
	add("version", "which release", nil, func(context.Context) (any, error) { return version.ReadInfo(), nil })
	add("configuration", "the configuration", errFile, func(context.Context) (any, error) { return file, nil })
	add("doctor", "what fairbridge doctor finds", errFile, func(ctx context.Context) (any, error) {
		return readFindings(ctx, file), nil
	})
	for _, p := range [][2]string{
		{"ledger", "how many changes in Slurm, by kind and state"},
		{"cycles", "the last cycles, with what the gate refused"}, {"decisions", "the last decisions"},
	} {
		add(p[0], p[1], errDB, func(ctx context.Context) (any, error) {
			return db.ReadRecent(ctx, p[0], file.Cluster, since)
		})
	}
	return parts
}

// readFindings returns what doctor finds, each with the form of its sentence, which names nobody.
func readFindings(ctx context.Context, f *settings.File) any {
	type finding struct {
		doctor.Finding
		Form doctor.Form `json:"form"`
	}
	var list []finding
	for _, x := range doctor.Examine(ctx, f) {
		list = append(list, finding{x, x.Form})
	}
	return list
}

// readme begins the first file of a bundle.
const readme = `A support bundle of fairbridge. What stays as it is are times, counts, sizes, and words of
fairbridge's own, such as modes and states. Every other value is replaced by a hash (x and
16 hexadecimal digits), the same value by the same one. The key of the hashes was random,
and nobody has it.

`

// listParts says in a line what each part is, or that it is missing.
func listParts(parts []part) (text string) {
	for _, p := range parts {
		if p.err != nil {
			p.about = "missing"
		}
		text += fmt.Sprintf("%-20s%8d bytes  %s\n", p.file, len(p.text), p.about)
	}
	return text
}

// write packs the parts and a list of them.
func write(w io.Writer, parts []part, at time.Time) error {
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	for _, p := range append([]part{{file: "README.txt", text: []byte(readme + listParts(parts))}}, parts...) {
		if p.err != nil {
			continue
		}
		err := t.WriteHeader(&tar.Header{
			Name: "fairbridge-bundle/" + p.file, Mode: 0o600, Size: int64(len(p.text)),
			ModTime: at.Truncate(time.Second),
		})
		if err == nil {
			_, err = t.Write(p.text)
		}
		if err != nil {
			return fmt.Errorf("packing %s: %w", p.file, err)
		}
	}
	return errors.Join(t.Close(), z.Close())
}
