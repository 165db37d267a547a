package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"fairbridge/cmd/internal/pseudonym"
)

// Member is one file of a bundle, as it is packed.
type Member struct {
	File    string `json:"file"`
	About   string `json:"what"`
	Bytes   int    `json:"bytes"`
	Missing string `json:"missing,omitempty"` // why it is not there, with names replaced
	Text    []byte `json:"-"`
	Err     error  `json:"-"` // Missing with its names, for who made the bundle
}

// errSecret is that a part would tell a secret.
var errSecret = errors.New("a secret of the configuration was found in it, so it was left out; please report that without this bundle")

// Members replaces the names in all parts, and makes files of them.
func (c *Collection) Members(m *pseudonym.Mapper) ([]Member, error) {
	docs := make([]any, len(c.Parts))
	for _, n := range c.names {
		m.Know(n.Kind, n.Name)
	}
	for i := range c.Parts {
		doc, err := generic(c.Parts[i].Doc)
		if err != nil {
			return nil, fmt.Errorf("reading %s again: %w", c.Parts[i].File, err)
		}
		docs[i] = doc
		m.Learn(doc)
	}
	list := make([]Member, len(c.Parts))
	for i, p := range c.Parts {
		x := Member{File: p.File, About: p.About, Err: p.Err}
		if p.Err == nil {
			text, err := json.MarshalIndent(m.Document(docs[i]), "", " ")
			if err != nil {
				return nil, fmt.Errorf("writing %s: %w", p.File, err)
			}
			if x.Text = text; c.holdsSecret(text) {
				x.Text, x.Err = nil, errSecret
			}
		}
		if x.Err != nil {
			x.Missing = m.Text(x.Err.Error())
		}
		x.Bytes = len(x.Text)
		list[i] = x
	}
	return list, nil
}

// generic is a document as JSON decodes it, with numbers as they are written.
func generic(doc any) (out any, err error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&out)
	return out, err
}

// readme is the first file of a bundle.
const readme = `A support bundle of fairbridge. Names of users, accounts, jobs, nodes, partitions and
clusters, and all that users wrote, are replaced: the same name by the same word. Who made
the bundle may have kept which is which; it is not in here, and neither is the key.

contents.json says what each file is, and what is missing and why.
The pages of that moment:  fairbridge web --recording recording.json
`

// Write packs the files, with contents.json. The same files at the same time give the same bytes.
func (c *Collection) Write(w io.Writer, members []Member) error {
	contents, err := json.MarshalIndent(map[string]any{"format": "fairbridge-bundle-1", "made": c.at, "files": members}, "", " ")
	if err != nil {
		return fmt.Errorf("writing contents.json: %w", err)
	}
	if c.holdsSecret(contents) {
		return errSecret
	}
	z := gzip.NewWriter(w)
	t := tar.NewWriter(z)
	all := append([]Member{{File: "README.txt", Text: []byte(readme)}, {File: "contents.json", Text: contents}}, members...)
	for _, x := range all {
		if x.Text == nil {
			continue
		}
		err := t.WriteHeader(&tar.Header{Name: "fairbridge-bundle/" + x.File, Mode: 0o600, Size: int64(len(x.Text)), ModTime: c.at.Truncate(time.Second), Format: tar.FormatUSTAR})
		if err == nil {
			_, err = t.Write(x.Text)
		}
		if err != nil {
			return fmt.Errorf("packing %s: %w", x.File, err)
		}
	}
	return errors.Join(t.Close(), z.Close())
}
