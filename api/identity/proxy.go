package identity

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"

	"fairbridge/api"
	"fairbridge/bridge/slurm/safefile"
)

// SecretHeader is where a proxy shows its secret.
const SecretHeader = "X-Fairbridge-Secret"

// A secret of a proxy has so many bytes.
const minSecret, maxSecret = 16, 4096

// proxy is a reverse proxy that is trusted to say who asks. Its secret is kept as a hash, so
// that nothing can print it.
type proxy struct {
	header string
	secret [sha256.Size]byte
}

// newProxy reads the secret from a file that nobody else may read or change.
func newProxy(header, path string) (*proxy, error) {
	secret, err := safefile.ReadSecret(path, minSecret, maxSecret)
	if err != nil {
		return nil, err
	}
	return &proxy{http.CanonicalHeaderKey(header), sha256.Sum256(secret)}, nil
}

// proveByProxy tells whom the proxy names. Without a secret the header says nothing; a wrong
// one is refused, lest a proxy that is set up wrongly serves everybody as nobody.
func (i *Identifier) proveByProxy(r *http.Request) (proof, error) {
	secrets := r.Header.Values(SecretHeader)
	if len(secrets) == 0 {
		return proof{}, nil
	}
	if i.proxy == nil || r.TLS == nil {
		return proof{}, refuse("no proxy is trusted here (api.proxy_header)", "leave "+SecretHeader+" out")
	}
	shown := sha256.Sum256([]byte(secrets[0]))
	if len(secrets) > 1 || subtle.ConstantTimeCompare(shown[:], i.proxy.secret[:]) != 1 {
		return proof{}, refuse("the secret of the proxy is wrong", "see api.proxy_secret_file")
	}
	names := r.Header.Values(i.proxy.header)
	if len(names) != 1 || names[0] == "" {
		return proof{}, refuse("the proxy does not name one user in "+i.proxy.header, "have it replace the header that clients send")
	}
	return proof{names[0], api.OriginProxy}, i.users.check(r.Context(), names[0])
}
