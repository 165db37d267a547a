// Package screenshottest takes pictures of what programs show, for the documentation: make screenshots.
package screenshottest

import (
	"context"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// folderVariable names the folder that pictures go to; without it none is taken.
const folderVariable = "FAIRBRIDGE_SCREENSHOTS"

// Folder is where pictures go. The test is skipped where none are wanted.
func Folder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv(folderVariable)
	if folder == "" {
		t.Skip("pictures are taken by: make screenshots")
	}
	return folder
}

// Take opens a page in Chromium, in a window of so many CSS pixels, and writes what is seen to NAME.webp.
func Take(t *testing.T, document string, width, height int64, name string) {
	t.Helper()
	to := filepath.Join(Folder(t), name+".webp")
	program, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("pictures are taken by chromium: apt-get install chromium")
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(document))
	}))
	defer s.Close()
	ctx, end := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WSURLReadTimeout(2*time.Minute))...)
	defer end()
	ctx, end = chromedp.NewContext(ctx)
	defer end()
	err = chromedp.Run(ctx, chromedp.EmulateViewport(width, height), chromedp.Navigate(s.URL), chromedp.ActionFunc(func(ctx context.Context) error {
		picture, err := page.CaptureScreenshot().WithFormat(page.CaptureScreenshotFormatWebp).WithQuality(70).Do(ctx)
		if err != nil {
			return err
		}
		return os.WriteFile(to, picture, 0o644)
	}))
	if err != nil {
		t.Fatalf("taking %s: %v", name, err)
	}
}

// spanBySequence is how the sequences that set colours are drawn.
var spanBySequence = strings.NewReplacer(
	"\x1b[0m", "</span>", "\x1b[m", "</span>", "\x1b[7m", `<span style="background:#ddd;color:#111">`, "\x1b[1m", `<span style="font-weight:bold">`,
	"\x1b[31m", `<span style="color:#f66">`, "\x1b[32m", `<span style="color:#6c6">`, "\x1b[33m", `<span style="color:#dc6">`, "\x1b[36m", `<span style="color:#6cc">`,
	"\x1b[2m", `<span style="opacity:.6">`, "\x1b[90m", `<span style="opacity:.6">`)

// Terminal is a page that looks like a terminal with this text on it, in which colours are set by sequences.
func Terminal(text string) string {
	return `<!doctype html><meta charset="utf-8"><body style="margin:0;background:#111;color:#ddd"><pre style="margin:8px;font:14px/18px monospace">` +
		spanBySequence.Replace(html.EscapeString(text)) + "</pre>"
}
