package page

import (
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/report/draw"
)

// Document is what a report says, whoever writes it down: numbers already in words, texts not yet escaped.
type Document struct {
	Title    string        `json:"title"`
	Facts    string        `json:"facts"`
	Warnings []string      `json:"warnings,omitempty"`
	Answer   *Finding      `json:"answer,omitempty"` // what to do
	First    []TextTable   `json:"first,omitempty"`  // tables that belong to the answer
	Question []Term        `json:"question,omitempty"`
	Verdict  Finding       `json:"verdict"`
	Graphs   []Graph       `json:"charts,omitempty"`
	Tables   []TextTable   `json:"tables,omitempty"`
	Figures  []draw.Figure `json:"figures,omitempty"`
	Spec     string        `json:"spec,omitempty"`
	Sections []Chapter     `json:"sections,omitempty"`
	Repeat   string        `json:"repeat,omitempty"` // the command that repeats it
	Origin   []Term        `json:"origin,omitempty"` // what made it

	Brief    []Piece  `json:"-"` // what a terminal shows of it
	Headings Headings `json:"-"`
	Single   bool     `json:"-"` // figures that charts show, too, are left to those who run no scripts
}

// Headings are what parts of a page are called, and what is said above its charts; what is empty is as in the report of a run.
type Headings struct{ Verdict, Charts, Figures, Same string }

// paged is the document without what is for terminals alone.
func (d *Document) paged() *Document {
	out := *d
	out.First, out.Tables = lists.Of(d.First, TextTable.paged), lists.Of(d.Tables, TextTable.paged)
	out.Sections = lists.Of(d.Sections, Chapter.paged)
	return &out
}

// Term is a word and what it stands for.
type Term struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Finding is a sentence that can stand alone, what spoils it, and what supports it.
type Finding struct {
	Headline string   `json:"headline"`
	Cautions []string `json:"cautions,omitempty"`
	Reasons  []string `json:"reasons,omitempty"`
}

// Chapter is a part of a document with a verdict of its own.
type Chapter struct {
	ID         string     `json:"id"`
	Title      string     `json:"title"`
	Verdict    string     `json:"verdict,omitempty"`
	Sign       string     `json:"sign,omitempty"` // good, bad or empty
	Paragraphs []string   `json:"paragraphs,omitempty"`
	Table      *TextTable `json:"table,omitempty"`
}

// paged is the chapter without what is for terminals alone.
func (c Chapter) paged() Chapter {
	if c.Table != nil {
		t := c.Table.paged()
		c.Table = &t
	}
	return c
}
