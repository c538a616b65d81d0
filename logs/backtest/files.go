package backtest

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"

	"github.com/kedge-opt/kedge/logs"
)

// Names of the files that a look back is written to.
const (
	JSONFile = "backtest.json"
	CSVFile  = "backtest.csv"
)

// Files are what a look back is written to, by name.
func (h *Retrospect) Files() (map[string][]byte, error) {
	all, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return nil, err
	}
	rows, err := h.csv()
	return map[string][]byte{JSONFile: append(all, '\n'), CSVFile: rows}, err
}

// csv has a row for every date and rule.
func (h *Retrospect) csv() ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	head := []string{"date", "rule"}
	for _, name := range h.Decision {
		head = append(head, "set "+name)
	}
	rows := [][]string{append(head, "at_once", "at_once_low", "at_once_high", "settled", "settled_low", "settled_high", "observed", "why_not")}
	for _, o := range h.Dates {
		for _, v := range o.Rules {
			row := []string{o.Date, v.Rule}
			for j := range h.Decision {
				cell := ""
				if v.Decision != nil {
					cell = number(logs.Amount(v.Decision[j]))
				}
				row = append(row, cell)
			}
			for _, one := range []Worth{v.Once, v.Settled} {
				row = append(row, number(one.Value), number(one.Low), number(one.High))
			}
			observed, why := "", v.Why
			if v.Rule == Done {
				observed = number(o.Observed)
			}
			if why == tooEarly {
				why += ": " + o.Why
			}
			rows = append(rows, append(row, observed, why))
		}
	}
	err := w.WriteAll(rows)
	return b.Bytes(), err
}

// number is empty where there is none.
func number(n logs.Amount) string {
	if !n.Known() {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'g', -1, 64)
}
