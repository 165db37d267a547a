package slurm

import (
	"strings"
)

// GRES is one generic resource: of a node, or asked for or held by a job.
type GRES struct {
	Name  string // "gpu", "shard", "mps"
	Type  string // "a100", "1g.5gb"; "" when not given
	Count int
	Index []int // device numbers, sorted; nil when not given
}

// GRESList is a list of generic resources, read once.
type GRESList struct {
	Text   string // as Slurm writes it
	List   []GRES // shared by records: never written to
	Unread string // why the text cannot be read, and lists nothing; "" when it can
}

// ReadGRES reads what a node has, or a job holds on one:
// "gpu:a100:8(S:0-1)", "gpu:a100:7(IDX:0-5,7),shard:0(IDX:N/A)".
func ReadGRES(text string) GRESList {
	list, err := parseList(text)
	return GRESList{Text: text, List: list, Unread: errorText(err)}
}

// ReadRequest reads what a job asks per node, job or task, as any version writes
// it: "gres/gpu:a100:4", "gres:gpu:2".
func ReadRequest(text string) GRESList {
	list, err := parseRequest(text)
	return GRESList{Text: text, List: list, Unread: errorText(err)}
}

// ReadDetail reads gres_detail: what a job holds, node by node.
func ReadDetail(texts []string) []GRESList {
	var out []GRESList
	for _, t := range texts {
		out = append(out, ReadGRES(t))
	}
	return out
}

// Mixed reports whether the list names more than one type of GPU.
func (l GRESList) Mixed() bool {
	typ := ""
	for _, g := range l.List {
		if g.Name != "gpu" || g.Type == "" {
			continue
		}
		if typ != "" && g.Type != typ {
			return true
		}
		typ = g.Type
	}
	return false
}

// maxCount is more devices than are believed.
const maxCount = 1 << 31

// The largest device number, and the most of them, that is believed.
const maxIndex = 1 << 16

// parseList reads a list such as "gpu:a100:8(S:0-1)" or
// "gpu:a100:7(IDX:0-5,7),shard:0(IDX:N/A)", as nodes (gres, gres_used) and
// jobs (gres_detail) have them. A missing count is 1.
func parseList(s string) ([]GRES, error) { return parseGRES(s, "generic resources") }

// parseRequest reads the generic resources of a job's request per node, job or
// task, as any version writes them: "gres/gpu:a100:4", "gres:gpu:2", "gpu:2",
// "cpu=8,gres/gpu=1". Resources that are not generic are skipped.
func parseRequest(s string) ([]GRES, error) {
	list, err := parseGRES(s, "resource request")
	if err != nil {
		return nil, err
	}
	out := list[:0]
	for _, g := range list {
		switch g.Name {
		case "cpu", "mem", "node", "billing", "energy":
		default:
			out = append(out, g)
		}
	}
	return out, nil
}

func parseGRES(s, what string) ([]GRES, error) {
	if s == "" || s == "(null)" || s == "N/A" {
		return nil, nil
	}
	p := &gresParser{textParser{what: what, s: s}}
	var out []GRES
	for {
		g, err := p.parseItem()
		if err != nil {
			return nil, err
		}
		out = append(out, g)
		if p.i == len(s) {
			return out, nil
		}
		if !p.skipByte(',') {
			return nil, p.errorf("unexpected %q", s[p.i])
		}
		p.i++
	}
}

// gresParser reads one list.
type gresParser struct{ textParser }

// parseItem reads name[:type][:count] and what follows in parentheses.
func (p *gresParser) parseItem() (GRES, error) {
	for _, prefix := range []string{"gres/", "gres:"} {
		if strings.HasPrefix(p.s[p.i:], prefix) {
			p.i += len(prefix)
			break
		}
	}
	g := GRES{Name: p.parseWord(), Count: 1}
	if g.Name == "" || g.Name == "gres" {
		return g, p.errorf("a name should be here")
	}
	for p.skipByte(':') || p.skipByte('=') {
		p.i++
		if err := p.parsePart(&g); err != nil {
			return g, err
		}
	}
	for p.skipByte('(') {
		if err := p.parseDetail(&g); err != nil {
			return g, err
		}
	}
	return g, nil
}

// parseWord reads up to the next punctuation.
func (p *gresParser) parseWord() string {
	n := strings.IndexAny(p.s[p.i:], ":=,()[]")
	if n < 0 {
		n = len(p.s) - p.i
	}
	p.i += n
	return p.s[p.i-n : p.i]
}

// parsePart reads a type or the count.
func (p *gresParser) parsePart(g *GRES) error {
	if strings.HasPrefix(p.s[p.i:], "(null)") {
		p.i += len("(null)")
		return nil
	}
	from := p.i
	w := p.parseWord()
	n, number := parseQuantity(w, 1)
	switch {
	case w == "":
		p.i = from
		return p.errorf("a type or a count should be here")
	case w == "no_consume":
	case number && n < maxCount && !p.skipByte(':') && !p.skipByte('='):
		g.Count = int(n)
	case g.Type == "" && w[0] != '-':
		g.Type = w
	default:
		p.i = from
		return p.errorf("%s is no count", Excerpt(w))
	}
	return nil
}

// parseDetail reads "(IDX:0-3,5)" into Index, and skips other remarks.
func (p *gresParser) parseDetail(g *GRES) error {
	end := strings.IndexByte(p.s[p.i:], ')')
	if end < 0 {
		return p.errorf("a parenthesis is not closed")
	}
	end += p.i
	idx := strings.HasPrefix(p.s[p.i:], "(IDX:")
	if !idx || p.s[p.i:end] == "(IDX:N/A" || p.s[p.i:end] == "(IDX:" {
		p.i = end + 1
		return nil
	}
	p.i += len("(IDX:")
	for p.i < end {
		if err := p.parseDevices(g); err != nil {
			return err
		}
		if p.i < end && !p.skipByte(',') {
			return p.errorf("unexpected %q", p.s[p.i])
		}
		p.i++
	}
	return nil
}

// parseDevices reads "4" or "0-3", which must go up.
func (p *gresParser) parseDevices(g *GRES) error {
	from := p.i
	lo, _, err := p.parseNumber()
	if err != nil {
		return err
	}
	hi := lo
	if p.skipByte('-') {
		p.i++
		if hi, _, err = p.parseNumber(); err != nil {
			return err
		}
	}
	if n := len(g.Index); hi < lo || hi >= maxIndex || n > 0 && g.Index[n-1] >= lo {
		p.i = from
		return p.errorf("device numbers must go up, to at most %d", maxIndex-1)
	}
	for i := lo; i <= hi; i++ {
		g.Index = append(g.Index, i)
	}
	return nil
}
