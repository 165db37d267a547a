// Package reader reads the texts of a simulated Slurm's records. The same text always reads
// the same and there are few, so each is read once.
package reader

import (
	"fmt"

	"fairbridge/bridge/slurm"
	"fairbridge/replica/sim/inventory"
)

// Reader keeps what texts were read as.
type Reader struct {
	tresByText       map[string]slurm.TRES
	gresByText       map[string]slurm.GRESList
	directiveByTexts map[[2]string]slurm.Directive // by comment and extra
	tresByRequest    map[TRESRequest]slurm.TRES
}

// New makes a reader that has read nothing.
func New() *Reader {
	return &Reader{map[string]slurm.TRES{}, map[string]slurm.GRESList{}, map[[2]string]slurm.Directive{}, map[TRESRequest]slurm.TRES{}}
}

// ReadTRES is slurm.ReadTRES.
func (r *Reader) ReadTRES(text string) slurm.TRES { return recall(r.tresByText, text, slurm.ReadTRES) }

// ReadGRESRequest is slurm.ReadGRESRequest.
func (r *Reader) ReadGRESRequest(text string) slurm.GRESList {
	return recall(r.gresByText, text, slurm.ReadGRESRequest)
}

// ReadDirective is slurm.ReadDirective of a comment and what is extra.
func (r *Reader) ReadDirective(comment, extra string) slurm.Directive {
	return recall(r.directiveByTexts, [2]string{comment, extra}, func(t [2]string) slurm.Directive { return slurm.ReadDirective(t[0], t[1]) })
}

// TRESRequest is what the tres_req_str of a job lists.
type TRESRequest struct {
	CPUCount, NodeCount, GPUCount int
	MemMB                         int64  // megabytes
	GPUType                       string // "": any
}

// ReadTRESRequest reads what is printed of a request.
func (r *Reader) ReadTRESRequest(asked TRESRequest) slurm.TRES {
	return recall(r.tresByRequest, asked, func(t TRESRequest) slurm.TRES { return r.ReadTRES(t.format()) })
}

func (t TRESRequest) format() string {
	out := inventory.FormatBaseTRES(t.CPUCount, t.MemMB, t.NodeCount)
	if t.GPUCount > 0 {
		out += fmt.Sprintf(",gres/gpu=%d", t.GPUCount)
		if t.GPUType != "" {
			out += fmt.Sprintf(",gres/gpu:%s=%d", t.GPUType, t.GPUCount)
		}
	}
	return out
}

// recall returns what was read of the text, reading it the first time.
func recall[K comparable, V any](known map[K]V, text K, read func(K) V) V {
	v, ok := known[text]
	if !ok {
		v = read(text)
		known[text] = v
	}
	return v
}
