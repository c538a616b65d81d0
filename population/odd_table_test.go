package population_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/population"
)

// A byte order mark counts for nothing at the beginning of a table alone; blanks of blank lines are no field, however many there are; and where reading fails is told.
func TestOddTables(t *testing.T) {
	blank := "5\n" + strings.Repeat(strings.Repeat(" ", 100)+"\n", 60)
	if got, err := population.ReadCSV(strings.NewReader(blank)); err != nil || !slices.Equal(got.Data, []float64{5}) {
		t.Errorf("blank lines of 6000 blanks: %v, %v", got, err)
	}
	_, err := population.ReadCSV(strings.NewReader("1\n\ufeff2\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "table, line 2, column 1: ") {
		t.Errorf("a mark further down: %v", err)
	}
	if _, err := population.ReadCSV(&fickle{strings.NewReader("1,2\n3,4\n"), 0, 2}); err == nil || err.Error() != "table, line 3: read: the disk is gone" {
		t.Errorf("a disk that fails behind two lines: %v", err)
	}
	if err := (population.Table{Data: count(4)}).Check(1, 3); err == nil || err.Error() != "table: 4 numbers in rows of 1, want 1 rows of 3" {
		t.Errorf("a vector that is too long: %v", err)
	}
}
