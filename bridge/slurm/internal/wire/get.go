package wire

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/go-resty/resty/v2"

	"fairbridge/bridge/slurm"
	"fairbridge/bridge/slurm/decode"
)

// Reader reads an answer's body. The error it returns for a body it cannot
// understand is reported as Garbled.
type Reader func(io.Reader) (slurm.Meta, error)

// Get reads path. Errors are *slurm.Error; an answer that lists errors is one,
// whatever its HTTP status.
func (c *Conn) Get(ctx context.Context, path string, read Reader) (slurm.Meta, error) {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	resp, connected, err := c.request(ctx, c.reads, http.MethodGet, path, nil)
	if err != nil {
		return slurm.Meta{}, c.noAnswer(err, connected, slurm.Busy)
	}
	defer resp.RawBody().Close()
	if !isJSON(resp) {
		return slurm.Meta{}, c.notJSON(resp, slurm.Busy)
	}
	if resp.StatusCode() != http.StatusOK {
		read = reply
	}
	meta, err := read(&capped{r: resp.RawBody(), left: c.cfg.MaxBytes})
	switch {
	case err != nil && ctx.Err() != nil:
		return meta, c.noAnswer(ctx.Err(), true, slurm.Busy)
	case err != nil:
		return meta, garbled(err, path, resp.StatusCode())
	}
	return meta, judge(meta, resp.StatusCode(), slurm.Busy)
}

// garbled is the error of an answer that could not be read to its end.
func garbled(err error, path string, status int) error {
	var e *slurm.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return &slurm.Error{Class: slurm.Garbled, Status: status, Text: "the answer to GET " + path, Err: err}
}

// reply reads the errors and warnings of an answer whose list is of no
// interest. What failed for single tasks of a job counts as an error of all.
func reply(r io.Reader) (slurm.Meta, error) {
	results, meta, err := new(decode.Decoder).Reply(r)
	for _, res := range results {
		if res.Number != 0 {
			meta.Errors = append(meta.Errors, slurm.Problem{Number: res.Number, Text: res.Step + " " + res.Text})
		}
	}
	return meta, err
}

func isJSON(r *resty.Response) bool {
	kind, _, err := mime.ParseMediaType(r.Header().Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// errTooLarge ends the reading of an answer that exceeds the limit.
var errTooLarge = errors.New("the answer is larger than max_bytes")

// capped fails rather than ends when its allowance is used up, so that a
// huge answer is never taken for a complete one.
type capped struct {
	r    io.Reader
	left int64
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errTooLarge
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	return n, err
}
