package remind

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
)

// mailServer is an SMTP server in this process. What it is told it keeps.
type mailServer struct {
	address string
	tls     *tls.Config       // offers STARTTLS
	reply   map[string]string // by verb or whole command, in place of its own

	mu    sync.Mutex
	mails []string // text as it came, one for each DATA that ended
	heard []string // commands
}

func newMailServer(t *testing.T, security *tls.Config) *mailServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &mailServer{address: l.Addr().String(), tls: security, reply: map[string]string{}}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { s.talk(conn) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		open.Wait()
	})
	return s
}

func (s *mailServer) setReply(verb, reply string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply[verb] = reply
}

func (s *mailServer) received() (mails, heard []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.mails...), append([]string(nil), s.heard...)
}

func (s *mailServer) answer(verb, line, usual string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range []string{line, verb} {
		if r, ok := s.reply[key]; ok {
			return r
		}
	}
	return usual
}

func (s *mailServer) talk(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewScanner(conn)
	say := func(text string) { fmt.Fprintf(conn, "%s\r\n", text) }
	say("220 ready")
	for in.Scan() {
		line := in.Text()
		verb := strings.ToUpper(strings.Fields(line + " x")[0])
		s.mu.Lock()
		s.heard = append(s.heard, line)
		s.mu.Unlock()
		switch verb {
		case "EHLO":
			if s.tls != nil {
				say("250-STARTTLS")
			}
			say("250 AUTH PLAIN")
		case "STARTTLS":
			if s.tls == nil {
				say("502 what?")
				continue
			}
			say("220 go")
			secure := tls.Server(conn, s.tls)
			conn, in = secure, bufio.NewScanner(secure)
		case "DATA":
			reply := s.answer(verb, line, "354 go on")
			say(reply)
			if !strings.HasPrefix(reply, "354") {
				continue
			}
			var text strings.Builder
			for in.Scan() && in.Text() != "." {
				text.WriteString(in.Text() + "\n")
			}
			s.mu.Lock()
			s.mails = append(s.mails, text.String())
			s.mu.Unlock()
			say(s.answer("END", ".", "250 taken"))
		case "QUIT":
			say("221 bye")
			return
		default:
			say(s.answer(verb, line, "250 fine"))
		}
	}
}
