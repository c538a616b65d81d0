package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/columns"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/session"
)

// samples are the people of a bundle, who become a table, a person a row. Numbers of 64 bits are two of 32, which a float64 holds.
type samples struct {
	all            []told
	states, traits int // numbers a person
}

type told struct {
	seq, rows int
	session.Batch
}

// Columns before states p.0 … and traits d.0 …
const (
	ofSeq = iota
	ofSecond
	ofNano
	ofTraits // 1: the batch has traits, of a person who is not missing
	ofMissing
	ofWeights
	ofWeight
	ofPeople
	ofHigh
	ofLow
	fixedColumns
)

func fixedNames() []string {
	return []string{"seq", "observed_s", "observed_ns", "has_d", "missing_d", "has_w", "w", "has_id", "id_high", "id_low"}
}

func (s *samples) add(e *session.Event, frame []byte) error {
	var r session.Receipt
	if err := json.Unmarshal(e.Body, &r); err != nil {
		return err
	}
	t := told{seq: e.Seq, rows: r.Rows}
	if err := t.Decode(frame); err != nil {
		return err
	}
	if t.rows < 1 || len(t.P)%t.rows != 0 || len(t.D)%t.rows != 0 {
		return fmt.Errorf("event %d says %d rows of %d numbers", e.Seq, t.rows, len(t.P))
	}
	s.states, s.traits = max(s.states, len(t.P)/t.rows), max(s.traits, len(t.D)/t.rows)
	s.all = append(s.all, t)
	return nil
}

// row is a person as numbers.
func (s *samples) row(t *told, i int) []float64 {
	row := make([]float64, fixedColumns+s.states+s.traits)
	row[ofSeq], row[ofTraits], row[ofWeights], row[ofPeople] = float64(t.seq), flag(len(t.D) > 0), flag(len(t.W) > 0), flag(len(t.Who) > 0)
	if !t.ObservedAt.IsZero() {
		row[ofSecond], row[ofNano] = float64(t.ObservedAt.Unix()), float64(t.ObservedAt.Nanosecond())
	}
	if _, missing := slices.BinarySearch(t.Missing, i); missing {
		row[ofMissing] = 1
	}
	if len(t.W) > 0 {
		row[ofWeight] = t.W[i]
	}
	if len(t.Who) > 0 {
		row[ofHigh], row[ofLow] = float64(t.Who[i]>>32), float64(uint32(t.Who[i]))
	}
	copy(row[fixedColumns:], t.P[i*s.states:(i+1)*s.states])
	if len(t.D) > 0 {
		copy(row[fixedColumns+s.states:], t.D[i*s.traits:(i+1)*s.traits])
	}
	return row
}

func flag(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func (s *samples) write(w io.Writer) error {
	names := fixedNames()
	for i := range s.states {
		names = append(names, fmt.Sprint("p.", i))
	}
	for i := range s.traits {
		names = append(names, fmt.Sprint("d.", i))
	}
	table := columns.Table{Columns: lists.Of(names, func(name string) columns.Column { return columns.Column{Name: name, Numbers: []float64{}} })}
	for b := range s.all {
		for i := range s.all[b].rows {
			for c, v := range s.row(&s.all[b], i) {
				table.Columns[c].Numbers = append(table.Columns[c].Numbers, v)
			}
		}
	}
	return table.WriteParquet(w)
}

// readSamples makes the blobs of a table of people.
func readSamples(data []byte, to map[session.Hash][]byte) error {
	table, err := folder.ReadTable(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	names := fixedNames()
	if len(table.Columns) < len(names) {
		return errors.New("it has too few columns")
	}
	states := 0
	for i, c := range table.Columns {
		if c.Numbers == nil && table.Rows() > 0 || i < len(names) && c.Name != names[i] {
			return fmt.Errorf("column %s is not that of a bundle", c.Name)
		}
		if c.Name == fmt.Sprint("p.", i-fixedColumns) {
			states++
		}
	}
	for from := 0; from < table.Rows(); {
		to1 := from
		for to1 < table.Rows() && table.Columns[ofSeq].Numbers[to1] == table.Columns[ofSeq].Numbers[from] {
			to1++
		}
		b := readBatch(&table, from, to1, states)
		frame, err := b.Encode()
		if err != nil {
			return err
		}
		to[sha256.Sum256(frame)] = frame
		from = max(to1, from+1)
	}
	return nil
}

// readBatch makes a batch of some rows.
func readBatch(t *columns.Table, from, to, states int) (b session.Batch) {
	at := func(column, row int) float64 { return t.Columns[column].Numbers[row] }
	if s := at(ofSecond, from); s != 0 || at(ofNano, from) != 0 {
		b.ObservedAt = time.Unix(int64(s), int64(at(ofNano, from))).UTC()
	}
	for i := from; i < to; i++ {
		for c := fixedColumns; c < fixedColumns+states; c++ {
			b.P = append(b.P, at(c, i))
		}
		for c := fixedColumns + states; c < len(t.Columns) && at(ofTraits, from) == 1; c++ {
			b.D = append(b.D, at(c, i))
		}
		if at(ofMissing, i) == 1 {
			b.Missing = append(b.Missing, i-from)
		}
		if at(ofWeights, from) == 1 {
			b.W = append(b.W, at(ofWeight, i))
		}
		if at(ofPeople, from) == 1 {
			b.Who = append(b.Who, uint64(at(ofHigh, i))<<32|uint64(at(ofLow, i)))
		}
	}
	return b
}
