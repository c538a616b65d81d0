package lab_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/kedge-opt/kedge/lab"
)

// On the linear-quadratic case everything is exact and comes to rest, so methods with a wrong sensitivity must be off, and by no more
// than the bound; the right one has no row.
func TestWrongSensitivitiesAreJudgedByTheBound(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	p := build(t, "lq2", "iterations=2000", `algorithms=[{name: right, kind: composite, step: 0.1},
		{name: half, kind: composite, step: 0.1, wrong: {scale: 0.5}}, {name: double, kind: composite, step: 0.1, wrong: {scale: 2}},
		{name: turned, kind: composite, step: 0.1, wrong: {rotate: 30}}, {name: old, kind: composite, step: 0.1, wrong: {stale: 7}}]`)
	r, err := lab.Execute(context.Background(), p, lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sections) != 1 || len(r.Sections[0].Rows) != 3 {
		t.Fatalf("sections %+v, want one with three rows", r.Sections)
	}
	for _, row := range r.Sections[0].Rows {
		off, err1 := strconv.ParseFloat(row[3], 64)
		bound, err2 := strconv.ParseFloat(row[4], 64)
		if err1 != nil || err2 != nil || off < 0.01 || off > bound || bound > 2*off {
			t.Errorf("row %v: off by %v, bound %v", row, off, bound)
		}
	}
}
