package plain

import (
	"context"
	"io"
	"io/fs"
)

// Anywhere is a file that can be read from anywhere.
type Anywhere interface {
	fs.File
	io.Seeker
	io.ReaderAt
}

// Until is a file that can be read until a context is done; from then on reading gives the error of the context.
func Until(ctx context.Context, file Anywhere) Anywhere {
	return untilAnywhere{until{file, ctx}, file}
}

// UntilIn is Until for files that may not be read from anywhere; those cannot be afterwards.
func UntilIn(ctx context.Context, file fs.File) fs.File {
	if f, ok := file.(Anywhere); ok {
		return Until(ctx, f)
	}
	return until{file, ctx}
}

type until struct {
	fs.File
	ctx context.Context
}

// Read implements [io.Reader].
func (f until) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

type untilAnywhere struct {
	until
	of Anywhere
}

// Seek implements [io.Seeker].
func (f untilAnywhere) Seek(at int64, from int) (int64, error) { return f.of.Seek(at, from) }

// ReadAt implements [io.ReaderAt].
func (f untilAnywhere) ReadAt(p []byte, at int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.of.ReadAt(p, at)
}
