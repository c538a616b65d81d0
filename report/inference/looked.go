package inference

import (
	"math"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/logs/backtest"
	"github.com/kedge-opt/kedge/report/page"
)

// WouldSet is the table of decisions of a look back.
func WouldSet(h *backtest.Retrospect) page.TextTable {
	t := ruled(page.Head{Name: "set at", Wide: -12}, 18)
	for _, o := range h.Dates {
		row := []page.TextCell{page.Words(o.Date)}
		for _, v := range o.Rules {
			text := phrase.Absent
			switch {
			case v.Decision != nil:
				words := lists.Of(v.Decision[:min(3, len(v.Decision))], func(x float64) string { return Digits(logs.Amount(x)) })
				if text = strings.Join(words, ", "); len(v.Decision) > 3 {
					text += ", …"
				}
			case v.Why == o.TooEarly():
				text = v.Why
			}
			row = append(row, page.Words(text))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// WouldBeWorth is the table of values of a look back: a turn later, or settled.
func WouldBeWorth(h *backtest.Retrospect, isSettled bool) page.TextTable {
	when, of := "a turn later", once
	if isSettled {
		when, of = "settled", settled
	}
	t := ruled(page.Head{Name: "worth " + when, Wide: -18}, 26, page.Head{Name: "observed", Wide: 9})
	for _, o := range h.Dates {
		row := []page.TextCell{page.Words(o.Date), page.Words(Digits(o.Observed))}
		for _, v := range o.Rules {
			one := of(v)
			text := Digits(one.Value)
			if one.Value.Known() && one.Low.Known() && one.High.Known() {
				text += " (" + Digits(one.Low) + " … " + Digits(one.High) + ")"
			}
			row = append(row, page.Words(text))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// ruled is a table with a column for every rule.
func ruled(first page.Head, wide int, more ...page.Head) (t page.TextTable) {
	t.Columns = append([]page.Head{first}, more...)
	for _, rule := range backtest.Rules() {
		t.Columns = append(t.Columns, page.Head{Name: rule, Wide: wide})
	}
	for i := range t.Columns {
		t.Brief = append(t.Brief, i)
	}
	return t
}

// Digits shows a number with four digits, zeros at the end among them, or a dash.
func Digits(n logs.Amount) string {
	v := float64(n)
	switch a := math.Abs(v); {
	case !n.Known():
		return phrase.Absent
	case a >= 1e-4 && a < 1e6:
		return strconv.FormatFloat(v, 'f', max(0, 3-int(math.Floor(portable.Log(a)/math.Ln10))), 64)
	}
	return strconv.FormatFloat(v+0, 'g', 4, 64) // never -0
}
