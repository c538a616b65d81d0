package page

import (
	"io"

	"github.com/kedge-opt/kedge/folder"
)

// JSON writes the document for programs: its words, tables and charts, and its figures by their names and with their data.
func (d *Document) JSON(w io.Writer) error { return folder.WriteJSON(w, d.paged()) }
