package formula

import "strconv"

// Columns are names for the entries of what is declared as columns of a table: p_0 and p_1 of p[2], p_apples of p[apples], p of p. Of what declares
// nothing there are none.
func Columns(s string) (list []string) {
	c := &compiler{graph: newGraph(), names: map[string]*node{}, labels: map[string][]string{}}
	name, shape, ok := c.named(text{"model", s})
	if !ok || len(c.found) > 0 {
		return nil
	}
	labels := Declare(s).Labels
	switch {
	case shape.single():
		return []string{name}
	case labels != nil:
		for _, label := range labels {
			list = append(list, name+"_"+label)
		}
		return list
	}
	for i := range shape.size() {
		list = append(list, name+"_"+strconv.Itoa(i))
	}
	return list
}
