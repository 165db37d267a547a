package source

import (
	"context"
	"errors"
	"fmt"
	"os"

	"fairbridge/cmd/internal/cli"
)

// Rule says where answers come from, for the help.
const Rule = `Answers come from the first of these:
  --config, or --url
  FAIRBRIDGE_CONFIG: configuration and database, which only administrators can read
  FAIRBRIDGE_URL: the daemon, at https://HOST:PORT or unix:///PATH
  FAIRBRIDGE_CLIENT: a client.yaml, which says where the daemon is
  /etc/fairbridge/fairbridge.yaml, where you may read it: as --config
  /etc/fairbridge/client.yaml: as FAIRBRIDGE_CLIENT
  /run/fairbridge/api.sock: the daemon on this host`

// Where things are if nothing else is said.
const (
	defaultClientPath = "/etc/fairbridge/client.yaml"
	defaultSocketPath = "/run/fairbridge/api.sock"
)

// situation is what the choice hangs on.
type situation struct {
	configFlag, urlFlag                string // "": not given
	getenv                             func(name string) string
	canRead                            func(path string) bool // there is such a file, and we may read it
	isThere                            func(path string) bool
	configPath, clientPath, socketPath string
}

// choice is where answers come from: one of configPath, url and clientPath, and of a URL the
// client.yaml that says how to get there besides, if there is one.
type choice struct{ configPath, url, clientPath string }

// newSituation looks at flags, environment and files.
func newSituation(o *cli.Options) *situation {
	s := &situation{
		urlFlag: o.URL, getenv: os.Getenv, canRead: canRead, isThere: isThere,
		configPath: cli.DefaultConfigPath, clientPath: defaultClientPath, socketPath: defaultSocketPath,
	}
	if o.IsConfigFlagGiven() {
		s.configFlag = o.ConfigPath
	}
	return s
}

// choose follows Rule. Its errors are ones of usage.
func (s *situation) choose() (choice, error) {
	switch {
	case s.configFlag != "" && s.urlFlag != "":
		return choice{}, cli.NewUsageError(errors.New("--config and --url say two places to ask: give one of them"))
	case s.configFlag != "":
		return choice{configPath: s.configFlag}, nil
	case s.urlFlag != "":
		return s.chooseURL(s.urlFlag), nil
	case s.getenv("FAIRBRIDGE_CONFIG") != "":
		return choice{configPath: s.getenv("FAIRBRIDGE_CONFIG")}, nil
	case s.getenv("FAIRBRIDGE_URL") != "":
		return s.chooseURL(s.getenv("FAIRBRIDGE_URL")), nil
	case s.getenv("FAIRBRIDGE_CLIENT") != "":
		return choice{clientPath: s.getenv("FAIRBRIDGE_CLIENT")}, nil
	}
	return s.chooseFile()
}

// chooseURL is a URL, with what client.yaml says besides where that may be read.
func (s *situation) chooseURL(url string) choice {
	c := choice{url: url, clientPath: s.getenv("FAIRBRIDGE_CLIENT")}
	if c.clientPath == "" && s.canRead(s.clientPath) {
		c.clientPath = s.clientPath
	}
	return c
}

// chooseFile looks for what is installed here.
func (s *situation) chooseFile() (choice, error) {
	switch {
	case s.canRead(s.configPath):
		return choice{configPath: s.configPath}, nil
	case s.canRead(s.clientPath):
		return choice{clientPath: s.clientPath}, nil
	case s.isThere(s.socketPath):
		return choice{url: "unix://" + s.socketPath}, nil
	}
	return choice{}, cli.NewUsageError(fmt.Errorf("nothing says where fairbridge is: %s and %s cannot be read here, and there is no %s; "+
		"ask your administrators for the URL and give it by --url or FAIRBRIDGE_URL, or name the configuration with -c FILE", s.configPath, s.clientPath, s.socketPath))
}

func canRead(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	_ = f.Close()
	return true
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Open opens where the answers come from by Rule. The caller closes it.
func Open(ctx context.Context, o *cli.Options) (Source, error) {
	c, err := newSituation(o).choose()
	if err != nil {
		return nil, err
	}
	if c.configPath != "" {
		o.ConfigPath = c.configPath
		return openLocal(ctx, o)
	}
	return openRemote(c)
}
