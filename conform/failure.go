package conform

import "fmt"

// failure is what a check that fails panics with.
type failure struct{ error }

func fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

func succeeds(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// guard calls f and returns why it failed, or panicked for a reason of its own.
func guard(f func()) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case failure:
			err = v.error
		default:
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	f()
	return nil
}

// during calls f, whose failure then says when it was.
func during(f func(), format string, args ...any) {
	if err := guard(f); err != nil {
		fail("%s: %w", fmt.Sprintf(format, args...), err)
	}
}
