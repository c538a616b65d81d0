package postgres

import (
	"context"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// Series are numbers of the decisions of a loop, worked out of its events.
func (j *Database) Series(ctx context.Context, loop string, names []string, from, points int) (*session.SeriesPage, error) {
	all := map[string]map[int]float64{}
	newest := 0
	add, end := store.Grouped(func(d *session.Decision) {
		newest = d.K
		d.Numbers(func(name string, v float64) {
			if all[name] == nil {
				all[name] = map[int]float64{}
			}
			all[name][d.K] = v
		})
	})
	for after := max(1, from) - 1; ; after += pageEvents {
		page, err := j.query(ctx, columns+` AND e.k > $2 AND e.k <= $3 ORDER BY e.k, e.seq`, loop, after, after+pageEvents)
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			if err := add(e); err != nil {
				return nil, err
			}
		}
		if len(page) == 0 { // decisions have no gaps
			break
		}
	}
	if err := end(); err != nil {
		return nil, err
	}
	return store.PageOf(names, from, newest, points, func(name string, _ int, visit func(k int, v float64)) error {
		for k, v := range all[name] {
			visit(k, v)
		}
		return nil
	})
}
