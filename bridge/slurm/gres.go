package slurm

import (
	"strings"
)

// GRES is one generic resource: of a node, or asked for or held by a job.
type GRES struct {
	Name          string // "gpu", "shard", "mps"
	Type          string // "a100", "1g.5gb"; "" when not given
	Count         int
	DeviceIndexes []int // device numbers, sorted, of shares: of the devices they are of; nil when not given
}

// IsShare reports whether it is shards or MPS: parts of a GPU that Slurm gives to several jobs.
func (g GRES) IsShare() bool { return g.Name == "shard" || g.Name == "mps" }

// GRESList is a list of generic resources, read once.
type GRESList struct {
	Text         string // as Slurm writes it
	List         []GRES // shared by records: never written to
	UnreadReason string // why the text cannot be read, and lists nothing; "" when it can
}

// ReadGRES reads what a node has, or a job holds on one:
// "gpu:a100:8(S:0-1)", "gpu:a100:7(IDX:0-5,7),shard:0(IDX:N/A)".
func ReadGRES(text string) GRESList {
	list, err := parseGRESList(text)
	return GRESList{Text: text, List: list, UnreadReason: errorText(err)}
}

// ReadGRESRequest reads what a job asks per node, job or task, as any version writes
// it: "gres/gpu:a100:4", "gres:gpu:2".
func ReadGRESRequest(text string) GRESList {
	list, err := parseGRESRequest(text)
	return GRESList{Text: text, List: list, UnreadReason: errorText(err)}
}

// ReadGRESDetail reads gres_detail: what a job holds, node by node.
func ReadGRESDetail(texts []string) []GRESList {
	var out []GRESList
	for _, t := range texts {
		out = append(out, ReadGRES(t))
	}
	return out
}

// HasMixedTypes reports whether the list names more than one type of GPU.
func (l GRESList) HasMixedTypes() bool {
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

// maxDeviceCount is more devices than are believed.
const maxDeviceCount = 1 << 31

// The largest device number, and the most of them, that is believed.
const maxDeviceIndex = 1 << 16

// parseGRESList reads a list such as "gpu:a100:8(S:0-1)" or
// "gpu:a100:7(IDX:0-5,7),shard:0(IDX:N/A)", as nodes (gres, gres_used) and
// jobs (gres_detail) have them. A missing count is 1.
func parseGRESList(s string) ([]GRES, error) { return parseGRES(s, "generic resources") }

// parseGRESRequest reads the generic resources of a job's request per node, job or
// task, as any version writes them: "gres/gpu:a100:4", "gres:gpu:2", "gpu:2",
// "cpu=8,gres/gpu=1". Resources that are not generic are skipped.
func parseGRESRequest(s string) ([]GRES, error) {
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
	p := &gresParser{textParser{subject: what, text: s}}
	var out []GRES
	for {
		g, err := p.parseItem()
		if err != nil {
			return nil, err
		}
		out = append(out, g)
		if p.position == len(s) {
			return out, nil
		}
		if !p.isNextByte(',') {
			return nil, p.errorf("unexpected %q", s[p.position])
		}
		p.position++
	}
}

// gresParser reads one list.
type gresParser struct{ textParser }

// parseItem reads name[:type][:count] and what follows in parentheses.
func (p *gresParser) parseItem() (GRES, error) {
	for _, prefix := range []string{"gres/", "gres:"} {
		if strings.HasPrefix(p.text[p.position:], prefix) {
			p.position += len(prefix)
			break
		}
	}
	g := GRES{Name: p.parseWord(), Count: 1}
	if g.Name == "" || g.Name == "gres" {
		return g, p.errorf("a name should be here")
	}
	for p.isNextByte(':') || p.isNextByte('=') {
		p.position++
		if err := p.parseTypeOrCount(&g); err != nil {
			return g, err
		}
	}
	for p.isNextByte('(') {
		if err := p.parseParentheses(&g); err != nil {
			return g, err
		}
	}
	return g, nil
}

// parseWord reads up to the next punctuation.
func (p *gresParser) parseWord() string {
	n := strings.IndexAny(p.text[p.position:], ":=,()[]")
	if n < 0 {
		n = len(p.text) - p.position
	}
	p.position += n
	return p.text[p.position-n : p.position]
}

// parseTypeOrCount reads a type or the count.
func (p *gresParser) parseTypeOrCount(g *GRES) error {
	if strings.HasPrefix(p.text[p.position:], "(null)") {
		p.position += len("(null)")
		return nil
	}
	from := p.position
	w := p.parseWord()
	n, number := parseQuantity(w, 1)
	switch {
	case w == "":
		p.position = from
		return p.errorf("a type or a count should be here")
	case w == "no_consume":
	case number && n < maxDeviceCount && !p.isNextByte(':') && !p.isNextByte('='):
		g.Count = int(n)
	case g.Type == "" && w[0] != '-':
		g.Type = w
	default:
		p.position = from
		return p.errorf("%s is no count", QuoteExcerpt(w))
	}
	return nil
}

// parseParentheses reads "(IDX:0-3,5)", and of "(0/4,2/4,-/4)" the devices of which shares
// are given out, and skips other remarks.
func (p *gresParser) parseParentheses(g *GRES) error {
	end := strings.IndexByte(p.text[p.position:], ')')
	if end < 0 {
		return p.errorf("a parenthesis is not closed")
	}
	end += p.position
	remark, isIndex := strings.CutPrefix(p.text[p.position:end], "(IDX:")
	if !isIndex || remark == "N/A" || remark == "" {
		p.position = end + 1
		if g.DeviceIndexes == nil {
			g.addSharedDevices(remark[min(1, len(remark)):])
		}
		return nil
	}
	p.position += len("(IDX:")
	for p.position < end {
		if err := p.parseIndexRange(g); err != nil {
			return err
		}
		if p.position < end && !p.isNextByte(',') {
			return p.errorf("unexpected %q", p.text[p.position])
		}
		p.position++
	}
	return nil
}

// addSharedDevices notes those of a node's devices of which shares are given out: "0/4,2/4".
// 26.05 writes "-" for a device that is given out as a whole.
func (g *GRES) addSharedDevices(remark string) {
	for i, device := range strings.Split(remark, ",") {
		if given, _, ok := strings.Cut(device, "/"); ok && i < maxDeviceIndex && strings.Trim(given, "-0") != "" && g.IsShare() {
			g.DeviceIndexes = append(g.DeviceIndexes, i)
		}
	}
}

// parseIndexRange reads "4" or "0-3", which must go up.
func (p *gresParser) parseIndexRange(g *GRES) error {
	from := p.position
	lo, _, err := p.parseNumber()
	if err != nil {
		return err
	}
	hi := lo
	if p.isNextByte('-') {
		p.position++
		if hi, _, err = p.parseNumber(); err != nil {
			return err
		}
	}
	if n := len(g.DeviceIndexes); hi < lo || hi >= maxDeviceIndex || n > 0 && g.DeviceIndexes[n-1] >= lo {
		p.position = from
		return p.errorf("device numbers must go up, to at most %d", maxDeviceIndex-1)
	}
	for i := lo; i <= hi; i++ {
		g.DeviceIndexes = append(g.DeviceIndexes, i)
	}
	return nil
}
