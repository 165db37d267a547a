package restconn

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"fairbridge/bridge/slurm"
)

// maxWriteReplyBytes bounds the answer to a write, in bytes.
const maxWriteReplyBytes = 1 << 20

// Post sends one write, once: it is never retried. A nil error means that
// Slurm said yes without a warning. Whether it may have been done in spite of an
// error, slurm.OutcomeOf says.
func Post(caller context.Context, c *Conn, path string, body []byte) error {
	ctx, cancel := context.WithTimeout(caller, c.cfg.Timeout)
	defer cancel()
	c.writeCount.Add(1)
	resp, connected, err := c.sendRequest(ctx, c.writeClient, http.MethodPost, path, body)
	if err != nil {
		return c.errorFromFailedCall(caller, err, connected, slurm.ErrorOutcomeUnknown)
	}
	defer resp.RawBody().Close()
	if !isJSON(resp) {
		return c.errorFromNonJSON(resp, slurm.ErrorOutcomeUnknown)
	}
	meta, err := readReplyMeta(&limitedReader{source: resp.RawBody(), remainingBytes: maxWriteReplyBytes})
	if err != nil {
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, HTTPStatus: resp.StatusCode(), Err: err}
	}
	if err := errorFromReply(meta, resp.StatusCode(), slurm.ErrorOutcomeUnknown); err != nil {
		return err
	}
	if len(meta.Warnings) > 0 { // a field was ignored: only a look can tell what became of the write
		return &slurm.Error{Class: slurm.ErrorOutcomeUnknown, HTTPStatus: resp.StatusCode(),
			Err: errors.New("answered with a warning: " + cleanExcerpt(strings.Join(meta.Warnings, "; ")))}
	}
	return nil
}
