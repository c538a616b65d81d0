package report

import (
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/report/draw"
)

// document is what a report says, whoever writes it down: numbers already in words, texts not yet escaped.
type document struct {
	Title, Facts string
	Warnings     []string
	Question     []term
	Verdict      judgement
	Graphs       []graph
	Tables       []table
	Figures      []draw.Figure
	Spec         string
	Sections     []section
	Repeat       string // the command that repeats it
	Origin       []term // what made it
}

// term is a word and what it stands for.
type term struct{ Name, Text string }

// judgement is a sentence that can stand alone, and what supports it.
type judgement struct {
	Headline string
	Reasons  []string
}

// table has one row a thing; the first column names it.
type table struct {
	ID, Title, About string
	Columns          []column
	Rows             [][]cell
}

// column is the head of a column. Those with choices can be filtered by.
type column struct {
	Name    string
	Numeric bool
	Choices bool
}

// cell is one entry: what to read, the number behind it bit for bit, and lines in small print.
type cell struct {
	number
	Small []string
}

func textCell(s string, small ...string) cell { return cell{number{Text: s}, small} }

func countCell(n int) cell {
	return cell{number: number{Text: strconv.Itoa(n), Exact: strconv.Itoa(n)}}
}

func numberCell(v float64, text func(float64) string, small ...string) cell {
	return cell{newNumber(v, text), small}
}

func headed(names ...string) []column {
	list := []column{{Name: names[0]}}
	for _, n := range names[1:] {
		list = append(list, column{Name: n, Numeric: true})
	}
	return list
}

// section is a part with a verdict of its own.
type section struct {
	ID, Title, Verdict, Sign string // the sign is good, bad or empty
	Paragraphs               []string
	Table                    *table
}

// sectionsOf takes over what checks have added to a result.
func sectionsOf(added []folder.Section) []section {
	var list []section
	for _, a := range added {
		s := section{ID: "section-" + a.ID, Title: a.Title, Verdict: a.Verdict, Sign: signOf(a.Verdict), Paragraphs: paragraphs(a.Text)}
		if len(a.Columns) > 0 {
			s.Table = &table{ID: s.ID, Title: a.Title, Columns: textColumns(a), Rows: textRows(a)}
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
func textColumns(a folder.Section) []column {
	list := make([]column, len(a.Columns))
	for i, name := range a.Columns {
		list[i] = column{Name: name, Numeric: i > 0 && len(a.Rows) > 0}
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
func textRows(a folder.Section) [][]cell {
	var rows [][]cell
	for _, given := range a.Rows {
		row := make([]cell, len(a.Columns))
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
