package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/report/page"
)

// sectionsOf takes over what checks have added to a result.
func sectionsOf(added []folder.Section) []page.Chapter {
	return lists.Of(added, func(a folder.Section) page.Chapter {
		s := page.Chapter{ID: "section-" + a.ID, Title: a.Title, Verdict: a.Verdict, Sign: signOf(a.Verdict), Paragraphs: paragraphs(a.Text)}
		if len(a.Columns) > 0 {
			s.Table = tableOf(s.ID, a)
		}
		return s
	})
}

func signOf(verdict string) string {
	switch {
	case strings.HasPrefix(verdict, "✓"):
		return "good"
	case strings.HasPrefix(verdict, "✗"):
		return "bad"
	}
	return ""
}

func paragraphs(text string) []string {
	var list []string
	for p := range strings.SplitSeq(text, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			list = append(list, p)
		}
	}
	return list
}

// tableOf fills short rows up and cuts long ones. A column is set to the right where every entry is a number.
func tableOf(id string, a folder.Section) *page.TextTable {
	t := &page.TextTable{ID: id, Title: a.Title, Columns: lists.Of(a.Columns, page.Titled)}
	for _, given := range a.Rows {
		row := make([]page.TextCell, len(a.Columns))
		for i := range min(len(given), len(row)) {
			row[i].Text = given[i]
			if _, err := strconv.ParseFloat(given[i], 64); err == nil {
				row[i].Exact = given[i]
			}
		}
		t.Rows = append(t.Rows, row)
	}
	for i := 1; i < len(t.Columns); i++ {
		t.Columns[i].Numeric = len(t.Rows) > 0 && !slices.ContainsFunc(t.Rows, func(row []page.TextCell) bool { return row[i].Exact == "" })
	}
	return t
}

// paged adds the files of a document.
func paged(d *page.Document, err error) (*page.Document, map[string][]byte, error) {
	if err != nil {
		return nil, nil, err
	}
	pages, err := d.Files()
	return d, pages, err
}
