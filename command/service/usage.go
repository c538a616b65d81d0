package service

import "fmt"

// usage is a mistake in the arguments.
type usage struct{ text string }

func (u *usage) Error() string { return u.text }

func wrong(format string, args ...any) error { return &usage{fmt.Sprintf(format, args...)} }
