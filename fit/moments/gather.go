package moments

import (
	"math"
	"slices"
)

// Gather makes of rows of a log what people of each group met at each time, where every row says what was decided: beside has the entries of its decision, then
// others. With answered a row has the decision that its state answers, otherwise the one that the next state answers. Rows of one time and group
// must say the same, and of all times between the first and the last of a group some row must.
func Gather(time, group []int, groups int, beside []float64, answered bool) (Exposure, error) {
	c := Exposure{Groups: groups}
	n := len(time)
	if n == 0 || len(beside)%n != 0 || group != nil && len(group) != n {
		return c, wrong(-1, "%d times, %d groups and %d numbers of decisions are not of the same rows", n, len(group), len(beside))
	}
	width := len(beside) / n
	for i, t := range time {
		if t < 0 || t > 1<<20 {
			return c, wrong(i, "time %d, want 0 to %d", t, 1<<20)
		}
		if g := groupOf(group, i); g < 0 || g >= c.groups() {
			return c, wrong(i, "group %d, there are %d", g, c.groups())
		}
		c.Dates = max(c.Dates, t+1)
	}
	if c.Dates*c.groups()*max(1, width) > 1<<26 {
		return c, wrong(-1, "%d times of %d groups are too many: another step, or fewer groups", c.Dates, c.groups())
	}
	c.Beside = make([]float64, c.Dates*c.groups()*width)
	said := make([]int, c.Dates*c.groups()) // the first row that says it, from 1
	first, last := make([]int, c.groups()), make([]int, c.groups())
	for g := range first {
		first[g] = math.MaxInt
	}
	for i, t := range time {
		g := groupOf(group, i)
		first[g], last[g] = min(first[g], t), max(last[g], t)
		if answered {
			t--
		}
		if t < 0 {
			continue
		}
		at, own := t*c.groups()+g, beside[i*width:(i+1)*width]
		there := c.Beside[at*width : (at+1)*width]
		switch {
		case said[at] == 0:
			said[at] = i + 1
			copy(there, own)
		case !slices.Equal(there, own):
			return c, wrong(i, "its decision is another than that of row %d, of the same time and group: groups of those who met the same", said[at])
		}
	}
	for g, from := range first {
		for t := from; t < last[g]; t++ {
			if said[t*c.groups()+g] == 0 {
				return c, wrong(-1, "group %d: no row says what was decided at time %d; rows of all times, or another step", g, t)
			}
		}
	}
	return c, nil
}
