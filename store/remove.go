package store

import (
	"database/sql"
	"errors"
)

// remove takes all of a loop out of the tables, and notes which files may go with it.
func (s *SQLite) remove(tx *sql.Tx, loop string, r *request) error {
	var id int64
	if err := tx.QueryRow(`SELECT id FROM loops WHERE name = ?`, loop).Scan(&id); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	}
	files, err := tx.Query(`SELECT file FROM blobs WHERE loop = ? AND file IS NOT NULL`, id)
	if err != nil {
		return err
	}
	defer files.Close()
	for files.Next() {
		var name string
		if err := files.Scan(&name); err != nil {
			return err
		}
		r.files = append(r.files, name)
	}
	if err := files.Err(); err != nil {
		return err
	}
	for _, text := range []string{`DELETE FROM events WHERE loop = ?`, `DELETE FROM blobs WHERE loop = ?`, `DELETE FROM states WHERE loop = ?`, `DELETE FROM series WHERE loop = ?`, `DELETE FROM loops WHERE id = ?`} {
		if _, err := tx.Exec(text, id); err != nil {
			return err
		}
	}
	delete(s.numbers, loop)
	delete(s.heads, id)
	return nil
}
