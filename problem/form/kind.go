package form

import (
	"errors"
	"reflect"

	"github.com/kedge-opt/kedge/internal/lists"
)

// Kind is something that documents name by a word. A kind is a pointer to its own keys.
type Kind interface {
	// Word returns the name and what it stands for.
	Word() Option
}

// NameOf returns the name of a kind, "" of none.
func NameOf(k Kind) string {
	if k == nil {
		return ""
	}
	return k.Word().Value
}

// Pick describes the key that says of which kind x is; it may be absent where the kind of a name is the default. A form that reads
// leaves x nil if it is of none that is known; otherwise x is a copy of the known one, whose keys are to be described next.
func Pick[K Kind](f *Form, key string, x *K, known []K, absent string, m Meaning) {
	c, name := OneOf(lists.Of(known, func(k K) Option { return k.Word() })...), NameOf(*x)
	if absent != "" {
		c = c.Or(absent)
	}
	f.Choose(key, &name, c, m)
	if !f.Prints() {
		*x = Fresh(known, name)
	}
}

// Ahead returns the name of the kind that Pick will find at a key, for keys that are described before that one and depend on it.
func Ahead[K Kind](f *Form, key string, x K, known []K, absent string) string {
	switch {
	case f.Prints():
		return NameOf(x)
	case f.outlining():
		options := lists.Of(known, func(k K) string { return k.Word().Value })
		name := f.draft.pick(choice{key: key, options: options, absent: absent})
		f.draft.ahead = map[string]string{key: name}
		return name
	}
	if n := f.Node.Get(key); n != nil {
		return n.Text
	}
	return absent
}

// Has tells whether a key is there where a form reads; an outline has all.
func (f *Form) Has(key string) bool {
	return f.outlining() || f.Mistakes != nil && f.Node.Get(key) != nil
}

// Fresh returns a copy of the known kind of a name, nil if there is none.
func Fresh[K Kind](known []K, name string) (x K) {
	for _, k := range known {
		if k.Word().Value == name {
			fresh := reflect.New(reflect.TypeOf(k).Elem())
			fresh.Elem().Set(reflect.ValueOf(k).Elem())
			return fresh.Interface().(K)
		}
	}
	return x
}

// PathError is what is wrong with the value of a key below the one that somebody looked at.
type PathError struct {
	Path string
	Err  error
}

func (e *PathError) Error() string { return e.Path + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *PathError) Unwrap() error { return e.Err }

// Under says of an error that it is about a key below, nil of none.
func Under(path string, err error) error {
	if err == nil {
		return nil
	}
	if e := (*PathError)(nil); errors.As(err, &e) {
		return &PathError{path + "." + e.Path, e.Err}
	}
	return &PathError{path, err}
}
