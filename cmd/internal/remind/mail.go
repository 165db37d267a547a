package remind

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/smtp"
	"net/textproto"
	"regexp"
	"strings"
	"time"

	"fairbridge/bridge/reminders"
	"fairbridge/bridge/slurm/safefile"
)

// mailTimeout is how long one conversation with a mail server may take.
const mailTimeout = 30 * time.Second

// mailer sends mail by SMTP.
type mailer struct {
	server, security, user, passwordFile, from string
	authorities                                *x509.CertPool // nil: those of the host
	now                                        func() time.Time
}

func (m *mailer) name() string { return "mail" }

func (m *mailer) canTell(msg *reminders.Message) bool { return msg.Address != "" }

// send hands a message over. Until the server has been given the text an error is retryable: nothing was sent. Until
// the recipient is named it is the same for every message. From there on no error has the address.
func (m *mailer) send(ctx context.Context, msg *reminders.Message) error {
	c, end, err := m.connect(ctx)
	if err != nil {
		return retryable{err, true}
	}
	defer end()
	if err := c.Mail(m.from); err != nil {
		return retryable{fmt.Errorf("mail server %s refuses the sender: %w", m.server, err), true}
	}
	if err := c.Rcpt(msg.Address); err != nil {
		return m.newRefusal("refuses the recipient", err)
	}
	w, err := c.Data()
	if err != nil {
		return m.newRefusal("takes no text", err)
	}
	if _, err := w.Write(m.format(msg)); err != nil {
		return fmt.Errorf("sending mail by %s: %w", m.server, withoutText(err))
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("sending mail by %s: %w", m.server, withoutText(err))
	}
	_ = c.Quit()
	return nil
}

// newRefusal is the error of a message that is turned away: for good (5xx), else it may be sent again.
func (m *mailer) newRefusal(what string, err error) error {
	refusal := fmt.Errorf("mail server %s %s: %w", m.server, what, withoutText(err))
	if reply, ok := errors.AsType[*textproto.Error](err); ok && reply.Code/100 == 5 {
		return refusal
	}
	return retryable{refusal, false}
}

// enhancedStatus is how a reply's text may begin, see RFC 3463.
var enhancedStatus = regexp.MustCompile(`^[245]\.[0-9]{1,3}\.[0-9]{1,3}\b`)

// withoutText is the error of a reply without the server's words, which repeat addresses: its code and enhanced status.
func withoutText(err error) error {
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		return errors.New(strings.TrimSpace(fmt.Sprint(reply.Code, " ", enhancedStatus.FindString(reply.Msg))))
	}
	if _, ok := errors.AsType[textproto.ProtocolError](err); ok {
		return errors.New("its answer is none of SMTP")
	}
	return err
}

// check connects and logs in, and sends nothing.
func (m *mailer) check(ctx context.Context) error {
	c, end, err := m.connect(ctx)
	if err != nil {
		return err
	}
	defer end()
	_ = c.Quit()
	return nil
}

// connect opens a conversation, as secure as configured, and logs in.
func (m *mailer) connect(ctx context.Context) (c *smtp.Client, end func(), err error) {
	host, _, err := net.SplitHostPort(m.server)
	if err != nil {
		return nil, nil, err
	}
	dialer := &net.Dialer{Timeout: mailTimeout}
	conn, err := dialer.DialContext(ctx, "tcp", m.server)
	if err != nil {
		return nil, nil, fmt.Errorf("connecting to mail server %s: %w", m.server, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(mailTimeout))
	end = func() {
		stop()
		_ = conn.Close()
	}
	security := &tls.Config{ServerName: host, RootCAs: m.authorities, MinVersion: tls.VersionTLS12}
	if m.security == "tls" {
		conn = tls.Client(conn, security)
	}
	if c, err = smtp.NewClient(conn, host); err == nil && m.security == "starttls" {
		err = c.StartTLS(security) // one that does not offer it is refused: nobody in between can take it away
	}
	if err == nil && m.user != "" {
		err = m.logIn(c, host)
	}
	if err != nil {
		end()
		return nil, nil, fmt.Errorf("talking to mail server %s (%s): %w", m.server, m.security, err)
	}
	return c, end, nil
}

func (m *mailer) logIn(c *smtp.Client, host string) error {
	password, err := safefile.ReadSecret(m.passwordFile, 1, 4096)
	if err != nil {
		return fmt.Errorf("the password: %w", err)
	}
	return c.Auth(smtp.PlainAuth("", m.user, string(password), host))
}

// format writes the mail. What users wrote stands in its body alone; in headers are only checked addresses, numbers
// and words of ours, and what could end a header is taken out even so.
func (m *mailer) format(msg *reminders.Message) []byte {
	var b bytes.Buffer
	_, domain, _ := strings.Cut(m.from, "@")
	for _, h := range [][2]string{
		{"From", "fairbridge <" + m.from + ">"}, {"To", msg.Address}, {"Subject", mime.QEncoding.Encode("utf-8", "[fairbridge] "+msg.Subject)},
		{"Date", m.now().UTC().Format(time.RFC1123Z)}, {"Message-ID", fmt.Sprintf("<reminder-%d.%s@%s>", msg.ID, mime.QEncoding.Encode("utf-8", msg.Cluster), domain)},
		{"Auto-Submitted", "auto-generated"}, {"Precedence", "bulk"}, {"MIME-Version", "1.0"},
		{"Content-Type", "text/plain; charset=utf-8"}, {"Content-Transfer-Encoding", "quoted-printable"},
	} {
		fmt.Fprintf(&b, "%s: %s\r\n", h[0], oneLine(h[1]))
	}
	b.WriteString("\r\n")
	q := quotedprintable.NewWriter(&b)
	_, _ = q.Write([]byte(strings.ReplaceAll(msg.Text, "\n", "\r\n")))
	_ = q.Close()
	return b.Bytes()
}

// oneLine keeps a header from becoming two.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}
