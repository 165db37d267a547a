// Package bundle collects what helps somebody far away to understand a fairbridge, replaces every name
// in it, and packs it. Nothing of it changes anything. What cannot be had is left out, with the reason.
package bundle

import (
	"context"
	"errors"
	"time"

	"fairbridge/accounting/stores"
	"fairbridge/accounting/support"
	"fairbridge/api/page/recording"
	"fairbridge/cmd/internal/cli"
	"fairbridge/cmd/internal/doctor"
	"fairbridge/cmd/internal/source"
	"fairbridge/cmd/internal/system"
	"fairbridge/cmd/internal/version"
	"fairbridge/cmd/settings"
)

// errNotReadable is that the user of the command may not read the journal.
var errNotReadable = errors.New("you may not read it (group systemd-journal may)")

// partTime is how long one part may take.
const partTime = 2 * time.Minute

// nameTime is how long before the time that is told of jobs may have started, whose names are known as such.
const nameTime = 30 * 24 * time.Hour

// Part is one file of a bundle, with names still in it.
type Part struct {
	File, About string
	Doc         any   // nil: it is missing
	Err         error // why it is missing
}

// Collection is all that was collected, and what must never leave the host.
type Collection struct {
	Parts   []Part
	names   []support.Name
	secrets [][]byte
	at      time.Time
}

// collector asks for one part after another.
type collector struct {
	*Collection
	file  *settings.File
	db    *stores.Stores
	dbErr error
	since time.Time
}

// Collect asks for every part. o names the configuration; what happened is told since then.
func Collect(ctx context.Context, o *cli.Options, since, now time.Time) *Collection {
	c := &collector{Collection: &Collection{at: now.UTC()}, since: since}
	c.add(ctx, "version", "which release", func(context.Context) (any, error) { return version.ReadInfo(), nil })
	file, err := o.LoadSettings()
	if err == nil {
		c.file, c.secrets = file, knownSecrets(file)
		if c.db, c.dbErr = system.OpenDB(ctx, file); c.dbErr == nil {
			defer c.db.Close()
		}
	} else {
		c.dbErr = errors.New("without a configuration it is not known where")
	}
	c.add(ctx, "configuration", "the configuration; of addresses, paths and commands only that they are set", func(context.Context) (any, error) {
		if file == nil {
			return nil, err
		}
		return newConfiguration(file), nil
	})
	c.addLive(ctx)
	c.addRecord(ctx)
	c.addRecording(ctx, o)
	c.add(ctx, "log", "the daemon's lines in systemd's journal", func(ctx context.Context) (any, error) { return readLog(ctx, since) })
	return c.Collection
}

// add asks for a part.
func (c *collector) add(ctx context.Context, name, about string, read func(context.Context) (any, error)) {
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	doc, err := read(ctx)
	if err != nil {
		doc = nil
	}
	c.Parts = append(c.Parts, Part{File: name + ".json", About: about, Doc: doc, Err: err})
}

// addLive asks for what is now.
func (c *collector) addLive(ctx context.Context) {
	for _, p := range []struct {
		name, about string
		read        func(context.Context) (any, error)
	}{
		{"doctor", "what fairbridge doctor finds", func(ctx context.Context) (any, error) { return doctor.Examine(ctx, c.file), nil }},
		{"slurm", "settings of slurm.conf that scheduling hangs on", func(ctx context.Context) (any, error) {
			kept, err := readSlurmSettings(ctx, c.file.Slurm.Scontrol)
			return map[string]any{"settings": kept}, err
		}},
		{"metrics", "the daemon's metrics", func(ctx context.Context) (any, error) { return readMetrics(ctx, c.file.Listen) }},
	} {
		c.add(ctx, p.name, p.about, func(ctx context.Context) (any, error) {
			if c.file == nil {
				return nil, c.dbErr
			}
			return p.read(ctx)
		})
	}
}

// addRecord asks the database.
func (c *collector) addRecord(ctx context.Context) {
	for _, p := range []struct {
		name, about string
		read        func(context.Context) (any, error)
	}{
		{"database", "versions, and how large its tables are", c.readDatabase},
		{"doubts", "who leads, and what is in doubt", c.readDoubts},
		{"ledger", "how many changes in Slurm, by kind and state", func(ctx context.Context) (any, error) { return support.Ledger(ctx, c.db.DB, c.file.Cluster, c.since) }},
		{"cycles", "the last cycles, with what the gate refused", func(ctx context.Context) (any, error) { return support.Cycles(ctx, c.db.DB, c.file.Cluster, c.since) }},
		{"decisions", "the last decisions, with their reasons", func(ctx context.Context) (any, error) {
			return support.Decisions(ctx, c.db.DB, c.file.Cluster, c.since)
		}},
	} {
		c.add(ctx, p.name, p.about, func(ctx context.Context) (any, error) {
			if c.dbErr != nil {
				return nil, c.dbErr
			}
			return p.read(ctx)
		})
	}
}

// readDatabase says how the database is, and learns what is called how in it.
func (c *collector) readDatabase(ctx context.Context) (any, error) {
	status, err := c.db.Status(ctx)
	if err != nil {
		return nil, err
	}
	sizes, err := support.TableSizes(ctx, c.db.DB)
	if err != nil {
		return nil, err
	}
	c.names, err = support.Names(ctx, c.db.DB, c.file.Cluster, c.since.Add(-nameTime))
	return map[string]any{"status": status, "sizes": sizes}, err
}

func (c *collector) readDoubts(ctx context.Context) (any, error) {
	leader, err := c.db.ReadLeader(ctx, c.file.Cluster)
	if err != nil {
		return nil, err
	}
	doubts, err := c.db.Doubts(ctx, c.file.Cluster)
	return map[string]any{"leader": leader, "doubts": doubts}, err
}

// addRecording records what pages show.
func (c *collector) addRecording(ctx context.Context, o *cli.Options) {
	c.add(ctx, "recording", "queue, jobs, nodes, shares, changes and reports: fairbridge web --recording recording.json", func(ctx context.Context) (any, error) {
		if c.file == nil {
			return nil, c.dbErr
		}
		local := *o
		s, err := source.OpenConfigured(ctx, &local)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		return recording.Record(ctx, s, c.at, recording.MaxJobs, func(ask func() error) error { return ask() })
	})
}
