package report

import (
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/report/page"
)

// sectionsOf takes over what checks have added to a result.
func sectionsOf(added []folder.Section) []page.Chapter {
	var list []page.Chapter
	for _, a := range added {
		s := page.Chapter{ID: "section-" + a.ID, Title: a.Title, Verdict: a.Verdict, Sign: signOf(a.Verdict), Paragraphs: paragraphs(a.Text)}
		if len(a.Columns) > 0 {
			s.Table = &page.TextTable{ID: s.ID, Title: a.Title, Columns: textColumns(a), Rows: textRows(a)}
		}
		list = append(list, s)
	}
	return list
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

// textColumns sets a column to the right where every entry is a number.
func textColumns(a folder.Section) []page.Head {
	list := make([]page.Head, len(a.Columns))
	for i, name := range a.Columns {
		list[i] = page.Head{Name: name, Numeric: i > 0 && len(a.Rows) > 0}
		for _, row := range a.Rows {
			list[i].Numeric = list[i].Numeric && i < len(row) && isNumber(row[i])
		}
	}
	return list
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// textRows fills short rows up and cuts long ones.
func textRows(a folder.Section) [][]page.TextCell {
	var rows [][]page.TextCell
	for _, given := range a.Rows {
		row := make([]page.TextCell, len(a.Columns))
		for i := range min(len(given), len(row)) {
			row[i].Text = given[i]
			if isNumber(given[i]) {
				row[i].Exact = given[i]
			}
		}
		rows = append(rows, row)
	}
	return rows
}
