package board

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// count is what some rows come to.
type count struct {
	rows, tried, lost int
	faults            map[string]bool // that are planted for their tests
}

func (c *count) add(f Testimony) {
	c.rows, c.tried, c.lost = c.rows+1, c.tried+f.Cases, c.lost+f.Wrong
	for _, p := range f.twins() {
		c.faults[p.Name] = true
	}
}

// totals are the lines at the top of the page: all rows, then those of each promise and test of the programme, and the tests that have none.
func totals(rows map[string]Testimony) string {
	all := count{faults: map[string]bool{}}
	var skipped, short, unkept, watched int
	by := map[string]*count{}
	for _, f := range rows {
		all.add(f)
		for _, id := range slices.Concat(f.Keeps, f.Tests) {
			if by[id] == nil {
				by[id] = &count{faults: map[string]bool{}}
			}
			by[id].add(f)
		}
		is := func(yes bool) int {
			if yes {
				return 1
			}
			return 0
		}
		skipped, short, unkept, watched = skipped+is(f.Skipped), short+is(!f.Whole && !f.Skipped), unkept+is(f.Run == nil), watched+is(len(f.twins()) > 0)
	}
	b := fmt.Sprintf("**%d rows: %d cases tried, %d not as promised.** Of the rows, %d have the figure of a short test only and %d were skipped; %d were measured before commit and date were kept.\n"+
		"%d faults are planted to see whether tests notice; they are of the tests of %d rows.\n", all.rows, all.tried, all.lost, short, skipped, unkept, len(Faults()), watched)
	var without, elsewhere, own []string
	table := func(head string, list []Clause) {
		b += fmt.Sprintf("\n| %s | | rows | tried | lost | planted faults |\n|---|---|---|---|---|---|\n", head)
		for _, n := range list {
			c := by[n.ID]
			switch {
			case c != nil:
				planted := strconv.Itoa(len(c.faults))
				if n.Twin != "" {
					planted += " and its own"
					own = append(own, n.ID+" ("+n.Twin+")")
				}
				b += fmt.Sprintf("| %s | %s | %d | %d | %d | %s |\n", n.ID, n.Words, c.rows, c.tried, c.lost, planted)
			case n.Else != "":
				elsewhere = append(elsewhere, n.ID+" ("+n.Words+"): "+n.Else)
			default:
				without = append(without, n.ID+" ("+n.Words+")")
			}
		}
	}
	table("promise", Promises())
	table("test", Tests())
	if len(without) > 0 {
		b += "\nWithout a row yet: " + strings.Join(without, ", ") + ".\n"
	}
	if len(own) > 0 {
		b += "\nTests that plant a fault themselves, and fail where it does no harm: " + strings.Join(own, "; ") + ".\n"
	}
	if len(elsewhere) > 0 {
		b += "\nSeen to otherwise: " + strings.Join(elsewhere, "; ") + ".\n"
	}
	return b
}
