package backtest

import (
	"bytes"
	"io/fs"
	"strconv"
	"time"

	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/problem"
)

// build makes a problem of what was found, with so many draws.
func (l *looker) build(e *logs.Inference, draws int) (*problem.Problem, error) {
	made, err := e.Files("")
	if err != nil {
		return nil, err
	}
	var over []problem.Overlay
	if draws > 0 {
		over = append(over, problem.Assign("draws="+logs.DrawsFile), problem.Assign("uncertain="+strconv.Itoa(draws)))
	}
	s, err := problem.Parse(l.spec.Kinds, logs.SpecFile, made[logs.SpecFile], over...)
	if err != nil {
		return nil, err
	}
	return problem.Build(logs.SpecFile, s, shelf{made, l.files})
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
