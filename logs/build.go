package logs

import (
	"bytes"
	"io/fs"
	"time"

	"github.com/kedge-opt/kedge/problem"
)

// Problem is what was found as a problem, with its people.
func (e *Inference) Problem(over ...problem.Overlay) (*problem.Problem, error) {
	made, err := e.Files("")
	if err != nil {
		return nil, err
	}
	return e.problem(made, over...)
}

func (e *Inference) problem(made map[string][]byte, over ...problem.Overlay) (*problem.Problem, error) {
	s, err := problem.Parse(e.Spec.Kinds, SpecFile, made[SpecFile], over...)
	if err != nil {
		return nil, err
	}
	return problem.Build(SpecFile, s, shelf{made, e.files})
}

// shelf has files in memory, before those of others.
type shelf struct {
	made map[string][]byte
	rest fs.FS
}

// Open implements [fs.FS].
func (s shelf) Open(name string) (fs.File, error) {
	if data, ok := s.made[name]; ok {
		return &leaf{bytes.NewReader(data), name}, nil
	}
	return s.rest.Open(name)
}

// leaf is a file in memory.
type leaf struct {
	*bytes.Reader
	name string
}

func (l *leaf) Stat() (fs.FileInfo, error) { return leafInfo{l}, nil }

// Close implements [fs.File].
func (l *leaf) Close() error { return nil }

// leafInfo says how long it is.
type leafInfo struct{ of *leaf }

func (i leafInfo) Name() string       { return i.of.name }
func (i leafInfo) Size() int64        { return i.of.Reader.Size() }
func (i leafInfo) Mode() fs.FileMode  { return 0o444 }
func (i leafInfo) ModTime() time.Time { return time.Time{} }
func (i leafInfo) IsDir() bool        { return false }
func (i leafInfo) Sys() any           { return nil }
