package topcommand

import (
	"fmt"
	"io"
	"strings"

	"fairbridge/bridge/printable"
	"fairbridge/cmd/internal/output"
)

const keyHelp = `Keys
  j k, arrows    next and last row      pgdn pgup     a screen further, back
  g G            first and last row     r             ask now
  /              show only rows with a text, in any case; /!text rows without it
  :              call up a view: its name or the beginning of it, tab completes
                 :explain JOB and :job JOB call up a job, :q ends
  e, enter       explain the job of the row: why it waits, what was decided
  d              details: of a job how it used its GPUs, else all of the row
  esc            end the filter, or go back
  ?              this help              q, ctrl+c     end

`

const wordHelp = `
EARLY, MIDDLE and LATE say in how long from now one in ten, half and nine in ten of
such jobs start. What else columns mean stands in fairbridge queue --help, nodes --help,
shares --help, changes --help and report --help. Nothing here changes anything.
`

// helpPage says what keys do and which views there are.
var helpPage = newFixedText("help", func(w io.Writer) {
	printable.Fprintf(w, keyHelp)
	printable.Fprintln(w, "Views")
	for _, v := range views {
		output.WriteParagraph(w, fmt.Sprintf("  %-28s", strings.Join(append([]string{v.name}, v.aliases...), ", ")), v.about)
	}
	printable.Fprintf(w, wordHelp)
})
