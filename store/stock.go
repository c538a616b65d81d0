package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"slices"

	"github.com/kedge-opt/kedge/session"
)

// stock is which blobs of a loop are there.
type stock struct {
	sums    []session.Hash // ascending
	unsound map[session.Hash]error
}

// stockOf looks at all blobs of a loop at once, which takes a fraction of looking them up one by one; nil: the journal is none that can.
func stockOf(ctx context.Context, j session.Journal, loop string) (*stock, error) {
	s, is := j.(*SQLite)
	if !is {
		return nil, nil
	}
	found, err := s.peek.QueryContext(ctx, `SELECT b.sum, b.pack, b.file, b.data FROM blobs b INDEXED BY blobs_sum
		WHERE b.loop = (SELECT id FROM loops WHERE name = ?) ORDER BY b.sum`, loop) // by the index that single ones are found by
	if err != nil {
		return nil, err
	}
	defer found.Close()
	all := &stock{unsound: map[session.Hash]error{}}
	var room []byte
	for found.Next() {
		var sum session.Hash
		var b stored
		var name, data sql.RawBytes
		if err := found.Scan(&name, &b.pack, &b.file, &data); err != nil {
			return nil, err
		}
		copy(sum[:], name)
		b.data = data
		whole, err := s.open(&b, room)
		switch {
		case err != nil:
			all.unsound[sum] = damaged(loop, sum, err)
		case sha256.Sum256(whole) != sum:
			all.unsound[sum] = errOthers
		}
		if b.pack == zipped {
			room = whole
		}
		all.sums = append(all.sums, sum)
	}
	return all, found.Err()
}

// has tells whether a blob is there; the error is why it is not sound.
func (s *stock) has(sum session.Hash) (bool, error) {
	_, is := slices.BinarySearchFunc(s.sums, sum, func(a, b session.Hash) int { return bytes.Compare(a[:], b[:]) })
	return is, s.unsound[sum]
}
