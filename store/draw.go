package store

import "context"

// draw makes blocks that are not there, until the journal is closed: first those that an earlier run left. What fails is made when it is wanted.
func (s *SQLite) draw(ctx context.Context) {
	defer s.stopped.Done()
	s.drawLeft(ctx)
	for {
		for loop, is := s.drawing.Next(); is && ctx.Err() == nil; loop, is = s.drawing.Next() {
			if g, err := s.graphOf(ctx, loop); err == nil {
				g.Complete(ctx)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-s.drawing.More:
		}
	}
}

// drawLeft notes the loops that have whole blocks.
func (s *SQLite) drawLeft(ctx context.Context) {
	found, err := s.peek.QueryContext(ctx, `SELECT l.name FROM loops l WHERE `+newestOf+` > ?`, perBlock)
	if err != nil {
		return
	}
	defer found.Close()
	for found.Next() {
		var loop string
		if found.Scan(&loop) == nil {
			s.drawing.Note(loop)
		}
	}
}
