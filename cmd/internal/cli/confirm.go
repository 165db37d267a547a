package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
)

// AskWhetherMeant asks on a terminal whether what was told is to be done there. Where there is none it must have been said, by --yes.
func AskWhetherMeant(c *cobra.Command, isMeant bool, where string) (bool, error) {
	if isMeant {
		return true, nil
	}
	in, ok := c.InOrStdin().(*os.File)
	if !ok || output.TerminalWidth(in) == 0 {
		return false, NewUsageError(errors.New("nothing was done: this is no terminal to ask on; say --yes if it is meant"))
	}
	return ReadYes(c.Context(), in, c.ErrOrStderr(), where), nil
}

// ReadYes asks, and reports whether the answer is yes.
func ReadYes(ctx context.Context, in io.Reader, out io.Writer, where string) bool {
	printable.Fprintf(out, "%s", fmt.Sprintf("Do it (%s)? [y/N] ", where))
	answers := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(in).ReadString('\n')
		answers <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		return false
	case a := <-answers:
		return a == "y" || a == "yes"
	}
}
