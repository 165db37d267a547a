package restconn

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

// BodyReader reads an answer's body. The error it returns for a body it cannot
// understand is reported as ErrorGarbledReply.
type BodyReader func(io.Reader) (slurm.ReplyMeta, error)

// Get reads path. Errors are *slurm.Error; an answer that lists errors is one,
// whatever its HTTP status.
func (c *Conn) Get(caller context.Context, path string, read BodyReader) (slurm.ReplyMeta, error) {
	ctx, cancel := context.WithTimeout(caller, c.cfg.Timeout)
	defer cancel()
	resp, connected, err := c.sendRequest(ctx, c.readClient, http.MethodGet, path, nil)
	if err != nil {
		return slurm.ReplyMeta{}, c.errorFromFailedCall(caller, err, connected, slurm.ErrorBusy)
	}
	defer resp.RawBody().Close()
	if !isJSON(resp) {
		return slurm.ReplyMeta{}, c.errorFromNonJSON(resp, slurm.ErrorBusy)
	}
	if resp.StatusCode() != http.StatusOK {
		read = readReplyMeta
	}
	meta, err := read(&limitedReader{source: resp.RawBody(), remainingBytes: c.cfg.MaxBytes})
	switch {
	case err != nil && ctx.Err() != nil:
		return meta, c.errorFromFailedCall(caller, ctx.Err(), true, slurm.ErrorBusy)
	case err != nil:
		return meta, newGarbledError(err, path, resp.StatusCode())
	}
	return meta, errorFromReply(meta, resp.StatusCode(), slurm.ErrorBusy)
}

// newGarbledError is the error of an answer that could not be read to its end.
func newGarbledError(err error, path string, status int) error {
	var e *slurm.Error
	if errors.As(err, &e) {
		err = e.Err
	}
	return &slurm.Error{Class: slurm.ErrorGarbledReply, HTTPStatus: status, Text: "the answer to GET " + path, Err: err}
}

// readReplyMeta reads the errors and warnings of an answer whose list is of no
// interest. What failed for single tasks of a job counts as an error of all.
func readReplyMeta(r io.Reader) (slurm.ReplyMeta, error) {
	results, meta, err := new(decode.Decoder).TaskResults(r)
	for _, res := range results {
		if res.ErrorNumber != 0 {
			meta.Errors = append(meta.Errors, slurm.Problem{ErrorNumber: res.ErrorNumber, Text: res.StepID + " " + res.Text})
		}
	}
	return meta, err
}

func isJSON(r *resty.Response) bool {
	kind, _, err := mime.ParseMediaType(r.Header().Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// errReplyTooLarge ends the reading of an answer that exceeds the limit.
var errReplyTooLarge = errors.New("the answer is larger than max_bytes")

// limitedReader fails rather than ends when its allowance is used up, so that a
// huge answer is never taken for a complete one.
type limitedReader struct {
	source         io.Reader
	remainingBytes int64
}

func (c *limitedReader) Read(p []byte) (int, error) {
	if c.remainingBytes <= 0 {
		return 0, errReplyTooLarge
	}
	if int64(len(p)) > c.remainingBytes {
		p = p[:c.remainingBytes]
	}
	n, err := c.source.Read(p)
	c.remainingBytes -= int64(n)
	return n, err
}
