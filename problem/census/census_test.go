package census

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/intake"
)

// Whole numbers are called by their digits up to 2⁵³, all others as Go writes them shortest.
func TestLabels(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", -3: "-3", 1e6: "1000000", -1e6: "-1000000", 1<<53 - 1: "9007199254740991", 1 - 1<<53: "-9007199254740991", 1 << 53: "9.007199254740992e+15", -1 << 53: "-9.007199254740992e+15", 1e300: "1e+300",
		0.1: "0.1", 1500000.5: "1.5000005e+06", math.Inf(1): "+Inf",
	} {
		if got := Label(v); got != want {
			t.Errorf("%g is called %s, want %s", v, got, want)
		}
	}
}

// A column that several formulas name, in whatever order, is read once: two columns of five numbers take 80 bytes.
func TestColumnsAreReadOnce(t *testing.T) {
	all := files(t)
	for most, fits := range map[int64]bool{80: true, 79: false} {
		p, err := (&Query{File: "c.csv", Traits: []string{"w", "age", "w", "age + w"}}).Gather(Gathering{Files: all, Most: most})
		if fits && (err != nil || p.Size() != 5) || !fits && !errors.Is(err, intake.ErrTooLarge) {
			t.Errorf("%d bytes: %+v, %v", most, p, err)
		}
	}
}

// Of more rows than are computed at a time every one has its own values, and where a formula has none the row that is told is the first.
func TestManyRows(t *testing.T) {
	const n = 9000
	var text strings.Builder
	text.WriteString("x,y\n")
	for i := range n {
		fmt.Fprintf(&text, "%d,%d\n", i, 3*i)
	}
	all := fstest.MapFS{"t.csv": {Data: []byte(text.String())}}
	p, err := (&Query{File: "t.csv", Traits: []string{"y + 1", "x - y", "x"}}).Gather(Gathering{Files: all})
	if err != nil || p.Size() != n || p.Traits.Width != 3 || len(p.Traits.Data) != 3*n {
		t.Fatalf("%d people of %d numbers, %v", p.Size(), p.Traits.Width, err)
	}
	for i := range n {
		x := float64(i)
		if one := p.Traits.Data[3*i : 3*i+3]; one[0] != 3*x+1 || one[1] != -2*x || one[2] != x {
			t.Fatalf("row %d has %v", i, one)
		}
	}
	for _, bad := range []int{0, 4095, 4096, 4097, 8191, 8192, n - 1} {
		_, err := (&Query{File: "t.csv", Traits: []string{"x", fmt.Sprintf("1/(x - %d)/(x - %d)", bad, n-1)}}).Gather(Gathering{Files: all})
		if want := fmt.Sprintf("row %d: ", bad+1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A formula that can never have a value is an error also where rows without one are left out.
func TestFormulasThatAreWrongForAllRows(t *testing.T) {
	for _, drop := range []bool{false, true} {
		s := Tabulation{File: "c.csv", Fields: []formula.TableField{{Name: "age", Body: "age"}, {Name: "who", Body: "name + 1"}}, Drop: drop}
		var of *formula.Error
		if out, err := s.Compute(Gathering{Files: files(t)}); !errors.As(err, &of) || of.Field != "who" || out != nil {
			t.Errorf("%+v, %v", out, err)
		}
	}
}

// Why a formula has no value is told by the columns that it names and not by its constants, by hand.
func TestConstantsAreNoReason(t *testing.T) {
	_, err := (&Query{File: "c.csv", Traits: []string{"pi/(age - 17) + w"}}).Gather(Gathering{Files: files(t)})
	if want := "c.csv, row 2: pi/(age - 17) + w is +Inf where age = 17 and w = 2; want a finite number, or where: without such rows"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

// A condition that has no value in a row is an error that says why: nobody is left out for want of a number.
func TestConditionsWithoutAValue(t *testing.T) {
	_, err := (&Query{File: "c.csv", Traits: []string{"age"}, Where: "income > 30000"}).Gather(Gathering{Files: files(t)})
	if want := "c.csv, row 4: income is missing; leave such rows out by where: not missing(income)"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
