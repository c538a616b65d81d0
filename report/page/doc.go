// Package page writes down what there is to say: a Document of headings, facts, warnings, tables, figures and charts that knows
// nothing of results, as one HTML page that needs no network, as Markdown, on a terminal and as JSON.
//
// Without scripts a page shows figures in place of interactive charts. Nothing depends on the clock or on chance: the same
// document gives the same bytes.
package page
