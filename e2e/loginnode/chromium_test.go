package loginnode

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"fairbridge/api/page"
)

// testUndoInChromium undoes a change by clicks.
func (s *stage) testUndoInChromium(t *testing.T) {
	b := s.newChromium(t)
	c := s.awaitNumber()
	before := len(s.undone())
	out, err := s.login.command(t.Context(), "oper", nil, s.program, "link").Output()
	if err != nil {
		t.Fatalf("fairbridge link: %v", err)
	}
	field := fmt.Sprintf(`//form[input[@name="change" and @value="%d"]]`, c.ID)
	var where, question, told string
	err = chromedp.Run(b, chromedp.Navigate(strings.TrimSpace(string(out))), chromedp.WaitVisible(`//h1[text()="Queue"]`), chromedp.Location(&where),
		chromedp.Click(`//nav//a[text()="Changes"]`), chromedp.WaitVisible(field+"//button"))
	if err != nil || where != "https://"+name+page.Prefix+"queue" {
		t.Fatalf("from the link to the changes, at %s: %v", where, err)
	}
	err = chromedp.Run(b, chromedp.SendKeys(field+`//input[@name="why"]`, "seen in Chromium"), chromedp.Click(field+"//button"),
		chromedp.WaitVisible(`//button[text()="Do it"]`), chromedp.Text("main", &question, chromedp.ByQuery))
	if err != nil || !strings.Contains(question, fmt.Sprintf("Change %d ", c.ID)) || len(s.undone()) != before {
		t.Fatalf("the question is %q: %v", question, err)
	}
	err = chromedp.Run(b, chromedp.Click(`//button[text()="Do it"]`), chromedp.WaitVisible(`//p[@role="status" and contains(text(), "It was done")]`), chromedp.Text("main", &told, chromedp.ByQuery))
	if err != nil || !strings.Contains(told, fmt.Sprintf("It was done, as action %d.", before+1)) {
		t.Fatalf("the answer is %q: %v", told, err)
	}
	s.checkUndone(t, s.openPage(t, "oper"), c, before+1, "seen in Chromium")
}

// newChromium starts a browser that reaches the daemon as the login node does; where there is none the test is skipped, or fails where
// the environment says that there must be one.
func (s *stage) newChromium(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, program := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(program); err == nil && path == "" {
			path = found
		}
	}
	if path == "" && os.Getenv("FAIRBRIDGE_REQUIRE_CHROMIUM") != "" {
		t.Fatal("there is no chromium, and FAIRBRIDGE_REQUIRE_CHROMIUM is set: apt-get install chromium")
	}
	if path == "" {
		t.Skip("there is no chromium (apt-get install chromium): the change is undone by the forms alone")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(2*time.Minute),
		chromedp.Flag("host-resolver-rules", "MAP "+name+" "+s.forward(t)), chromedp.IgnoreCertErrors,
		chromedp.ModifyCmdFunc(func(*exec.Cmd) {})) // else Linux kills it when the thread ends that started it, and those of host.dial end
	ctx, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(end)
	return ctx
}

// forward makes an address of this machine lead to the daemon, by the login node's network.
func (s *stage) forward(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			here, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer here.Close()
				there, err := s.login.dial(context.Background(), "tcp", address)
				if err != nil {
					return
				}
				defer there.Close()
				go func() {
					_, _ = io.Copy(there, here)
					_ = there.(*net.TCPConn).CloseWrite()
				}()
				_, _ = io.Copy(here, there)
			}()
		}
	}()
	return l.Addr().String()
}
