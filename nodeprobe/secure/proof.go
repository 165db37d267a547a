package secure

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strings"
)

// The headers of a question and of its answer. Neither carries the token: both
// sides show that they know it, by an HMAC over what is said and a number that
// is never used again. So it can be used over plain http, too, and a program
// that took the probe's port cannot answer in its place.
const (
	nonceHeader = "Fairbridge-Nonce"
	proofHeader = "Fairbridge-Proof"
	authScheme  = "Fairbridge "
)

// ErrNoProof says that an answer is not by who knows the token.
var ErrNoProof = errors.New("the answer is not the probe's: it does not prove that it knows the token; does another program listen there?")

// AddProof makes a request show that we know the token, and returns the number that
// the answer must be about.
func AddProof(r *http.Request, token string) (nonce string) {
	nonce = rand.Text()
	r.Header.Set(nonceHeader, nonce)
	r.Header.Set("Authorization", authScheme+computeProof(token, "question", r.URL.Path, nonce, nil))
	return nonce
}

// CheckProof returns ErrNoProof unless the answer to the request of AddProof is by who knows
// the token. Nothing of an answer may be used before.
func CheckProof(path string, answer http.Header, body []byte, token, nonce string) error {
	if !equalSecrets(answer.Get(proofHeader), computeProof(token, "answer", path, nonce, body)) {
		return ErrNoProof
	}
	return nil
}

// checkRequestProof reports whether the request is one that AddProof marked, and with which number.
func checkRequestProof(r *http.Request, token string) (nonce string, ok bool) {
	nonce = r.Header.Get(nonceHeader)
	got, ok := strings.CutPrefix(r.Header.Get("Authorization"), authScheme)
	return nonce, ok && nonce != "" && equalSecrets(got, computeProof(token, "question", r.URL.Path, nonce, nil))
}

// computeProof is an HMAC-SHA256, in hexadecimal, of the parts; the text ones contain
// no newline.
func computeProof(token, what, path, nonce string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(token))
	io.WriteString(mac, "fairbridge "+what+"\n"+path+"\n"+nonce+"\n")
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// serveWithProof answers, with the proof that we know the token.
func serveWithProof(h http.Handler, w http.ResponseWriter, r *http.Request, token, nonce string) {
	a := &bufferedAnswer{ResponseWriter: w, status: http.StatusOK}
	h.ServeHTTP(a, r)
	w.Header().Set(proofHeader, computeProof(token, "answer", r.URL.Path, nonce, a.body.Bytes()))
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body.Bytes())
}

// bufferedAnswer keeps what is written until there is a proof for it.
type bufferedAnswer struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (a *bufferedAnswer) WriteHeader(status int) { a.status = status }

func (a *bufferedAnswer) Write(b []byte) (int, error) { return a.body.Write(b) }
