package formula

import "strconv"

// Columns are names for the entries of what is declared as columns of a table: p_0 and p_1 of p[2], p_apples of p[apples], p of p. Of what declares
// nothing there are none.
func Columns(s string) (list []string) {
	c := newCompiler()
	name, shape, ok := c.named(text{"model", s})
	if !ok || len(c.found) > 0 {
		return nil
	}
	if shape.single() {
		return []string{name}
	}
	for i := range shape.size() {
		label := strconv.Itoa(i)
		if labels := c.labels[name]; labels != nil {
			label = labels[i]
		}
		list = append(list, name+"_"+label)
	}
	return list
}
