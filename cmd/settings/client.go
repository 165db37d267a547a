package settings

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"fairbridge/bridge/slurm/safefile"
)

// Client says how the daemon is asked from afar: client.yaml.
type Client struct {
	// URL is https://HOST:PORT, or unix:///PATH on the daemon's host; "": it is said elsewhere.
	URL string `yaml:"url"`
	// CAFile has the certificates that the daemon's is signed by; "": those of the system.
	CAFile string `yaml:"ca_file"`
	// Munge is the command that makes a munge credential, by which the daemon knows who asks.
	Munge   []string      `yaml:"munge"`
	Timeout time.Duration `yaml:"timeout"` // of one question
}

// NewDefaultClient returns what holds where no client.yaml says otherwise.
func NewDefaultClient() *Client {
	return &Client{Munge: []string{"munge"}, Timeout: 30 * time.Second}
}

// LoadClient reads and checks a client.yaml. One that others may change is refused: it names
// a program to run, and whom to believe. The error joins every problem found, each a Problem.
func LoadClient(path string) (*Client, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("reading where to ask: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileSize {
		return nil, fmt.Errorf("reading where to ask: %s is no configuration: it is no file, or too large", path)
	}
	if err := safefile.Check(path); err != nil {
		return nil, fmt.Errorf("it names a program to run and whom to believe, so that nobody else may write it: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading where to ask: %w", err)
	}
	return ParseClient(path, text)
}

// ParseClient reads and checks the text of a client.yaml. name stands for it in messages.
func ParseClient(name string, text []byte) (*Client, error) {
	c := NewDefaultClient()
	d, documents, err := decode(name, text, c)
	if err != nil {
		return nil, err
	}
	f := &File{positionByPath: d.positionByPath, path: name} // for its places
	if err := errors.Join(sortByPosition(f.newProblemsAt("", c.findProblems(documents)))...); err != nil {
		return nil, err
	}
	return c, nil
}

// findProblems says what makes no sense, each by its key first.
func (c *Client) findProblems(documents int) (all []error) {
	if documents > 1 {
		all = append(all, errors.New("url: the file holds more than one document"))
	}
	if c.CAFile != "" && !strings.HasPrefix(c.CAFile, "/") {
		all = append(all, errors.New("ca_file: want an absolute path"))
	}
	if len(c.Munge) == 0 || c.Munge[0] == "" {
		all = append(all, errors.New("munge: want a command, such as [munge]"))
	}
	if c.Timeout < time.Second || c.Timeout > 10*time.Minute {
		all = append(all, errors.New("timeout: want 1s to 10m"))
	}
	return all
}
