package evaluation

import (
	"bytes"
	"embed"
)

// writtenSections are files with sections whose figures tests hold (lab/golden and lab/reproduce), in the
// order of the page. They stand here as they are written: to make them anew takes minutes each.
var writtenSections = []string{"elastic.md", "sharing.md", "muri.md", "services.md", "learned.md", "harmony.md", "deadlines.md", "promises.md", "prediction_systems.md"}

//go:embed *.md
var writtenFiles embed.FS

// writeWrittenSections adds those sections to the page.
func writeWrittenSections(page *bytes.Buffer) error {
	for _, name := range writtenSections {
		text, err := writtenFiles.ReadFile(name)
		if err != nil {
			return err
		}
		page.WriteString("\n")
		page.Write(text)
	}
	return nil
}
